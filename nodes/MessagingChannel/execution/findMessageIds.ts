import type { IDataObject } from 'n8n-workflow';

import { DEFAULT_CONCURRENCY } from './concurrency';
import type { FoundMessage } from './messageIds';
import { wantsMessageId, type ItemResult } from './runTask';
import { isTask, type Failed, type Task } from './tasks';

/** Finds the messages of the texts that this run has sent. */
export async function findMessageIds(
	tasks: ReadonlyArray<Task | Failed | undefined>,
	results: ReadonlyArray<ItemResult | undefined>,
): Promise<FoundMessage[]> {
	const sends = tasks.flatMap((task, index) => {
		const result = results[index];
		if (!isTask(task) || !wantsMessageId(task) || !result || !('items' in result)) return [];
		const { to, message, priority } = task.request.parameters ?? {};
		const texts = task.parts ?? [String(message)];
		const sent = result.items.flatMap(
			({ json }) => (Array.isArray(json.parts) ? json.parts : [json]) as IDataObject[],
		);
		return sent.flatMap((record, part) => {
			if (record.skipped === true || (record.already_sent === true && record.verified !== true)) return [];
			return [{ task, text: { to: String(to), message: String(texts[part]), priority, record } }];
		});
	});
	const byAccount = new Map(sends.map(({ task }) => [task.account, task] as const));
	const found: FoundMessage[] = [];
	for (const [account, { options }] of byAccount) {
		const own = sends.filter(({ task }) => task.account === account).map(({ text }) => text);
		const concurrency = options.maxConcurrency ?? DEFAULT_CONCURRENCY;
		found.push(...(await account.messageIds.find(own, options, concurrency)));
	}
	return found;
}
