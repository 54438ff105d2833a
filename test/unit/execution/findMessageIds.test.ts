import type { IDataObject } from 'n8n-workflow';

import { SEND_MESSAGE } from '../../../nodes/MessagingChannel/api/endpoints';
import { findMessageIds } from '../../../nodes/MessagingChannel/execution/findMessageIds';
import type { MessageIds } from '../../../nodes/MessagingChannel/execution/messageIds';
import type { ItemResult } from '../../../nodes/MessagingChannel/execution/runTask';
import type { Account, Task } from '../../../nodes/MessagingChannel/execution/tasks';

/** An account that tells which texts it was asked for. */
const accountThatNotes = (asked: string[]) => {
	const find: MessageIds['find'] = async (texts) => {
		asked.push(...texts.map(({ message }) => message));
		return await Promise.resolve(
			texts.map(({ message, record }) => ({ record, messageId: `ID of ${message}` })),
		);
	};
	return { messageIds: { find } } as Account;
};

const taskWith = (account: Account, message: string) =>
	({
		account,
		input: { settings: { findMessageId: true } },
		options: {},
		request: { endpoint: SEND_MESSAGE, parameters: { to: '905551112233', message } },
	}) as unknown as Task;

const resultWith = (json: IDataObject): ItemResult => ({ items: [{ json }] });

test('only messages that this run has sent are looked for', async () => {
	const asked: string[] = [];
	const account = accountThatNotes(asked);
	const results = {
		sent: { queued: true },
		'found in the chat': { already_sent: true, verified: true },
		'sent before': { already_sent: true },
		skipped: { skipped: true },
	};

	await findMessageIds(
		Object.keys(results).map((message) => taskWith(account, message)),
		Object.values(results).map(resultWith),
	);

	expect(asked).toEqual(['sent', 'found in the chat']);
});

test('each account is asked for its own messages', async () => {
	const [asked, others]: [string[], string[]] = [[], []];
	const [account, other] = [accountThatNotes(asked), accountThatNotes(others)];
	const records = [{ number: 1 }, { number: 2 }];

	const found = await findMessageIds(
		[taskWith(account, 'Hello'), taskWith(other, 'Hi')],
		records.map(resultWith),
	);

	expect([asked, others]).toEqual([['Hello'], ['Hi']]);
	expect(found).toEqual([
		{ record: records[0], messageId: 'ID of Hello' },
		{ record: records[1], messageId: 'ID of Hi' },
	]);
});
