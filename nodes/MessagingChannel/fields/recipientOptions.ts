import type { Field } from '../operation/operation';
import { defaultCountryCode } from './countryCode';

/** The options of every operation that sends to the recipients that the user enters. */
export const recipientOptions: readonly Field[] = [defaultCountryCode];
