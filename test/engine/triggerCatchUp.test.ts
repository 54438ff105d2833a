import type { INodeParameters, WorkflowActivateMode } from 'n8n-workflow';

import { clock as clockOfTrigger } from '../../nodes/MessagingChannel/trigger/account/clock';
import { messageBody, textsOf, useTrigger, type Trigger } from '../support/engine/trigger';
import { ago, useTriggerClock } from '../support/engine/triggerClock';
import { eventually } from '../support/poll';
import { callerOf } from '../support/service/testing';

const place = useTrigger();
const api = callerOf(() => place.service);
const control = () => place.service.control;
const { operations } = place;

/** The pauses of the loop: before a pass that goes on, if many messages wait and if not, before the first, and between two. */
const PAUSES = [1_000, 10_000, 30_000, 150_000];

const clock = useTriggerClock({ betweenTestsMs: 7_200_000, isPause: (ms) => PAUSES.includes(ms) });

const ends: Array<() => Promise<void>> = [];
afterEach(async () => {
	for (const end of ends.splice(0)) await end();
	expect(clock.pausing).toBe(0);
});

const start = async (trigger: Trigger, activation: WorkflowActivateMode) =>
	ends.push(await trigger.watch('trigger', activation));
/** A workflow that is published now. */
const publish = async (options: INodeParameters = {}, events = ['message.received']) => {
	const trigger = await place.trigger({ parameters: { events, options } });
	await trigger.activate();
	await start(trigger, 'activate');
	await control().clearRequests();
	return trigger;
};
/** A workflow that was published an hour and a half ago, in a process that has just started. */
const restart = async (options: INodeParameters = {}) => {
	const trigger = await place.trigger({ parameters: { events: ['message.received'], options } });
	await trigger.activate();
	trigger.kept.listeningSince = Date.now() - 5_400_000;
	await trigger.activate('init');
	await start(trigger, 'init');
	await control().clearRequests();
	return trigger;
};

/** Waits until nobody uses the row any more, so that a test can change it. */
const rests = async ({ workflowRow }: Trigger) => {
	let before = -1;
	const isSame = (calls: number) => [before, (before = calls)].every((each) => each === calls);
	await eventually(() => workflowRow.calls, isSame);
};

/** Lets so many passes happen. */
const advance = async (passes = 1) => await clock.advance(passes, 150_000);
/** A message of which no event comes. */
const miss = async (body: string, seconds = 0, more: object = {}) => {
	const message = { chatId: '905551112233@c.us', body, timestamp: ago(seconds), ...more };
	const [missed] = (await control().seed({ messages: [message] })).messages;
	return missed?.id ?? '';
};
const write = async (body: string, message: object = {}) => {
	const { messageId } = await control().incomingMessage({ from: '905551112233', body, ...message });
	await control().idle();
	return messageId;
};
const caughtUp = ({ started }: Trigger) => textsOf(started.flat());
const catches = async (trigger: Trigger, count = 1) =>
	await eventually(
		() => caughtUp(trigger),
		(texts) => texts.length >= count,
	);

