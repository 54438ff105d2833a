import type { IDataObject } from 'n8n-workflow';

import { SEND_MESSAGE } from '../../../nodes/MessagingChannel/api/endpoints';
import type { Account } from '../../../nodes/MessagingChannel/execution/account';
import { findMessageIds } from '../../../nodes/MessagingChannel/execution/findMessageIds';
import type { MessageIds } from '../../../nodes/MessagingChannel/execution/messageIds';
import type { Entry, Task } from '../../../nodes/MessagingChannel/execution/task';

/** An account that tells which texts it was asked for. */
const accountThatNotes = (asked: string[]) => {
	const find: MessageIds['find'] = async (texts) => {
		asked.push(...texts.map(({ message }) => message));
		return await Promise.resolve(
			texts.map(({ message, record }) => ({ record, messageId: `ID of ${message}` })),
		);
	};
	return { messageIds: () => ({ find }) } as unknown as Account;
};

const taskWith = (account: Account, message: string) =>
	({
		account,
		findsMessageId: true,
		options: {},
		request: { endpoint: SEND_MESSAGE, parameters: { to: '905551112233', message } },
	}) as unknown as Task;

const entryWith = (account: Account, message: string, json: IDataObject): Entry => ({
	task: taskWith(account, message),
	result: { items: [{ json }] },
});

test('only messages that this run has sent are looked for', async () => {
	const asked: string[] = [];
	const account = accountThatNotes(asked);
	const records = {
		sent: { queued: true },
		'found in the chat': { already_sent: true, verified: true },
		'sent before': { already_sent: true },
		skipped: { skipped: true },
	};

	await findMessageIds(
		Object.entries(records).map(([message, record]) => entryWith(account, message, { ...record })),
	);

	expect(asked).toEqual(['sent', 'found in the chat']);
});

test('each account is asked for its own messages', async () => {
	const [asked, others]: [string[], string[]] = [[], []];
	const [first, second] = [{ number: 1 }, { number: 2 }];

	await findMessageIds([
		entryWith(accountThatNotes(asked), 'Hello', first),
		entryWith(accountThatNotes(others), 'Hi', second),
	]);

	expect([asked, others]).toEqual([['Hello'], ['Hi']]);
	expect([first, second]).toEqual([
		{ number: 1, message_id: 'ID of Hello' },
		{ number: 2, message_id: 'ID of Hi' },
	]);
});
