import type { IDataObject } from 'n8n-workflow';

import type { Account } from '../../../nodes/MessagingChannel/execution/account';
import { findMessageIds, type SentText } from '../../../nodes/MessagingChannel/execution/findMessageIds';
import { virtualClock } from '../../support/engine/clock';

const ADA = '905551234567';

/** Looks for the messages of these records. Each look into the chat gives what it finds, for the texts that have no ID yet. */
async function find(records: IDataObject[], looks: Array<Array<string | undefined>>) {
	const asked: string[][] = [];
	const clock = virtualClock();
	const startedAt = clock.elapsed();
	const identify = async (chat: string, texts: readonly unknown[]) => {
		asked.push([chat, `${texts.length} at ${clock.elapsed() - startedAt}`]);
		const found = looks.shift();
		return await (found ? Promise.resolve(found) : Promise.reject(new Error('The chat cannot be read')));
	};
	const account = { digest: 'account', reconciliation: () => ({ identify }) } as unknown as Account;
	const text = { to: ADA } as SentText['text'];
	await findMessageIds(
		records.map((record) => ({ account, text, record })),
		clock,
		() => 1,
	);
	return { asked, endedAfter: clock.elapsed() - startedAt };
}

test('looks for those that are missing, until each has its ID', async () => {
	const records: IDataObject[] = [
		{ id: 'job 1', to: `${ADA}@c.us` },
		{ id: 'job 2', to: `${ADA}@c.us` },
	];

	expect(await find(records, [['message 1', undefined], ['message 2']])).toEqual({
		asked: [
			[`${ADA}@c.us`, '2 at 1000'],
			[`${ADA}@c.us`, '1 at 3000'],
		],
		endedAfter: 3000,
	});
	expect(records.map((record) => record.message_id)).toEqual(['message 1', 'message 2']);
});

test('a text that was found in its chat has its ID, also when the chat cannot be read any more', async () => {
	const records: IDataObject[] = [{ id: 'message 1', verified: true }];

	expect(await find(records, [])).toEqual({ asked: [], endedAfter: 0 });
	expect(records[0]).toHaveProperty('message_id', 'message 1');
});

test('gives up after seven seconds, also when the chat cannot be read', async () => {
	const records: IDataObject[] = [{ id: 'job 1' }];

	expect(await find(records, [[undefined]])).toEqual({
		asked: [
			[ADA, '1 at 1000'],
			[ADA, '1 at 3000'],
			[ADA, '1 at 7000'],
		],
		endedAfter: 7000,
	});
	expect(records).toStrictEqual([{ id: 'job 1' }]);
});
