import type { INodeParameters } from 'n8n-workflow';

import { eventually } from '../../support/poll';
import { messageBody, useTrigger, type Trigger } from '../../support/engine/trigger';

const place = useTrigger();
const OK = { status: 200, responseBody: '' };

const listen = async (options: INodeParameters = {}) => {
	const parameters = { events: ['message.received', 'message.status'], options };
	const trigger = await place.trigger({ parameters });
	await trigger.activate();
	return trigger;
};
const whenBusy: INodeParameters = { combineEvents: 'whenBusy' };
const idsIn = ({ executions }: Trigger) => executions.map((items) => items.map(({ json }) => json.event_id));

/** Lets n8n be busy with an execution, until it answers. */
async function busy(trigger: Trigger, eventId = 'first') {
	let answer: (status: number) => void = () => {};
	trigger.answers.push(new Promise((resolve) => (answer = resolve)));
	const delivered = place.deliver({ eventId });
	await eventually(
		() => trigger.answers,
		({ length }) => length === 0,
	);
	return { delivered, answer };
}

/** Sends deliveries, and returns once n8n has read all of them. */
async function send(...deliveries: Array<Parameters<typeof place.deliver>[0]>) {
	const before = place.read;
	const sent = deliveries.map(async (delivery) => await place.deliver(delivery));
	await eventually(
		() => place.read,
		(now) => now === before + deliveries.length,
	);
	// When one that came later has been filtered out, these have passed the filter.
	await place.deliver({ body: messageBody({ from_me: true }) });
	return sent;
}

describe('with When Busy', () => {
	test('events that come while n8n stores one go together, each with its own ID and time', async () => {
		const trigger = await listen(whenBusy);
		const { delivered, answer } = await busy(trigger);
		const bodies = ['a', 'b', 'c'].map((body) => messageBody({ body }));
		const sent = await send(...bodies.map((body, index) => ({ eventId: `${index}`, body })));

		answer(200);

		expect(await Promise.all([delivered, ...sent])).toMatchObject([OK, OK, OK, OK]);
		expect(idsIn(trigger)[0]).toEqual(['first']);
		const items = trigger.executions[1] ?? [];
		expect(items.map(({ json }) => json.event_id).sort()).toEqual(['0', '1', '2']);
		for (const { json } of items) {
			const body = JSON.parse(bodies[Number(json.event_id)] ?? '') as object;
			expect(json).toEqual({ ...body, event_id: json.event_id, delivered_at: expect.any(String) });
		}
		expect(await trigger.execute(items)).toEqual(items);
	});

	test('a test combines nothing', async () => {
		const trigger = await place.trigger({ parameters: { events: ['message.received'], options: whenBusy } });
		await trigger.activate('manual');
		const { delivered, answer } = await busy(trigger);
		expect(await place.deliver({ eventId: 'second' })).toMatchObject(OK);
		answer(200);
		await delivered;
		expect(idsIn(trigger)).toEqual([['second'], ['first']]);
	});
});

