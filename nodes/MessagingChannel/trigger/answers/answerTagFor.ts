import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { answerKeyOf, answerTagOf } from '../../sendAndWait/inChat/answerKey';
import { isOn } from '../../api/values';
import { selectedEvents } from '../delivery/filter';
import type { TriggerParameters } from '../delivery/trigger';

/**
 * The tag under which a trigger takes answers; undefined if it takes none.
 *
 * @param credential that of the trigger
 */
export function answerTagFor(
	context: TriggerParameters,
	credential: ICredentialDataDecryptedObject,
): string | undefined {
	const events = selectedEvents(context);
	const isWanted = isOn(context.getNodeParameter('options.takeAnswers', false));
	return isWanted && events.includes('message.received') ? answerTagOf(answerKeyOf(credential)) : undefined;
}
