import type { IDataObject } from 'n8n-workflow';

import type { Client } from '../../../nodes/MessagingChannel/api/client';
import type { KnownSends } from '../../../nodes/MessagingChannel/execution/sending/knownSends';
import { createMessageIds, type ConfirmedText } from '../../../nodes/MessagingChannel/execution/messageIds';
import { virtualClock } from '../../support/engine/clock';

const to = '905551112233';
const limits = { maxAttempts: 1, maxRateLimitWait: 0 };

const sent = (message: string, record: IDataObject = {}): ConfirmedText => ({
	to,
	message,
	record,
});

const message = (id: string, body: string): IDataObject => ({ id, body, from_me: true });

/** The latest messages of a chat of many, newest first. */
const latest = (...messages: IDataObject[]) =>
	[...messages, ...Array.from({ length: 200 }, (_, index) => message(`old ${index}`, 'Old'))].slice(0, 200);

interface State {
	failed?: number;
	/** Those of the chat; undefined if it cannot be read. */
	messages?: IDataObject[];
}

/** Looks for the messages of texts that were sent between these two states of the service. */
async function findBetween(
	before: State,
	after: State,
	texts: ConfirmedText[],
	known: KnownSends = new Map(),
) {
	let state = before;
	const asked: string[] = [];
	const answerTo: Record<string, () => unknown> = {
		'/messages/queue': () => ({ waiting: 0, active: 0, delayed: 0, failed: state.failed ?? 0 }),
		'/chats/resolve': () => ({ id: `${to}@c.us` }),
		'/chats/{chatId}/messages': () => state.messages,
	};
	const client: Client = {
		call: async ({ endpoint: { path } }) => {
			asked.push(path);
			return await Promise.resolve({ success: true, data: answerTo[path]?.() });
		},
		download: async () => await Promise.reject(new Error('Not for messages.')),
	};
	const ids = createMessageIds(client, virtualClock(), known, 0);
	await ids.remember(to, limits);
	state = after;
	asked.length = 0;
	const found = await ids.find(texts, limits, 1);
	return { found: found.map(({ messageId }) => messageId), asked };
}

test('after a message failed in the queue, no other one counts as it', async () => {
	const messages = [message('by hand', 'Hello')];

	const { found } = await findBetween({ messages: [] }, { messages, failed: 1 }, [sent('Hello')]);

	expect(found).toStrictEqual([]);
});

test('a chat without a message from before may lack a message', async () => {
	const { found } = await findBetween(
		{ messages: [message('before', 'Old')] },
		{ messages: latest(message('it', 'Hello')) },
		[sent('Hello')],
	);

	expect(found).toStrictEqual([]);
});

test('what was found while the run was sending is not looked for again', async () => {
	const { found, asked } = await findBetween({ messages: [] }, { messages: [] }, [
		sent('Hello', { verified: true, id: 'it' }),
	]);

	expect(found).toStrictEqual(['it']);
	expect(asked).toEqual([]);
});
