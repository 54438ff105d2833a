import type { Field } from '../operation/operation';
import { allowedRecipients } from './allowedRecipients';
import { defaultCountryCode } from './recipient';
import { onlyIfWroteWithin } from './onlyIfWroteWithin';
import { skipTags } from './tags';

/** The options of every operation that sends to the recipients that the user enters, except questions. */
export const recipientOptions: readonly Field[] = [allowedRecipients, defaultCountryCode, skipTags];

/** The options of everything that is sent now to one recipient. */
export const messageOptions: readonly Field[] = [...recipientOptions, onlyIfWroteWithin];
