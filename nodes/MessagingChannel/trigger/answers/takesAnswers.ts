import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { answerKeyOf, answerTagOf } from '../../sendAndWait/inChat/answerKey';
import { isOn } from '../../api/values';
import { selectedEvents } from '../delivery/filter';

/** A context that knows the parameters of the trigger; in an execution, the second argument is the index of an item. */
interface Parameters {
	getNodeParameter(name: string, fallback: unknown): unknown;
}

/**
 * The tag under which a trigger takes answers; undefined if it takes none.
 *
 * @param credential that of the trigger
 */
export function answerTagFor(
	context: Parameters,
	credential: ICredentialDataDecryptedObject,
): string | undefined {
	const events = selectedEvents(context);
	const isWanted = isOn(context.getNodeParameter('options.takeAnswers', false));
	return isWanted && events.includes('message.received') ? answerTagOf(answerKeyOf(credential)) : undefined;
}