describe('while n8n runs', () => {
	test('a message that was not delivered runs, after a while and once', async () => {
		const trigger = await publish();
		const messageId = await miss('missed');

		await advance();
		expect([trigger.emitted, caughtUp(trigger)]).toEqual([1, []]);
		await advance();
		await catches(trigger);
		await advance(4);
		expect(trigger.emitted).toBe(3);

		expect(caughtUp(trigger)).toEqual(['missed']);
		expect(trigger.started[0]?.[0]?.json).toMatchObject({
			event: 'message.received',
			account_id: 'account-1',
			event_id: `message ${messageId}`,
			fetched: true,
		});
	});

	test('a message that was rejected, because the secret was rotated, runs all the same', async () => {
		const trigger = await publish();
		await api('POST', '/webhooks/rotate-secret');
		await write('rejected');
		expect(trigger.started).toEqual([]);

		await advance(2);
		await catches(trigger);

		expect(caughtUp(trigger)).toEqual(['rejected']);
	});

	test('a missed message runs also where an expression says of each message whether its file is downloaded', async () => {
		const trigger = await publish({ downloadMedia: '={{ $json.message.has_media }}' });
		await miss('missed');

		await advance(2);
		await catches(trigger);

		expect([caughtUp(trigger), trigger.log]).toEqual([['missed'], []]);
	});

	test('a missed message runs also after the clock was set back by hours', async () => {
		const trigger = await publish();
		await miss('missed');
		await advance();
		expect(trigger.emitted).toBe(1);
		const now = jest.mocked(clockOfTrigger.now).mockImplementation(() => Date.now() - 10_800_000);
		await advance(2);
		await catches(trigger);
		now.mockImplementation(() => Date.now());

		expect(caughtUp(trigger)).toEqual(['missed']);
	});

	test('a message that was delivered is left alone, with no look-up in this process', async () => {
		const trigger = await publish();
		await write('delivered');
		await trigger.execute(trigger.taken);

		await advance(6);

		expect(trigger.emitted).toBe(0);
		expect((await operations()).filter((each) => each === 'chat.getMessages').length).toBeLessThanOrEqual(2);
	});

	test.each([{ hides: 199 }, { most: 100 }])(
		'every one of 250 missed messages runs although the service has short pages: %j',
		async (chatPages) => {
			await control().configure({ chatPages });
			const bodies = Array.from({ length: 250 }, (_, number) => `missed ${number}`);
			for (const [number, body] of bodies.entries()) await miss(body, 400 - number);
			const trigger = await restart({ catchUp: 60 });

			await advance(4);
			await catches(trigger, 250);

			expect(caughtUp(trigger).sort()).toEqual(bodies.sort());
		},
	);

	test('nothing but the list of chats is asked for when nothing happens', async () => {
		await write('before', { timestamp: ago(60) });
		await publish();
		await advance();
		await control().clearRequests();

		await advance(4);

		expect(await operations()).toEqual(Array(4).fill('chat.getAll'));
	});

	test('a message that is delivered in the end runs once', async () => {
		const trigger = await publish();
		const id = await miss('late');
		await advance();
		expect(trigger.emitted).toBe(1);

		const body = messageBody({ id, body: 'late' }, { chat: { id: '905551112233@c.us', type: 'individual' } });
		expect(await place.deliver({ body })).toMatchObject({ status: 200 });
		expect(await trigger.execute(trigger.taken)).toEqual(trigger.taken);
		await advance(6);

		expect(caughtUp(trigger)).toEqual([]);
	});

	test('a message whose execution n8n holds back starts no other, until n8n has refused it', async () => {
		const trigger = await publish();
		let refuse = () => {};
		trigger.answers.push(new Promise((resolve) => (refuse = () => resolve(503))));
		await control().setRedelivery({ maxAttempts: 1, backoffMs: 1 });
		await control().incomingMessage({ from: '905551112233', body: 'held back' });

		await advance(6);
		expect(trigger.emitted).toBe(0);
		refuse();
		await control().idle();
		await advance(2);
		await catches(trigger);

		expect(caughtUp(trigger)).toEqual(['held back']);
	});

	test('a message whose delivered copy n8n holds back runs as that copy, although a fetched one is there before', async () => {
		const trigger = await publish();
		let accept = () => {};
		trigger.answers.push(new Promise((resolve) => (accept = () => resolve(200))));
		const { messageId: id } = await control().incomingMessage({ from: '905551112233', body: 'held back' });
		await eventually(
			() => trigger.answers,
			({ length }) => length === 0,
		);
		const json = { event: 'message.received', event_id: `message ${id}`, message: { id }, fetched: true };

		expect(await trigger.execute([{ json }], { mode: 'trigger', id: 'fetched' })).toEqual([]);
		accept();
		await control().idle();

		expect(textsOf(await trigger.execute(trigger.taken, { id: 'delivered' }))).toEqual(['held back']);
	});

	test('a message that was fetched does not run again when it is delivered', async () => {
		const trigger = await publish();
		const id = await miss('fetched');
		await advance(3);
		await catches(trigger);

		const body = messageBody({ id, body: 'fetched' });
		expect(await place.deliver({ body })).toMatchObject({ status: 200 });

		expect(trigger.taken).toEqual([]);
	});

	test('a message that ran, and is fetched again later, is still responded to when it is delivered', async () => {
		const trigger = await publish();
		const json = { event: 'message.received', event_id: 'message 1', message: { id: '1' }, fetched: true };
		expect(await trigger.execute([{ json }], { mode: 'trigger', id: 'first' })).toEqual([{ json }]);
		clock.skip(900_000);
		expect(await trigger.execute([{ json }], { mode: 'trigger', id: 'second' })).toEqual([]);

		expect(await place.deliver({ body: messageBody({ id: '1' }) })).toMatchObject({ status: 200 });

		expect(trigger.taken).toEqual([]);
	});

	test('a message that was fetched does not run as a delivered copy on a worker, unless it is run again by hand', async () => {
		const trigger = await publish();
		const eventOf = (id: string) => ({ event: 'message.received', event_id: `event ${id}`, message: { id } });
		for (const id of ['one', 'two', 'three']) {
			const json = { ...eventOf(id), event_id: `message ${id}`, fetched: true };
			expect(await trigger.execute([{ json }], { mode: 'trigger', id: `fetched ${id}` })).toHaveLength(1);
		}
		const delivered = [{ json: eventOf('one') }];
		const chat = async (...ids: string[]) => {
			const json = { event_ids: ids.map((id) => `event ${id}`), messages: ids.map((id) => ({ id })) };
			return (await trigger.execute([{ json }], { id: ids.join() })).map((item) => item.json.event_ids);
		};

		expect(await trigger.execute(delivered, { id: 'delivered' })).toEqual([]);
		expect(await chat('two')).toEqual([]);
		expect(await chat('three', 'new')).toEqual([['event new']]);
		expect(await trigger.execute(delivered, { mode: 'retry', id: 'retry' })).toEqual(delivered);
	});

	test('a message that was not delivered has the form of its chat, where the messages of a chat are one item', async () => {
		const trigger = await publish({ combineEvents: 'perChat' });
		const messageId = await miss('missed');
		await advance(2);
		await eventually(
			() => trigger.started,
			({ length }) => length > 0,
		);

		expect(trigger.started[0]?.map(({ json }) => json)).toEqual([
			{
				account_id: 'account-1',
				chat: { id: '905551112233@c.us', name: '905551112233', phone: '905551112233', type: 'individual' },
				messages: [expect.objectContaining({ id: messageId })],
				text: 'missed',
				event_ids: [`message ${messageId}`],
				delivered_at: expect.any(String),
				fetched: true,
			},
		]);
	});

	test('a fetched message has the form of its chat in a retry, too', async () => {
		const trigger = await publish({ combineEvents: 'perChat' });
		const chat = { id: '905551112233@c.us' };
		const message = { id: '1', body: 'missed' };
		const event_id = 'message 1';
		const json = { event: 'message.received', chat, message, event_id, delivered_at: 'now', fetched: true };

		const [output] = await trigger.execute([{ json }], { mode: 'retry' });

		expect(output?.json).toEqual({
			chat,
			messages: [message],
			text: 'missed',
			event_ids: [event_id],
			delivered_at: 'now',
			fetched: true,
		});
	});

	test('own messages and filtered ones are left alone', async () => {
		const trigger = await publish({ ignoreOwnMessages: false, messageTypes: 'chat', keywords: ['wanted'] });
		await miss('own wanted', 0, { fromMe: true });
		await miss('a wanted picture', 0, { type: 'image' });
		await miss('nothing');

		await advance(6);

		expect(trigger.emitted).toBe(0);
	});

	test('messages are left alone that came while the webhook pointed to another system', async () => {
		const trigger = await publish();
		await miss('theirs');
		const events = ['message.received'];
		await api('POST', '/webhooks', { url: 'http://127.0.0.1:9/hook', events });
		await advance(3);
		await api('POST', '/webhooks', {
			url: `${place.n8nUrl}/webhook/${trigger.node.webhookId}/webhook`,
			events,
		});
		await advance(4);
		expect(caughtUp(trigger)).toEqual([]);

		await miss('ours');
		await advance(4);
		await catches(trigger);

		expect(caughtUp(trigger)).toEqual(['ours']);
	});

	test('messages that ran are left alone when the service changes the ID of their chat, if they are older than the limit', async () => {
		const trigger = await publish({ catchUp: 60 });
		await write('ran');
		await trigger.execute(trigger.taken);
		const timestamp = ago(0);
		await advance(2);
		clock.skip(3_900_000);
		await advance();
		await miss('ran', 0, { chatId: '905551119999@c.us', timestamp });
		await miss('new', 0, { chatId: '905551119999@c.us' });

		await advance(4);
		await catches(trigger);

		expect(caughtUp(trigger)).toEqual(['new']);
	});

	test('a copy of n8n at another URL, which n8n starts although its webhook cannot be set, leaves the messages of the original alone', async () => {
		const original = await publish();
		await write('delivered');
		await original.execute(original.taken);
		const copy = await place.trigger({
			parameters: original.node.parameters,
			node: { webhookId: original.node.webhookId },
			n8nUrl: 'http://copy.example.com',
		});
		Object.assign(copy.kept, original.kept);
		await expect(copy.activate('init')).rejects.toThrow('already points to');
		await copy.deactivate();
		await start(copy, 'init');

		await advance(6);

		expect([copy.emitted > 0, caughtUp(copy)]).toEqual([true, []]);
		expect((await place.config())?.url).toBe(original.kept.webhookUrl);
	});

	test('messages run that came while only another workflow of this n8n had the webhook', async () => {
		const trigger = await publish();
		await miss('missed');
		const url = `${place.n8nUrl}/webhook/other/webhook`;
		await api('POST', '/webhooks', { url, events: ['message.received'] });

		await advance(4);
		await catches(trigger);

		expect(caughtUp(trigger)).toEqual(['missed']);
	});

	test('messages run that came while the account had no webhook', async () => {
		const trigger = await publish();
		await miss('to nobody');
		await api('DELETE', '/webhooks');

		await advance(4);
		await catches(trigger);

		expect(caughtUp(trigger)).toEqual(['to nobody']);
	});

	test('a chat that cannot be read holds up no other, and the log says once what is wrong', async () => {
		const trigger = await publish();
		const numbers = ['905550000001', '905550000002', '905550000003'];
		for (const number of numbers) await miss(number, 0, { chatId: `${number}@c.us` });
		const path = '/chats/905550000002%40c.us/messages';
		await control().addFault({ path, kind: 'status', status: 500, times: 'always' });
		await advance(4);
		await catches(trigger, 2);
		expect(caughtUp(trigger).sort()).toEqual([numbers[0], numbers[2]]);

		await control().clearFaults();
		await advance(4);
		await catches(trigger, 3);

		expect(caughtUp(trigger)[2]).toBe(numbers[1]);
		expect(trigger.log).toEqual([
			'Listens: missed messages could not be looked for: The service could not process the request',
		]);
	});

	test('a service that fails for every chat is not asked for all of them', async () => {
		await publish();
		for (let index = 0; index < 9; index++) await miss('missed', 0, { chatId: `90555000000${index}@c.us` });
		await control().addFault({
			operationId: 'chat.getMessages',
			kind: 'status',
			status: 500,
			times: 'always',
		});
		await control().clearRequests();

		await advance();

		expect((await operations()).filter((each) => each === 'chat.getMessages')).toHaveLength(3);
	});

	test('workflows that share the webhook catch up, each for itself, and share the list of chats', async () => {
		const triggers = [await publish(), await publish({ chats: '905554445566' })];
		await control().clearRequests();
		await miss('one');
		await miss('two', 0, { chatId: '905554445566@c.us' });

		await advance(3);
		await Promise.all([catches(triggers[0] as Trigger, 2), catches(triggers[1] as Trigger)]);

		expect(triggers.map((trigger) => caughtUp(trigger).sort())).toEqual([['one', 'two'], ['two']]);
		expect((await operations()).filter((each) => each === 'chat.getAll')).toHaveLength(3);
	});

	test.each<[string, INodeParameters, string[]]>([
		['is turned off', { catchUp: 0 }, ['message.received']],
		['does not want messages', {}, ['message.status']],
	])('nothing is asked for a trigger that %s, and nothing is recorded', async (_, options, events) => {
		const trigger = await publish(options, events);
		await write('delivered');
		await trigger.execute([{ json: JSON.parse(messageBody()) as never }]);

		expect(clock.pausing).toBe(0);
		expect(trigger.workflowRow.calls > 0).toBe(events.includes('message.status'));
	});

	test('a key that may not read the chats is in the log once, and the webhook works', async () => {
		const trigger = await publish();
		const { apiKey } = await control().createKey({ permissions: ['messages:send'] });
		trigger.credential.apiKey = apiKey;
		await miss('missed');

		await advance(4);
		await write('delivered');

		expect(textsOf(trigger.taken)).toEqual(['delivered']);
		expect(trigger.log).toEqual([
			"Listens: missed messages could not be looked for: The API key lacks the permission 'chats:read'",
		]);
	});
});

