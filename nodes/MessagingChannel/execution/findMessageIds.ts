import type { IDataObject } from 'n8n-workflow';

import { DEFAULT_CONCURRENCY, type Entry } from './task';

/** Finds the messages of the texts that this run has sent, and adds their IDs to the records. */
export async function findMessageIds(entries: readonly Entry[]): Promise<void> {
	const sends = entries.flatMap(({ task, result }) => {
		if (!task?.findsMessageId || !result || !('items' in result)) return [];
		const { to, message } = task.request.parameters ?? {};
		const texts = task.parts ?? [String(message)];
		const sent = result.items.flatMap(
			({ json }) => (Array.isArray(json.parts) ? json.parts : [json]) as IDataObject[],
		);
		return sent.flatMap((record, part) => {
			if (record.skipped === true || (record.already_sent === true && record.verified !== true)) return [];
			return [{ task, text: { to: String(to), message: String(texts[part]), record } }];
		});
	});
	const byAccount = new Map(sends.map(({ task }) => [task.account, task] as const));
	for (const [account, { options }] of byAccount) {
		const own = sends.filter(({ task }) => task.account === account).map(({ text }) => text);
		const concurrency = options.maxConcurrency ?? DEFAULT_CONCURRENCY;
		const found = await account.messageIds().find(own, options, concurrency);
		for (const { record, messageId } of found) record.message_id = messageId;
	}
}
