import isEqual from 'lodash/isEqual';
import pickBy from 'lodash/pickBy';
import type { IDataObject } from 'n8n-workflow';

import { ApiError } from '../../api/errors';
import { hasOwnId, type Send, type SendEnd, type SendOutcome } from './send';
import { earlierPartsError, partError, SENT_OTHERWISE } from './sendErrors';
import { begin, inFlightOf, noteMade, type SendLine } from './sendOnce';

/**
 * Makes the sends of a text that is sent as several messages, in order. A part that was not made, or may not have been, ends the text. The parts have one request ID together: if n8n was killed between two of them, the whole text is uncertain.
 *
 * @returns the outcome, with one record that has those of all parts in `parts`
 */
export async function sendParts(
	line: Pick<SendLine, 'log' | 'journal' | 'cancelled'>,
	send: Send,
	sendOne: (send: Send) => Promise<SendOutcome>,
): Promise<SendOutcome> {
	const parts = messagesOf(send);
	if (!hasOwnId(send) || !line.journal) return (await sendInOrder(parts, sendOne)).outcome;
	const { log, journal } = line;
	const [first] = parts as [Send];
	// If an earlier call of a tool is refused, this one has to begin the ID itself.
	await inFlightOf(log, first);
	const isNextTry = log.find(first) !== undefined;
	if (!isNextTry) {
		const known = await begin(line, send, async () => {
			journal.settle(send, 'uncertain');
			return { kind: 'uncertain', from: 'journal', error: earlierPartsError(send.requestId) };
		});
		if (known) return known;
	}
	const { outcome, end } = await sendInOrder(parts, sendOne);
	if (isNextTry) await noteMade(journal, send, end === 'made');
	else journal.settle(send, end);
	return outcome;
}

/** The messages of a text that is sent as several, in order. */
function messagesOf(send: Send): Send[] {
	const { parts: texts = [], request } = send;
	return texts.map((message, index) => ({
		...send,
		parts: undefined,
		request: { ...request, parameters: { ...request.parameters, message } },
		part: { index, texts, whole: request },
	}));
}

/** Makes the sends of the parts. Returns the outcome of the text, and how it ended. */
async function sendInOrder(
	parts: readonly Send[],
	sendOne: (send: Send) => Promise<SendOutcome>,
): Promise<{ outcome: SendOutcome; end: SendEnd }> {
	const records: IDataObject[] = [];
	for (const part of parts) {
		const outcome = await sendOne(part);
		if (!('records' in outcome)) {
			const mayBeMade = records.length > 0 || outcome.kind === 'uncertain';
			const told = ofText(outcome, records.length, parts.length, part.requestId !== undefined);
			return { outcome: told, end: mayBeMade ? 'uncertain' : 'notMade' };
		}
		records.push(outcome.records[0] ?? {});
	}
	const whole = { ...sharedFields(records), parts: records };
	return { outcome: { kind: 'sent', from: 'request', records: [whole] }, end: 'made' };
}

/** The outcome of a text of which this part was not made, or may not have been. */
function ofText(outcome: SendOutcome, sent: number, total: number, hasRequestId: boolean): SendOutcome {
	if (!('error' in outcome)) return outcome;
	const { error } = outcome;
	if (!(error instanceof ApiError) || error.code === SENT_OTHERWISE) return outcome;
	return { ...outcome, error: partError(error, sent, total, hasRequestId) };
}

/** The fields that are the same in all records. */
function sharedFields(records: readonly IDataObject[]): IDataObject {
	return pickBy(records[0], (value, name) => records.every((record) => isEqual(record[name], value)));
}