describe('after a restart', () => {
	test('a message whose run n8n cut off runs again, and one that ended does not', async () => {
		const [ended, cutOff] = [await miss('ended', 1_200), await miss('cut off', 1_100)];
		const trigger = await restart();
		trigger.workflowRow.keys = ['began', `ran node ${ended}`];
		// Both had begun.
		trigger.row.keys = [`known message ${ended}`, `known message ${cutOff}`];

		await advance(2);
		await catches(trigger);
		await advance(4);

		expect(caughtUp(trigger)).toEqual(['cut off']);
	});

	test('a message whose run n8n cut off runs again, also if it is delivered again as a duplicate', async () => {
		const trigger = await restart();
		trigger.workflowRow.keys = ['began'];
		const id = await miss('cut off');
		trigger.row.keys = [`known message ${id}`];
		const json = { event: 'message.received', event_id: 'again', message: { id } };
		expect(await trigger.execute([{ json }])).toEqual([]);

		await advance(3);
		await catches(trigger);

		expect(caughtUp(trigger)).toEqual(['cut off']);
	});

	test.each<[string, INodeParameters, number]>([
		['longer ago than the limit', { catchUp: 5 }, 6],
		['before the workflow was published', { catchUp: 720 }, 91],
	])('messages are left alone that came %s', async (_, options, minutes) => {
		await miss('old', minutes * 60);
		const trigger = await restart(options);

		await advance(6);

		expect(trigger.emitted).toBe(0);
	});

	test.each<[string, (trigger: Trigger) => void]>([
		['while the trigger was off', ({ kept }) => (kept.endedAt = Date.now() - 1_800_000)],
		[
			'before the filters changed',
			({ node }) => (node.parameters.options = { chats: '905551112233', catchUp: 60 }),
		],
		['while another trigger had its name', ({ node }) => (node.id = 'other')],
		['while it did not catch up', ({ kept }) => delete kept.listeningTo],
		['into another account', ({ kept }) => (kept.accountId = 'account-2')],
	])('messages are left alone that came %s', async (_, change) => {
		await miss('not wanted', 1_200);
		const trigger = await place.trigger({ parameters: { events: ['message.received'] } });
		await trigger.activate();
		trigger.kept.listeningSince = Date.now() - 5_400_000;
		change(trigger);
		const { accountId } = trigger.kept;
		await trigger.activate('update');
		trigger.kept.accountId = accountId;
		await start(trigger, 'update');

		await advance(6);

		expect(trigger.emitted).toBe(0);
	});

	test('a trigger that did not catch up before begins to when the option is set', async () => {
		const trigger = await place.trigger({
			parameters: { events: ['message.received'], options: { catchUp: 0 } },
		});
		await trigger.activate();
		expect(trigger.kept).toMatchObject({ accountId: 'account-1' });
		expect(trigger.kept.listeningTo).toBeUndefined();
		clock.skip(1_800_000);
		trigger.node.parameters.options = {};
		await trigger.activate('update');
		expect(trigger.kept.listeningSince).toBeGreaterThan(Date.now() - 60_000);
	});

	test('a trigger that is published again with the same filters goes on', async () => {
		await miss('in between', 20);
		const trigger = await place.trigger({ parameters: { events: ['message.received'] } });
		await trigger.activate();
		trigger.kept.listeningSince = Date.now() - 5_400_000;
		await trigger.deactivate();
		await trigger.activate('update');
		await start(trigger, 'update');

		await advance(4);
		await catches(trigger);

		expect(caughtUp(trigger)).toEqual(['in between']);
	});

	test('what came in while a trigger was published with other filters runs, and nothing older', async () => {
		await miss('older', 60);
		const trigger = await place.trigger({ parameters: { events: ['message.received'] } });
		await trigger.activate();
		trigger.kept.listeningSince = Date.now() - 5_400_000;
		await trigger.deactivate();
		clock.skip(20_000);
		await miss('in between', 10);
		trigger.node.parameters.options = { chats: '905551112233' };
		await trigger.activate('update');
		await start(trigger, 'update');

		await advance(4);
		await catches(trigger);

		expect(caughtUp(trigger)).toEqual(['in between']);
	});

	const publishAtSecondTry = async (
		trigger: Trigger,
		first: WorkflowActivateMode,
		next: WorkflowActivateMode,
	) => {
		await control().addFault({ kind: 'status', status: 400, times: 1 });
		await expect(trigger.activate(first)).rejects.toThrow();
		await trigger.deactivate();
		await trigger.activate(next);
		await start(trigger, next);
	};

	test('what came in while a trigger could not be published with other filters at first runs, too', async () => {
		const trigger = await place.trigger({ parameters: { events: ['message.received'] } });
		await trigger.activate();
		clock.skip(60_000);
		await trigger.deactivate();
		clock.skip(20_000);
		await miss('in between', 10);
		trigger.node.parameters.options = { chats: '905551112233' };
		await publishAtSecondTry(trigger, 'update', 'update');

		await advance(4);
		await catches(trigger);

		expect(caughtUp(trigger)).toEqual(['in between']);
	});

	test.each<[WorkflowActivateMode, WorkflowActivateMode]>([
		['activate', 'update'],
		['activate', 'init'],
		['update', 'update'],
	])(
		'what came in while a trigger was off is left alone, also if it cannot be started at first (%s, %s)',
		async (first, next) => {
			const trigger = await place.trigger({ parameters: { events: ['message.received'] } });
			await trigger.activate();
			clock.skip(60_000);
			await trigger.deactivate();
			clock.skip(1_200_000);
			await miss('while it was off', 600);
			await publishAtSecondTry(trigger, first, next);
			await miss('since', -10);

			await advance(4);
			await catches(trigger);

			expect(caughtUp(trigger)).toEqual(['since']);
		},
	);

	test('what came in while another system had the webhook is left alone, also when it is replaced', async () => {
		const trigger = await place.trigger({
			parameters: { events: ['message.received'], options: { ifWebhookExists: 'replace' } },
		});
		await trigger.activate();
		trigger.kept.listeningSince = Date.now() - 5_400_000;
		await trigger.deactivate();
		await api('POST', '/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['message.received'] });
		await miss('theirs', 10);
		await trigger.activate('update');
		await start(trigger, 'update');
		await miss('ours', -10);

		await advance(4);
		await catches(trigger);

		expect(caughtUp(trigger)).toEqual(['ours']);
	});

	test.each<[string, WorkflowActivateMode]>([
		['could not start at first', 'init'],
		['starts in another main process', 'leadershipChange'],
	])('a trigger that n8n %s has not been off', async (_, activation) => {
		await miss('in between', 600);
		const trigger = await restart();
		trigger.kept.endedAt = Date.now() - 1_200_000;
		for (const end of ends.splice(0)) await end();
		await trigger.activate(activation);
		await start(trigger, activation);

		await advance(4);
		await catches(trigger);

		expect(caughtUp(trigger)).toEqual(['in between']);
	});

	test('the times of the service count, whatever the clock of n8n says', async () => {
		await control().setClock({ offsetMs: 240_000 });
		const serviceAgo = (seconds: number) => ago(seconds) + 240;
		await miss('before', 0, { timestamp: serviceAgo(1_300) });
		await miss('missed', 0, { timestamp: serviceAgo(1_100) });
		const trigger = await place.trigger({ parameters: { events: ['message.received'] } });
		await trigger.activate();
		trigger.kept.listeningSince = Date.now() - 1_200_000;
		await trigger.activate('init');
		await start(trigger, 'init');

		await advance(4);
		await catches(trigger);
		await advance(2);

		expect(caughtUp(trigger)).toEqual(['missed']);
	});

	test('a whole night is caught up, oldest first in each chat', async () => {
		const texts = Array.from({ length: 150 }, (_, index) => `${index}`);
		for (const text of texts) {
			const chatId = `90555${1_000_000 + (Number(text) % 120)}@c.us`;
			await miss(text, 3_000 - Number(text), { chatId });
		}
		const trigger = await restart({ catchUp: 720 });

		await advance(4);
		await catches(trigger, 150);

		expect(caughtUp(trigger).sort()).toEqual([...texts].sort());
		const inOneChat = caughtUp(trigger).filter((text) => Number(text) % 120 === 7);
		expect(inOneChat).toEqual(['7', '127']);
		expect(trigger.log).toContain('Listens: 20 chats with new messages are still to be read');
	});

	test('messages are left alone that came before the oldest of which it is known whether it ran', async () => {
		await control().configure({ rateLimit: { limit: 10_000, windowSeconds: 60 } });
		const first = await place.trigger({ parameters: { events: ['message.received'] } });
		const since = ago(3_000);
		const all = Array.from({ length: 10_600 }, (_, index) => ({
			chatId: `90555${1_000_000 + (index % 50)}@c.us`,
			body: `${index}`,
			timestamp: since + Math.floor(index / 4),
		}));
		const { messages } = await control().seed({ messages: all });
		clock.skip(-3_000_000);
		for (let from = 0; from < messages.length; from += 100) {
			const items = messages
				.slice(from, from + 100)
				.map((message) => ({ json: { event: 'message.received', event_id: message.id, message } }));
			// Two of them are cut off: one of the oldest, and one of the latest.
			await first.execute(items.filter((_, index) => ![100 + 7, 10_500 + 7].includes(from + index)) as never);
			clock.skip(25_000);
		}
		clock.skip(350_000);
		const { keys } = await eventually(
			() => first.workflowRow,
			(row) => row.keys.includes(`ran node ${messages.at(-1)?.id}`),
		);
		expect(keys).toHaveLength(10_000);
		const trigger = await restart();
		trigger.workflowRow.keys = keys;

		await advance(4);
		await catches(trigger);
		await advance(2);

		expect(caughtUp(trigger)).toEqual(['10507']);
		expect(trigger.log.filter((line) => !line.endsWith('are still to be read'))).toEqual([
			expect.stringMatching(
				/^Listens: messages that came in before \d{4}-.*Z are left alone, because n8n no longer knows which of them ran$/,
			),
		]);
	});

	test('what came in while n8n was down runs, however much ran since', async () => {
		for (let index = 0; index < 101; index++)
			await miss(`${index}`, 1_000 - index, { chatId: `90555${1_000_000 + index}@c.us` });
		await miss('ran before', 1_900, { chatId: '905551000100@c.us' });
		const trigger = await restart();
		const minute = Math.floor(Date.now() / 60_000);
		trigger.workflowRow.keys = [`minute ${minute - 40}`, `minute ${minute - 30}`];
		await advance();
		expect(trigger.emitted).toBe(1);
		await rests(trigger);
		// The first hundred chats are read. What was recorded meanwhile has pushed out the rest.
		trigger.workflowRow.keys = [`minute ${minute + 1}`];

		await advance(6);
		await catches(trigger, 101);
		await advance(2);

		expect(caughtUp(trigger).sort()).toEqual(Array.from({ length: 101 }, (_, index) => `${index}`).sort());
	});

	test('a chat with thousands of messages is read in parts, oldest first', async () => {
		await control().configure({ rateLimit: { limit: 10_000, windowSeconds: 60 } });
		const messages = Array.from({ length: 2_050 }, (_, index) => ({
			chatId: '905551112233@c.us',
			body: `${index}`,
			timestamp: ago(3_000) + index,
		}));
		await control().seed({ messages });
		const trigger = await restart();

		await advance(4);
		await catches(trigger, 60);

		expect(caughtUp(trigger).slice(0, 60)).toEqual(messages.slice(0, 60).map(({ body }) => body));
		expect(trigger.log).toContain('Listens: 1 chats with new messages are still to be read');
	});

	test('what was read of a busy chat is not read again', async () => {
		for (let index = 0; index < 450; index++) await miss(`${index}`, 3_000 - index);
		await restart();
		await miss('new', -20);
		await advance();
		for (let pass = 0; pass < 3; pass++) {
			await miss('newer', 30);
			await control().clearRequests();
			await advance();
			expect((await operations()).filter((each) => each === 'chat.getMessages')).toHaveLength(1);
		}
	});

	test('a retry of a run that was cut off is not repeated', async () => {
		const id = await miss('cut off', 1_100);
		const trigger = await restart();
		const body = JSON.parse(messageBody({ id, body: 'cut off' })) as object;
		await trigger.execute([{ json: { ...body, event_id: 'event' } }], { mode: 'retry' });

		await advance(6);

		expect(caughtUp(trigger)).toEqual([]);
	});
});

test('a workflow that is published for the first time catches up nothing', async () => {
	await miss('before', 600);
	const trigger = await publish();

	await advance(6);

	expect(trigger.emitted).toBe(0);
});

test('the messages of another system on the host of n8n are left alone', async () => {
	const trigger = await publish();
	await api('POST', '/webhooks', {
		url: `${place.n8nUrl}/api/v1/webhook`,
		events: ['message.received'],
		timeout_seconds: 7,
	});
	await miss('for the other system');
	await advance(8);
	expect(caughtUp(trigger)).toEqual([]);
});