describe('with Per Chat', () => {
	const perChat: INodeParameters = { combineEvents: 'perChat', silence: 0.3 };
	/** A time of the service, in Unix seconds. */
	const SECOND = 1_790_000_000;
	const message = (id: string, body: string, timestamp: number, chat = 'a@c.us', more: object = {}) => ({
		eventId: `event ${id}`,
		body: messageBody(
			{ id, body, timestamp, ...more },
			{ chat: { id: chat, name: 'Ada', type: 'individual' } },
		),
	});

	test('the messages of a chat become one item, in the order in which they were written', async () => {
		const trigger = await listen(perChat);
		const sent = ['second', 'first', 'third'].map(
			async (text) =>
				await place.deliver(
					message(text, text, { first: SECOND + 1, second: SECOND + 2, third: SECOND + 3 }[text] ?? 0),
				),
		);
		const other = place.deliver(message('other', 'Hello', SECOND, 'b@c.us'));
		for (const { status } of await Promise.all([...sent, other])) expect(status).toBe(200);

		expect(trigger.executions).toHaveLength(2);
		const [item] = trigger.executions.find(([one]) => one?.json.text !== 'Hello') ?? [];
		expect(item?.json).toEqual({
			account_id: 'account-1',
			chat: { id: 'a@c.us', name: 'Ada', type: 'individual' },
			messages: ['first', 'second', 'third'].map((id, index) =>
				expect.objectContaining({ id, body: id, timestamp: SECOND + index + 1 }),
			),
			text: 'first\nsecond\nthird',
			event_ids: ['event first', 'event second', 'event third'],
			delivered_at: expect.any(String),
		});
		expect(await trigger.execute(item ? [item] : [])).toEqual([item]);
	});

	test('a single message becomes such an item, also in a test, which waits for nobody', async () => {
		const parameters = { events: ['message.received'], options: { ...perChat, silence: 10 } };
		const trigger = await place.trigger({ parameters });
		await trigger.activate('manual');
		expect(await place.deliver(message('1', 'Hello', 1))).toMatchObject(OK);
		expect(trigger.taken.map(({ json }) => [json.text, json.event_ids])).toEqual([['Hello', ['event 1']]]);
	});

	test('copies and replays do not make a message appear twice, wherever they meet it', async () => {
		const trigger = await listen(perChat);
		const one = message('1', 'once', 1);
		const sent = [one, one, { ...one, eventId: 'replayed' }, message('2', 'twice', 2)].map(
			async (delivery) => await place.deliver(delivery),
		);
		for (const { status } of await Promise.all(sent)) expect(status).toBe(200);
		expect(await place.deliver(one)).toMatchObject(OK);
		expect(trigger.taken.map(({ json }) => json.text)).toEqual(['once\ntwice']);
	});

	test.each<[string, (trigger: Trigger) => Promise<unknown>]>([
		['the workflow is unpublished', async (trigger) => await trigger.deactivate()],
		['n8n shuts down', async (trigger) => await (await trigger.watch())()],
	])('messages that wait go at once when %s', async (_, end) => {
		const trigger = await listen({ ...perChat, silence: 10 });
		const [one, two] = await send(message('1', 'one', 1), message('2', 'two', 2));
		const begun = Date.now();
		await end(trigger);
		expect([await one, await two]).toMatchObject([OK, OK]);
		expect(trigger.taken.map(({ json }) => json.text)).toEqual(['one\ntwo']);
		expect(Date.now() - begun).toBeLessThan(8_000);
	});

	describe('an expression decides for the files of a chat', () => {
		const chat = { id: '905551112233@c.us' };
		const messageOf = (type: string) => ({ id: type, type, has_media: true });
		const delivered = (...types: string[]) => ({
			json: { chat, messages: types.map(messageOf), text: '', event_ids: types, delivered_at: '' },
		});
		const missed = (type: string) => ({
			json: { event: 'message.received', chat, message: messageOf(type), event_id: type, fetched: true },
		});

		test.each([
			['of delivered messages', delivered('video', 'image'), 2],
			['of a missed message', missed('image'), 1],
		])('%s, as docs/trigger.md says', async (_, item, count) => {
			const downloadMedia = "={{ ($json.messages ?? [$json.message]).some(({ type }) => type === 'image') }}";
			const trigger = await listen({ ...perChat, downloadMedia });
			await place.service.control.clearRequests();
			await trigger.execute([item], { mode: 'retry' });
			const operations = await place.operations();
			expect(operations.filter((id) => id === 'media.downloadFromMessage')).toHaveLength(count);
		});
	});

	test('publishing refuses a silence that is too long for the timeout', async () => {
		const options = { ...perChat, silence: 2, timeoutSeconds: 5 };
		const trigger = await place.trigger({ parameters: { events: ['message.received'], options } });
		await expect(trigger.activate()).rejects.toThrow(
			"'Silence (Seconds)' is too large: 2. It can be at most 1.5 seconds",
		);
		expect((await place.service.control.webhook()).config).toBeNull();
	});
});

test.each<[string, INodeParameters]>([
	['Never', {}],
	['When Busy', whenBusy],
	['Per Chat', { combineEvents: 'perChat', silence: 0.1 }],
])('what n8n was killed with, before or while it ran, runs when it comes again (%s)', async (_, options) => {
	const body = messageBody({ id: 'captured' });
	const trigger = await listen(options);
	await place.deliver({ eventId: 'event', body });
	expect(await trigger.execute(trigger.taken, { id: '1' })).toEqual(trigger.taken);
	const { keys } = trigger.row;

	const restarted = await listen(options);
	restarted.row.keys = [...keys];
	await place.deliver({ eventId: 'event', body });
	expect(await restarted.execute(restarted.taken, { id: '2' })).toEqual(restarted.taken);
});
