import type { IDataObject } from 'n8n-workflow';

import type { Client } from '../../../nodes/MessagingChannel/api/client';
import { ApiError } from '../../../nodes/MessagingChannel/api/errors';
import { createSentMessages, type TwinsByText } from '../../../nodes/MessagingChannel/api/sentMessages';
import { virtualClock } from '../../engine/clock';
import { answer, scripted } from './scripted';

const text = { to: '905551234567', message: 'Hello' };
const chatId = '905551234567@c.us';

/** A service with these messages in every chat. */
function chatWith(messages: IDataObject[], known?: TwinsByText) {
	const clock = virtualClock();
	const asked: string[] = [];
	const client: Client = {
		call: async ({ call, parameters }) => {
			asked.push(call.path);
			if (call.path === '/chats/resolve') {
				expect(parameters).toEqual({ phone: expect.stringMatching(/^905551234567 ?$/) as string });
				return await Promise.resolve({ data: { id: chatId } });
			}
			expect(parameters).toMatchObject({ chatId, limit: 200, includeRaw: false });
			return await Promise.resolve({ data: messages });
		},
		download: async () => await Promise.reject(new Error('Not for messages.')),
	};
	return { clock, asked, sent: createSentMessages(client, clock, known) };
}

const now = () => Math.floor(Date.now() / 1000);

const message = (id: string, more: IDataObject = {}): IDataObject => ({
	id,
	body: 'Hello',
	from_me: true,
	timestamp: now() + 1,
	...more,
});

test('the message is found by its text, its sender and its time', async () => {
	const { sent } = chatWith([
		message('other', { body: 'Hello!' }),
		message('theirs', { from_me: false }),
		message('older', { timestamp: now() - 60 }),
		message('it'),
	]);
	sent.attempted(text, Date.now());
	expect(await sent.find(text)).toMatchObject({ id: 'it' });
});

test('a message that is as old as the first attempt is found, and no older one', async () => {
	const at = now() - 60;
	const { sent } = chatWith([
		message('older', { timestamp: at - 1 }),
		message('it', { timestamp: at }),
		message('twin', { timestamp: at + 1 }),
	]);
	sent.attempted(text, at * 1000 + 999);
	sent.attempted(text, Date.now());
	expect(await sent.find(text)).toMatchObject({ id: 'it' });
	expect(await sent.find(text)).toMatchObject({ id: 'twin' });
	expect(await sent.find(text)).toBeUndefined();
});

test.each([
	['of another text', { ...text, message: 'Hallo' }],
	['to another recipient', { ...text, to: '905557654321' }],
])('a message %s is no twin', async (_, other) => {
	const { sent } = chatWith([message('it')]);
	sent.attempted(other, Date.now());
	sent.confirmed(other);
	sent.attempted(text, Date.now());
	expect(await sent.find(text)).toMatchObject({ id: 'it' });
});

test('a chat that is named by its id needs no look-up', async () => {
	const { sent, asked } = chatWith([message('it')]);
	sent.attempted({ ...text, to: chatId }, Date.now());
	await sent.find({ ...text, to: chatId });
	expect(asked).toEqual(['/chats/{chatId}/messages']);
});

test('a message stands for one send only', async () => {
	const { sent } = chatWith([message('it')]);
	sent.attempted(text, Date.now());
	sent.attempted(text, Date.now());
	expect(await sent.find(text)).toMatchObject({ id: 'it' });
	expect(await sent.find(text)).toBeUndefined();
});

test('confirmed twins have their messages, or will have', async () => {
	const { sent } = chatWith([message('one'), message('two')]);
	for (let count = 0; count < 3; count++) sent.attempted(text, Date.now());
	sent.confirmed(text, { to: chatId });
	expect(await sent.find(text)).toMatchObject({ id: 'one' });
	expect(await sent.find(text)).toBeUndefined();
});

test.each([[chatId], ['+905551234567'], ['05551234567']])(
	'a twin that was sent to %s is known by the chat in its answer',
	async (to) => {
		const { sent } = chatWith([message('its')]);
		sent.attempted({ ...text, to }, Date.now());
		sent.confirmed({ ...text, to }, { to: chatId });
		sent.attempted(text, Date.now());
		expect(await sent.find(text)).toBeUndefined();
	},
);

test('a twin that was confirmed without a word about its chat counts all the same', async () => {
	const { sent } = chatWith([message('its')]);
	sent.attempted(text, Date.now());
	sent.confirmed(text);
	sent.attempted(text, Date.now());
	expect(await sent.find(text)).toBeUndefined();
});

test('what is known is short: when the attempts began, and what came of them', async () => {
	const known: TwinsByText = {};
	const { sent } = chatWith([message('it')], known);
	sent.attempted({ ...text, message: 'Hello'.repeat(100) }, 1000);
	expect(Object.keys(known)).toEqual([expect.stringMatching(/^[\w-]{16}$/)]);
	expect(Object.values(known)).toEqual([{ since: 1000, confirmed: 0, claimed: [] }]);
});

test('what is known can be kept as JSON and continued', async () => {
	const known: TwinsByText = {};
	const first = chatWith([message('it')], known);
	first.sent.attempted(text, Date.now());
	await first.sent.find(text);

	const kept = JSON.parse(JSON.stringify(known)) as TwinsByText;
	expect(JSON.stringify(kept)).not.toContain('Hello');
	const second = chatWith([message('it')], kept);
	second.sent.attempted(text, Date.now());
	expect(await second.sent.find(text)).toBeUndefined();
});

test('a recipient whom the service does not know leaves the message unconfirmed', async () => {
	const noChat = answer(200, { success: true, data: null });
	const { client, clock, sent: asked } = scripted(noChat, noChat, noChat);
	const sent = createSentMessages(client, clock);
	sent.attempted(text, clock.now());
	expect(await sent.find(text)).toBeUndefined();
	expect(asked).toHaveLength(3);
});

test('a recipient written in another way is looked for since the attempt', async () => {
	const { sent } = chatWith([message('it', { timestamp: now() })]);
	const spaced = { ...text, to: '905551234567 ' };
	sent.attempted(spaced, Date.now());
	expect(await sent.find(spaced)).toMatchObject({ id: 'it' });
});

test('a look is refused: the message stays unconfirmed', async () => {
	const clock = virtualClock();
	const refusal = new ApiError({ message: '', description: '', code: 'forbidden', httpStatus: 403 });
	const refuse = async () => await Promise.reject(refusal);
	const sent = createSentMessages({ call: refuse, download: refuse }, clock);
	sent.attempted(text, Date.now());
	expect(await sent.find(text)).toBeUndefined();
	expect(clock.skippedMs).toBeGreaterThan(6900);
});

test('a look that fails for another reason, such as a cancelled execution, is not hidden', async () => {
	const cancelled = new Error('cancelled');
	const fail = async () => await Promise.reject(cancelled);
	const sent = createSentMessages({ call: fail, download: fail }, virtualClock());
	sent.attempted(text, Date.now());
	await expect(sent.find(text)).rejects.toBe(cancelled);
});
