import isEqual from 'lodash/isEqual';
import pickBy from 'lodash/pickBy';
import type { IDataObject } from 'n8n-workflow';

import { ApiError, stoppedError } from '../../api/errors';
import { earlierPartsError, partError, SENT_OTHERWISE } from './sendErrors';
import type { Send, SendLog } from './sendLog';
import { inFlightOf, type SendDependencies } from './sendOnce';

/**
 * The sends of one item: one, or one for each part of a long text.
 *
 * @param whole the send of the whole text
 * @param parts the texts of the parts, if there are several. If an earlier try has begun to send the text, its parts count,
 *   because an expression can change the text
 */
export function sendsOf(whole: Send, parts: readonly string[] | undefined, log: SendLog): Send[] {
	// After an earlier try of a text, the node can send something else now.
	const earlier = whole.request.endpoint.sends === 'text' ? log.find(whole) : undefined;
	const texts = earlier ? earlier.parts : parts;
	if (!texts) return [whole];
	return texts.map((message, index) => ({
		...whole,
		request: { ...whole.request, parameters: { ...whole.request.parameters, message } },
		part: { index, texts, whole: whole.request },
	}));
}

/**
 * Makes the sends of one item in order. A send that fails or may not have been made stops those after it.
 *
 * @returns the records of a single send; for several, one record with all of them in `parts`
 * @throws what `sendOne` throws; for several sends, an ApiError also says how many were made before it
 */
async function sendInOrder(
	sends: readonly Send[],
	sendOne: (send: Send) => Promise<IDataObject[]>,
): Promise<IDataObject[]> {
	const [only] = sends;
	if (only && sends.length === 1) return await sendOne(only);
	const records: IDataObject[] = [];
	for (const send of sends) {
		const [record = {}] = await sendOne(send).catch((error: unknown) => {
			const isOfPart = error instanceof ApiError && error.code !== SENT_OTHERWISE;
			throw isOfPart ? partError(error, records.length, sends.length, send.requestId !== undefined) : error;
		});
		records.push(record);
	}
	return [{ ...sharedFields(records), parts: records }];
}

/**
 * Makes the sends of one item, whose parts have one request ID together. After n8n was killed between two parts, the whole
 * text is uncertain.
 *
 * @throws as `sendInOrder`; ApiError if n8n's database cannot be used, or an earlier execution may have sent a part
 */
export async function sendParts(
	sends: readonly Send[],
	{ log, requestIds, cancelled }: Pick<SendDependencies, 'log' | 'requestIds' | 'cancelled'>,
	sendOne: (send: Send) => Promise<IDataObject[]>,
): Promise<IDataObject[]> {
	const [first] = sends as [Send];
	if (first.requestId === undefined || !first.part || !requestIds) return await sendInOrder(sends, sendOne);
	// If an earlier call of a tool is refused, this one has to claim the ID itself.
	await inFlightOf(log, first);
	const isNextTry = log.find(first) !== undefined;
	if (!isNextTry && cancelled?.aborted) throw stoppedError();
	const { state } = isNextTry ? { state: 'new' } : await requestIds.claim(first);
	if (state === 'sent') return [{ already_sent: true, request_id: first.requestId }];
	if (state === 'unconfirmed') {
		requestIds.release(first);
		throw earlierPartsError(first.requestId);
	}
	let isBegun = false;
	const sendPart = async (send: Send): Promise<IDataObject[]> => {
		const made = await sendOne(send);
		// Also by an earlier retry, of which the log knows nothing.
		isBegun = true;
		return made;
	};
	const records = await sendInOrder(sends, sendPart).catch((error: unknown) => {
		const isUncertain = error instanceof ApiError && error.ambiguous;
		if (isBegun || isUncertain || log.find(first) !== undefined) requestIds.release(first);
		else requestIds.withdraw(first);
		throw error;
	});
	requestIds.confirm(first);
	return records;
}

/** The fields that are the same in all records. */
function sharedFields(records: readonly IDataObject[]): IDataObject {
	return pickBy(records[0], (value, name) => records.every((record) => isEqual(record[name], value)));
}
