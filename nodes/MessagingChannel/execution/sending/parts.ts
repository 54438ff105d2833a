import isEqual from 'lodash/isEqual';
import pickBy from 'lodash/pickBy';
import type { IDataObject } from 'n8n-workflow';

import { ApiError, stoppedError } from '../../api/errors';
import { hasOwnId, messagesOf, type Send } from './send';
import { earlierPartsError, partError, SENT_OTHERWISE } from './sendErrors';
import type { EarlierSend, SendEnd } from './sendJournal';
import { inFlightOf, noteMade, sentBefore, type SendLine } from './sendOnce';
import type { SendOutcome } from './sendOutcome';

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
		const known = await begin(line, send);
		if (known) return known;
	}
	const { outcome, isBegun } = await sendInOrder(parts, sendOne);
	const isMade = 'records' in outcome;
	if (isNextTry) await noteMade(journal, send, isMade);
	else journal.settle(send, isMade ? 'made' : endOf(isBegun || log.find(first) !== undefined));
	return outcome;
}

const endOf = (mayBeMade: boolean): SendEnd => (mayBeMade ? 'uncertain' : 'notMade');

/** Begins the request ID of all parts. Returns the outcome of a text that must not be sent now. */
async function begin(
	{ journal, cancelled }: Pick<SendLine, 'journal' | 'cancelled'>,
	send: Send & { requestId: string },
): Promise<SendOutcome | undefined> {
	if (cancelled?.aborted) return { kind: 'refused', from: 'journal', error: stoppedError() };
	let earlier: EarlierSend | undefined;
	try {
		earlier = await journal?.begin(send);
	} catch (error) {
		return { kind: 'refused', from: 'journal', error };
	}
	if (!earlier || earlier.state === 'absent') return undefined;
	if (earlier.state === 'done') return { kind: 'alreadySent', from: 'journal', records: [sentBefore(send)] };
	journal?.settle(send, 'uncertain');
	return { kind: 'uncertain', from: 'journal', error: earlierPartsError(send.requestId) };
}

/** Makes the sends of the parts. Returns the outcome of the text, and whether any part was made or may have been. */
async function sendInOrder(
	parts: readonly Send[],
	sendOne: (send: Send) => Promise<SendOutcome>,
): Promise<{ outcome: SendOutcome; isBegun: boolean }> {
	const records: IDataObject[] = [];
	for (const part of parts) {
		const outcome = await sendOne(part);
		if (!('records' in outcome)) {
			const isBegun = records.length > 0 || outcome.kind === 'uncertain';
			return { outcome: ofText(outcome, records.length, parts), isBegun };
		}
		records.push(outcome.records[0] ?? {});
	}
	const whole = { ...sharedFields(records), parts: records };
	return { outcome: { kind: 'sent', from: 'request', records: [whole] }, isBegun: true };
}

/** The outcome of a text of which this part was not made, or may not have been. */
function ofText(outcome: SendOutcome, sent: number, parts: readonly Send[]): SendOutcome {
	if (!('error' in outcome)) return outcome;
	const { error } = outcome;
	if (!(error instanceof ApiError) || error.code === SENT_OTHERWISE) return outcome;
	const told = partError(error, sent, parts.length, parts[0]?.requestId !== undefined);
	return { ...outcome, error: told };
}

/** The fields that are the same in all records. */
function sharedFields(records: readonly IDataObject[]): IDataObject {
	return pickBy(records[0], (value, name) => records.every((record) => isEqual(record[name], value)));
}
