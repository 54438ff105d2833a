import groupBy from 'lodash/groupBy';
import type { IDataObject } from 'n8n-workflow';

import type { Clock } from '../api/clock';
import { idOf } from '../api/values';
import type { Account } from './account';
import { runPartitioned } from './runPartitioned';
import { SEARCH_DELAYS_MS } from './sending/chatMessages';
import type { TextSend } from './sending/sentTexts';

/** A text that this run has sent, and whose message is to be looked for. */
export interface SentText {
	account: Account;
	text: TextSend;
	/** Its record in the output. */
	record: IDataObject;
}

/**
 * Adds the IDs of their messages to the records. It looks into each chat up to three times, within seven seconds. The service does
 * not say which message became of a send, so a text gets an ID only if exactly one message can be its own.
 */
export async function findMessageIds(
	texts: readonly SentText[],
	clock: Clock,
	concurrency: () => number,
): Promise<void> {
	for (const { record } of texts) if (record.verified === true) record.message_id = record.id;
	for (const delayMs of SEARCH_DELAYS_MS) {
		const missing = texts.filter(({ record }) => idOf(record.message_id) === undefined);
		if (missing.length === 0) return;
		await clock.sleep(delayMs);
		const chats = groupBy(missing, ({ account, text, record }) =>
			[account.digest, chatOf({ text, record })].join(),
		);
		// Without its ID, a message was sent all the same.
		const run = async (own: readonly SentText[]) => await findInChat(own).catch(() => undefined);
		await runPartitioned(Object.values(chats), { concurrency, run });
	}
}

async function findInChat(texts: readonly SentText[]): Promise<void> {
	const [{ account, ...first }] = texts as [SentText];
	const ids = await account.reconciliation().identify(
		chatOf(first),
		texts.map(({ text }) => text),
	);
	for (const [index, { record }] of texts.entries())
		if (ids[index] !== undefined) record.message_id = ids[index];
}

/** The API does not say that the response to a synchronous send names the chat. */
function chatOf({ text, record }: Pick<SentText, 'text' | 'record'>): string {
	return idOf(record.to) ?? text.to;
}
