import type { IDataObject, INodeParameters, WorkflowActivateMode } from 'n8n-workflow';

import { clock as clockOfTrigger } from '../../nodes/MessagingChannel/trigger/account/clock';
import { textsOf, useTrigger, type Trigger } from '../support/engine/trigger';
import { ago, useTriggerClock } from '../support/engine/triggerClock';
import type { Fault } from '../support/service/core/control';
import { eventually } from '../support/poll';
import { callerOf } from '../support/service/testing';

const place = useTrigger();
const api = callerOf(() => place.service);
const control = () => place.service.control;
const { operations } = place;

const INTERVAL_MS = 15_000;

const clock = useTriggerClock({ betweenTestsMs: 3_600_000, isPause: (ms) => ms === INTERVAL_MS });

const ends: Array<() => Promise<void>> = [];
afterEach(async () => {
	for (const end of ends.splice(0)) await end();
	expect(clock.pausing).toBe(0);
});

const poller = async (options: INodeParameters = {}, more: INodeParameters = {}) => {
	const parameters = { listen: 'poll', events: ['message.received'], options, ...more };
	return await place.trigger({ parameters });
};

/** Starts to poll, and waits for the first pass. */
const start = async (trigger: Trigger, activation: WorkflowActivateMode = 'activate') => {
	const before = clock.pausing;
	ends.push(await trigger.watch('trigger', activation));
	await clock.untilPausing(before + 1);
};
const publish = async (...settings: Parameters<typeof poller>) => {
	const trigger = await poller(...settings);
	await trigger.activate();
	await start(trigger);
	await control().clearRequests();
	return trigger;
};

/** Lets so many intervals pass, with a pass after each. */
const advance = async (intervals = 1) => await clock.advance(intervals, INTERVAL_MS);

const ran = ({ started }: Trigger) => textsOf(started.flat());
/** Waits for the executions of so many messages. */
const runs = async (trigger: Trigger, count: number) =>
	await eventually(
		() => ran(trigger),
		(texts) => texts.length >= count,
	);
const write = async (body: string, message: object = {}) =>
	await control().incomingMessage({ from: '905551112233', body, ...message });
/** What is kept of messages, without the marks that say how far back that goes. */
const kept = ({ workflowRow }: Trigger) => workflowRow.keys.filter((key) => key.includes('node'));

/** The messages that count as run. */
const ended = ({ workflowRow: { keys } }: Trigger) =>
	keys
		.flatMap((key) => /^known node (.*)/.exec(key)?.[1] ?? [])
		.filter((id) => !keys.includes(`open node ${id}`));

describe('a trigger that polls', () => {
	test('needs no signing secret, and leaves the webhook alone', async () => {
		const elsewhere = { url: 'http://127.0.0.1:9/hook', events: ['message.sent'], timeout_seconds: 7 };
		await api('POST', '/webhooks', elsewhere);
		await control().clearRequests();
		const trigger = await poller();
		trigger.credential.signingSecret = '';

		expect(await trigger.activate()).toBe(true);
		await start(trigger);
		await trigger.deactivate();

		expect(await operations()).toEqual(['account.get', 'chat.getAll', 'account.get', 'chat.getAll']);
		expect((await control().webhook()).config).toEqual({ ...elsewhere, is_active: true });
	});

	test('starts the workflow for a message, with what is delivered', async () => {
		const trigger = await publish();
		const delivered = await place.trigger();
		await delivered.activate();
		const { messageId } = await write('Hello', { media: { mimetype: 'image/png', bytes: 3 } });
		await control().idle();

		await advance();
		await runs(trigger, 1);

		const [item] = trigger.started[0] ?? [];
		const { event_id, delivered_at, fetched, ...body } = item?.json ?? {};
		const { json: deliveredJson = {} } = delivered.taken[0] ?? {};
		expect({ ...body, event_id: deliveredJson.event_id, delivered_at: deliveredJson.delivered_at }).toEqual(
			deliveredJson,
		);
		expect({ event_id, fetched }).toEqual({ event_id: `message ${messageId}`, fetched: true });
		expect(Math.abs(Date.parse(String(delivered_at)) - Date.now())).toBeLessThan(60_000);
	});

	test('makes one request at a time when nothing happens', async () => {
		await write('Before', { timestamp: ago(60) });
		await publish();

		await advance(4);

		expect(await operations()).toEqual(Array(4).fill('chat.getAll'));
	});

	test('starts the workflow once for each message, whatever comes into the chat later', async () => {
		const trigger = await publish();

		for (const text of ['one', 'two', 'three']) {
			await write(text);
			await advance(2);
		}
		await write('other', { from: '905554445566' });
		await advance(3);
		await runs(trigger, 4);

		expect(ran(trigger)).toEqual(['one', 'two', 'three', 'other']);
		expect(trigger.emitted).toBe(4);
	});

	test('starts with the oldest message of a chat', async () => {
		const trigger = await publish();
		for (const text of ['one', 'two', 'three']) await write(text);

		await advance();
		await runs(trigger, 3);

		expect(ran(trigger)).toEqual(['one', 'two', 'three']);
	});

	test('never starts with messages of the account itself, and filters', async () => {
		const chats = '905551112233';
		const keywords = ['wanted'];
		const trigger = await publish({ ignoreOwnMessages: false, chats, messageTypes: 'chat', keywords });
		await write('nothing');
		await write('own wanted', { fromMe: true });
		await write('wanted elsewhere', { from: '905554445566' });
		await write('a wanted picture', { type: 'image' });
		await write('wanted');

		await advance();
		await runs(trigger, 1);

		expect(ran(trigger)).toEqual(['wanted']);
		expect(trigger.emitted).toBe(1);
	});

	test('reads many chats in several passes', async () => {
		const trigger = await publish();
		const numbers = Array.from({ length: 130 }, (_, index) => `90555${1_000_000 + index}`);
		await control().configure({ rateLimit: { limit: 10_000, windowSeconds: 60 } });
		for (const from of numbers) await write(from, { from });

		await advance();
		await runs(trigger, 130);

		expect(new Set(ran(trigger))).toEqual(new Set(numbers));
		expect(trigger.emitted).toBe(130);
	});

	test('takes no chat for one of a type that nobody can read, and tells it', async () => {
		const trigger = await publish({ chatType: 'individual' });
		await write('Hello');
		const { body } = await api('GET', '/chats');
		const data = (body.data as object[]).map((chat) => ({ ...chat, type: 2 }));
		const answer: Fault = { kind: 'status', status: 200, body: { success: true, data }, times: 'always' };
		await control().addFault({ ...answer, operationId: 'chat.getAll' });

		await advance(3);

		expect(ran(trigger)).toEqual([]);
		expect(trigger.reported).toEqual([
			"The service sends 'chat.type' in a form that is not understood: a number like 9",
		]);
		expect(trigger.log).toHaveLength(1);
	});

	test('goes on when the service is back, and the log says once what was wrong', async () => {
		const trigger = await publish();
		await control().addFault({ kind: 'status', status: 500, times: 'always' });
		await write('Hello');
		await advance(3);
		await control().clearFaults();

		await advance();
		await runs(trigger, 1);

		expect(ran(trigger)).toEqual(['Hello']);
		expect(trigger.log).toEqual([
			'Listens: new messages could not be fetched: The service could not process the request',
		]);
	});

	test('reads the other chats when some can never be read, and asks for those less and less often', async () => {
		const trigger = await publish();
		const broken = ['905550000001', '905550000002', '905550000003', '905550000004'];
		for (const from of broken) {
			await control().addFault({
				path: `/chats/${from}%40c.us/messages`,
				kind: 'status',
				status: 404,
				times: 'always',
			});
			await write('lost', { from });
		}
		await write('Hello', { timestamp: ago(-5) });

		await advance(3);
		await runs(trigger, 1);
		await advance(20);
		await control().clearRequests();
		await advance(20);

		expect(ran(trigger)).toEqual(['Hello']);
		expect(trigger.log).toHaveLength(1);
		const reads = (await operations()).filter((each) => each === 'chat.getMessages');
		expect(reads.length).toBeGreaterThan(0);
		expect(reads.length).toBeLessThanOrEqual(2 * broken.length);
	});

	test('starts the messages of a chat although those of another take long', async () => {
		const trigger = await publish();
		trigger.whileRunning = async ([item]) =>
			await new Promise((resolve) => textsOf(item ? [item] : [])[0] === 'quick' && resolve('ends'));
		for (const body of ['slow', 'slow too']) await write(body);
		await advance();
		await runs(trigger, 1);

		await write('quick', { from: '905554445566' });
		await advance();
		await runs(trigger, 2);

		expect(ran(trigger)).toEqual(['slow', 'quick']);
	});

	test('finds a message that comes in the second in which the chat was read', async () => {
		const trigger = await publish();
		const timestamp = ago(-15);
		await write('one', { timestamp });
		await advance();
		await runs(trigger, 1);
		await write('two', { timestamp });

		await advance(2);
		await runs(trigger, 2);
		await control().clearRequests();
		await advance(2);

		expect(ran(trigger)).toEqual(['one', 'two']);
		expect(await operations()).toEqual(['chat.getAll', 'chat.getAll']);
	});

	test('leaves the messages alone that came into another account before the credential was changed to it', async () => {
		const trigger = await publish();
		await advance(4);
		await write('before', { timestamp: ago(20) });
		await control().setAccount({ id: 'account-2' });
		const permissions = ['chats:read', 'messages:read'] as const;
		trigger.credential.apiKey = (await control().createKey({ permissions: [...permissions] })).apiKey;
		await advance(2);
		await write('after');
		await advance(15);
		await runs(trigger, 1);

		expect(ran(trigger)).toEqual(['after']);
		expect(trigger.started[0]?.[0]?.json).toMatchObject({ account_id: 'account-2' });
	});

	test('goes on with what waits for its execution when it is published again', async () => {
		const trigger = await publish();
		let end = () => {};
		trigger.whileRunning = async () => await new Promise((resolve) => (end = () => resolve('ends')));
		for (const text of ['one', 'two', 'three']) await write(text);
		await advance();
		await runs(trigger, 1);
		expect(trigger.emitted).toBe(1);

		for (const close of ends.splice(0)) await close();
		trigger.whileRunning = async () => await Promise.resolve('ends');
		end();
		await trigger.deactivate();
		await trigger.activate('update');
		await start(trigger, 'update');
		await advance(15);
		await runs(trigger, 3);

		expect(ran(trigger)).toEqual(['one', 'two', 'three']);
	});

	test('stops when it is unpublished', async () => {
		await publish();
		for (const end of ends.splice(0)) await end();

		expect(clock.pausing).toBe(0);
		expect(await operations()).toEqual([]);
	});

	test('responds to an event that there is nothing', async () => {
		const trigger = await publish();

		const attempt = await place.deliver({ url: `${place.n8nUrl}/webhook/${trigger.node.webhookId}/webhook` });

		expect(attempt).toMatchObject({ status: 404, responseBody: '{"error":"not_listening"}' });
		expect(trigger.taken).toEqual([]);
	});
});

describe('publishing refuses', () => {
	test.each<[string, INodeParameters, string]>([
		[
			'other events',
			{ events: ['message.received', 'message.status'] },
			"Polling finds only received messages. Select only 'Message Received' in 'Events', or set 'Listen By' to 'Webhook' to get the other events.",
		],
		['a short interval', { pollInterval: 4 }, "'Poll Interval (Seconds)' is too small: 4. Enter 5 or more."],
		[
			'an interval in milliseconds',
			{ pollInterval: '={{ 3600 * 1000 }}' },
			"'Poll Interval (Seconds)' is too large: 3600000. Enter 86400 or less.",
		],
		['chats that nobody can read', { options: { chats: 'Ada' } }, "'Chats' contains neither a phone number"],
		[
			'a filter whose expression gives nothing',
			{ options: { chatType: '={{ null }}' } },
			"'Chat Type' has an expression that gives nothing.",
		],
	])('%s, without a request', async (_, parameters, words) => {
		const trigger = await poller({}, parameters);

		await expect(trigger.activate()).rejects.toThrow(words);

		expect(await control().requests()).toEqual([]);
	});

	test('a key that may not read the chats', async () => {
		const trigger = await poller();
		trigger.credential.apiKey = (await control().createKey({ permissions: ['messages:read'] })).apiKey;

		await expect(trigger.activate()).rejects.toThrow("The API key lacks the permission 'chats:read'");
	});

	test('a key that may not read the messages', async () => {
		await write('Hello');
		const trigger = await poller();
		trigger.credential.apiKey = (await control().createKey({ permissions: ['chats:read'] })).apiKey;

		await expect(trigger.activate()).rejects.toThrow("The API key lacks the permission 'messages:read'");
	});
});

describe('after a restart', () => {
	/** A trigger that was published half an hour ago, in a process that knows of nothing that ran. */
	const restarted = async (options: INodeParameters = {}, minutes = 30) => {
		const trigger = await poller(options);
		await trigger.activate();
		trigger.kept.listeningSince = Date.now() - minutes * 60_000;
		return trigger;
	};
	const ranKeys = (id: string) => ['began', `known node ${id}`];

	test('starts with what did not run, once it has been missing for a while', async () => {
		const { messageId } = await write('ran', { timestamp: ago(600) });
		await write('missed', { timestamp: ago(500) });
		const trigger = await restarted();
		trigger.workflowRow.keys = ranKeys(messageId);

		await trigger.activate('init');
		await start(trigger, 'init');
		await advance(9);
		expect(ran(trigger)).toEqual([]);
		await advance(2);
		await runs(trigger, 1);
		await advance(15);

		expect(ran(trigger)).toEqual(['missed']);
		// The two look-ups, and the message.
		expect(trigger.emitted).toBe(3);
	});

	test('leaves a message alone that another process has run meanwhile', async () => {
		const { messageId } = await write('slow', { timestamp: ago(600) });
		const trigger = await restarted();
		await start(trigger, 'init');
		// After the first look-up, and before the second.
		await advance(5);
		trigger.workflowRow.keys = ranKeys(messageId);

		await advance(10);

		expect(ran(trigger)).toEqual([]);
		expect(trigger.emitted).toBe(2);
	});

	test.each<[string, number, INodeParameters, WorkflowActivateMode]>([
		['before the workflow was published', 31, {}, 'init'],
		['longer ago than the limit', 25, { catchUp: 20 }, 'init'],
		['and is not wanted', 1, { catchUp: 0 }, 'init'],
		['while the workflow was not published', 1, {}, 'activate'],
		['before the workflow was created', 1, {}, 'create'],
	])('leaves what came %s', async (_, minutes, options, activation) => {
		await write('old', { timestamp: ago(minutes * 60) });
		const trigger = await restarted(options);
		await start(trigger, activation);

		await advance(15);

		expect(ran(trigger)).toEqual([]);
	});

	test('starts with what came while the service could not be reached for longer than the limit', async () => {
		await write('missed', { timestamp: ago(600) });
		const trigger = await restarted({ catchUp: 20 });
		await control().addFault({ kind: 'status', status: 500, times: 'always' });
		await start(trigger, 'init');
		await advance(100);
		await control().clearFaults();

		await advance(15);
		await runs(trigger, 1);

		expect(ran(trigger)).toEqual(['missed']);
	});

	test('listens from then on, also if n8n was killed while it published the workflow', async () => {
		const trigger = await poller();
		await trigger.activate('init');

		expect(trigger.kept.listeningSince).toBeGreaterThan(Date.now() - 60_000);
		const since = trigger.kept.listeningSince;
		await advance(2);
		await trigger.activate('init');
		expect(trigger.kept.listeningSince).toBe(since);
	});

	test('starts with what comes when the clock was set back since the workflow was published', async () => {
		const trigger = await restarted();
		trigger.kept.listeningSince = Date.now() + 10_800_000;
		await trigger.activate('init');
		await start(trigger, 'init');
		await write('new');

		await advance(15);
		await runs(trigger, 1);

		expect(ran(trigger)).toEqual(['new']);
	});

	test('starts with what was missed at the next restart after the clock was set back', async () => {
		const trigger = await restarted();
		trigger.kept.listeningSince = Date.now() + 10_800_000;
		await trigger.activate('init');
		await advance(10);
		await write('missed');
		await advance(10);
		await trigger.activate('init');
		await start(trigger, 'init');

		await advance(15);
		await runs(trigger, 1);

		expect(ran(trigger)).toEqual(['missed']);
	});

	test('starts with what comes when the clock was set back before the service could be reached', async () => {
		const trigger = await restarted();
		await control().addFault({ kind: 'status', status: 500, times: 'always' });
		const now = jest.mocked(clockOfTrigger.now).mockImplementation(() => Date.now() + 50_400_000);
		await trigger.activate('init');
		await start(trigger, 'init');
		now.mockImplementation(() => Date.now());
		await control().clearFaults();
		await write('new');

		await advance(15);
		await runs(trigger, 1);

		expect(ran(trigger)).toEqual(['new']);
	});

	test('starts with what was missed if it is not known for which account the workflow was published', async () => {
		await write('missed', { timestamp: ago(500) });
		const trigger = await restarted();
		delete trigger.kept.accountId;
		await start(trigger, 'init');

		await advance(15);
		await runs(trigger, 1);

		expect(ran(trigger)).toEqual(['missed']);
	});

	test('starts with what came while a new version was published', async () => {
		await write('in between', { timestamp: ago(5) });
		const trigger = await restarted();
		await trigger.activate('update');
		await start(trigger, 'update');

		await advance(15);
		await runs(trigger, 1);

		expect(ran(trigger)).toEqual(['in between']);
	});

	test('starts with what came since the last pass when it is published with other filters, and nothing older', async () => {
		await write('older', { timestamp: ago(40) });
		await write('since the last pass', { timestamp: ago(10) });
		const trigger = await restarted({ chats: '905554445566' });
		await trigger.deactivate();
		trigger.node.parameters.options = {};
		await trigger.activate('update');
		await start(trigger, 'update');

		await advance(15);
		await runs(trigger, 1);

		expect(ran(trigger)).toEqual(['since the last pass']);
	});

	test('starts with nothing that the database cannot be asked about, and tries again', async () => {
		await write('missed', { timestamp: ago(500) });
		const trigger = await restarted();
		trigger.workflowRow.isBroken = true;
		await start(trigger, 'init');
		await advance(12);
		expect(ran(trigger)).toEqual([]);
		trigger.workflowRow.isBroken = false;

		await advance(15);
		await runs(trigger, 1);

		expect(ran(trigger)).toEqual(['missed']);
		expect(trigger.log).toContain(
			'Listens: new messages could not be fetched: n8n could not look up which messages ran',
		);
	});

	test('of executions that n8n refuses to start, starts ever fewer, and then one for each message', async () => {
		const trigger = await publish();
		trigger.failsEmitted = true;
		await write('one');
		await write('two', { from: '905554445566' });
		// An hour.
		await advance(240);
		expect(ran(trigger)).toEqual([]);
		expect(trigger.emitted).toBeLessThanOrEqual(2 + 7);
		trigger.failsEmitted = false;
		await write('three');
		await advance(1);
		await runs(trigger, 1);

		await advance(240);
		await runs(trigger, 3);

		expect(ran(trigger).sort()).toEqual(['one', 'three', 'two']);
		expect(trigger.log).toEqual([
			'Listens: new messages could not be fetched: n8n could not look up which messages ran',
		]);
	});

	test('gives up a message during which n8n was ended three times', async () => {
		const { messageId } = await write('poison', { timestamp: ago(500) });
		const trigger = await restarted();
		trigger.workflowRow.keys = ['began', ...[1, 2, 3].map((count) => `try ${count} node ${messageId}`)];
		await start(trigger, 'init');

		await advance(15);

		expect(ran(trigger)).toEqual([]);
		expect(trigger.log).toEqual([
			`Listens: the message ${messageId} does not run again, because n8n was ended three times while it ran`,
		]);
		// Otherwise each look-up of a main process, which knows nothing of the workers, would start it again.
		expect(ended(trigger)).toEqual([messageId]);
	});
});

describe('an API key that the service refuses', () => {
	const TOLD = 'No messages arrive because the service refuses the API key in the credential of the trigger';

	test.each([
		['was revoked', undefined],
		["lacks the permission 'chats:read'", ['messages:read'] as const],
		["lacks the permission 'messages:read'", ['chats:read'] as const],
	])('because it %s is told by a failed execution, once an hour', async (_, permissions) => {
		const trigger = await publish();
		const { apiKey } = trigger.credential;
		await write('Hello');
		const other = permissions && (await control().createKey({ permissions: [...permissions] })).apiKey;
		trigger.credential.apiKey = other ?? 'revoked';

		await advance(40);
		await eventually(
			() => trigger.reported.length,
			(count) => count === 1,
		);
		expect(trigger.reported).toEqual([TOLD]);
		expect(trigger.log).toHaveLength(1);

		trigger.credential.apiKey = apiKey;
		await advance(12);
		await runs(trigger, 1);
		expect(trigger.reported).toEqual([TOLD]);
	});
});

describe('a credential that n8n cannot read', () => {
	/** A trigger whose credential was deleted. */
	const withoutCredential = async () => {
		const trigger = await publish();
		const { credential } = trigger;
		Object.defineProperty(trigger, 'credential', {
			configurable: true,
			get: () => {
				throw new Error('Credential with ID "1" does not exist for type "messagingChannelApi".');
			},
		});
		const regain = () =>
			Object.defineProperty(trigger, 'credential', { configurable: true, value: credential });
		return { trigger, regain };
	};
	const TOLD = 'No messages arrive because n8n cannot read the credential of the trigger';

	test('is told by a failed execution after five looks, and then once an hour', async () => {
		const { trigger } = await withoutCredential();

		await advance(4);
		expect(trigger.reported).toEqual([]);
		await advance(1);
		await eventually(
			() => trigger.reported.length,
			(count) => count === 1,
		);
		await advance(235);
		expect(trigger.reported).toEqual([TOLD]);
		await advance(10);
		await eventually(
			() => trigger.reported.length,
			(count) => count > 1,
		);

		expect(trigger.reported).toEqual([TOLD, TOLD]);
		expect(await operations()).toEqual([]);
	});

	test('is told of no more once it can be read, and what came in meanwhile runs', async () => {
		const { trigger, regain } = await withoutCredential();
		await advance(4);
		await write('meanwhile');
		regain();
		await advance(2);
		await runs(trigger, 1);

		expect(ran(trigger)).toEqual(['meanwhile']);
		expect(trigger.reported).toEqual([]);
	});
});

describe('a run', () => {
	test('is recorded when it ends, and not before', async () => {
		const trigger = await publish();
		let end = () => {};
		trigger.whileRunning = async () => await new Promise((resolve) => (end = () => resolve('ends')));
		const { messageId } = await write('Hello');
		await advance();
		await runs(trigger, 1);
		expect(kept(trigger)).toContain(`try 1 node ${messageId}`);
		expect(ended(trigger)).toEqual([]);

		end();

		const ids = await eventually(
			() => ended(trigger),
			({ length }) => length > 0,
		);
		expect(ids).toEqual([messageId]);
	});

	test('is not recorded when n8n cuts it off to shut down', async () => {
		const trigger = await publish();
		let stop = () => {};
		trigger.whileRunning = async () => await new Promise((resolve) => (stop = () => resolve('is stopped')));
		await write('Hello');
		await advance();
		await runs(trigger, 1);

		for (const close of ends.splice(0)) await close();
		stop();
		await new Promise((resolve) => setTimeout(resolve, 50));

		expect(ended(trigger)).toEqual([]);
	});

	test('is recorded when somebody stops it', async () => {
		const trigger = await publish();
		trigger.whileRunning = async () => await Promise.resolve('is stopped');
		await write('Hello');
		await advance();

		expect(
			await eventually(
				() => ended(trigger),
				({ length }) => length > 0,
			),
		).toHaveLength(1);
	});

	test('is recorded after two minutes, because it may go on in another process', async () => {
		const trigger = await publish();
		trigger.whileRunning = async () => await new Promise(() => undefined);
		const { messageId } = await write('Hello');
		await advance();
		await runs(trigger, 1);

		clock.reachLimit(120_000);

		await eventually(
			() => ended(trigger),
			(ids) => ids.includes(messageId),
		);
	});

	test('is recorded soon by an n8n that does not tell of its end', async () => {
		const trigger = await publish();
		const json = { event: 'message.received', event_id: 'message 1', message: { id: '1' }, fetched: true };

		expect(await trigger.execute([{ json }], { mode: 'trigger', tellsEnd: false })).toEqual([{ json }]);

		await eventually(
			() => ended(trigger),
			(ids) => ids.includes('1'),
		);
	});

	test('is recorded before n8n exits, if it ends while n8n shuts down', async () => {
		const trigger = await publish();
		for (const close of ends.splice(0)) await close();
		const json = { event: 'message.received', event_id: 'message 1', message: { id: '1' }, fetched: true };

		await trigger.execute([{ json }], { mode: 'trigger' });

		expect(ended(trigger)).toEqual(['1']);
	});

	test('happens although the database fails, and the log says that it could not be asked and recorded', async () => {
		const trigger = await publish();
		trigger.workflowRow.isBroken = true;
		await write('Hello');
		await advance();
		await runs(trigger, 1);

		expect(ran(trigger)).toEqual(['Hello']);
		expect(
			await eventually(
				() => trigger.log,
				({ length }) => length > 1,
			),
		).toEqual([
			expect.stringMatching(
				/^Listens: the database could not be asked whether the message \S+ ran before, so it may run twice$/,
			),
			'Listens: the database could not record which messages ran, so some may run again after a restart',
		]);
	});

	test('goes on in one execution alone, however long it takes', async () => {
		const trigger = await publish();
		trigger.whileRunning = async () => await new Promise(() => undefined);
		await write('Hello');
		await advance();
		await runs(trigger, 1);
		const [items = []] = trigger.started;

		clock.skip(900_000);

		expect(await trigger.execute(items, { mode: 'trigger', id: 'other' })).toEqual([]);
	});

	test('happens once in an execution that runs the node again, and in no other', async () => {
		const trigger = await publish();
		await write('Hello');
		await advance();
		await runs(trigger, 1);
		const [items = []] = trigger.started;

		expect(await trigger.execute(items, { mode: 'trigger', id: 'emitted-1' })).toEqual(items);
		expect(await trigger.execute(items, { mode: 'trigger', id: 'other' })).toEqual([]);
	});
});

describe('listening for a test event', () => {
	const listen = async (options?: INodeParameters) => {
		const trigger = await poller(options);
		return { trigger, listening: trigger.activate('manual') };
	};

	test('ends with the latest message that passes the filters', async () => {
		await write('older', { timestamp: ago(900) });
		await write('latest', { timestamp: ago(800) });
		await write('own', { fromMe: true, timestamp: ago(700) });
		await write('filtered', { from: '905554445566', timestamp: ago(600) });
		await write('without a keyword', { timestamp: ago(600) });

		const { trigger, listening } = await listen({ chats: '905551112233', keywords: ['latest'] });
		expect(await listening).toBe(true);
		// n8n must be ready first.
		expect(trigger.taken).toEqual([]);

		const [item] = await eventually(
			() => trigger.taken,
			({ length }) => length > 0,
		);
		expect(textsOf(item ? [item] : [])).toEqual(['latest']);
		expect(item?.json).toMatchObject({ fetched: true, account_id: 'account-1' } satisfies IDataObject);
		expect(await trigger.execute(trigger.taken, { mode: 'manual' })).toEqual(trigger.taken);
		expect(trigger.kept).toEqual({});
	});

	test('ends with it with the webhook too, when no event comes in time', async () => {
		await write('latest');
		const trigger = await place.trigger();
		await trigger.activate('manual');
		clock.reachLimit(20_000);

		const [item] = await eventually(
			() => trigger.taken,
			({ length }) => length > 0,
		);
		expect(item?.json).toMatchObject({ fetched: true, message: { body: 'latest' } });
		await trigger.deactivate('manual');
	});

	test('fails at once when there is no message', async () => {
		const { listening } = await listen();

		await expect(listening).rejects.toThrow(
			'There is no received message to test with. Send a message to the account from another phone, then listen again. Filters of the trigger count here, too.',
		);
	});

	test.each<[string, Fault[]]>([
		['there is none', []],
		['the service fails', [{ kind: 'status', status: 404, times: 'always' }]],
	])('says so when the latest message is asked for and %s', async (_, faults) => {
		const trigger = await poller();
		for (const fault of faults) await control().addFault(fault);

		const attempt = await place.deliver({
			url: `${place.n8nUrl}/webhook-test/${trigger.node.webhookId}/webhook`,
			headers: { 'x-messaging-channel-request': 'fetch' },
		});

		expect(attempt).toMatchObject({ status: 503, responseBody: '{"error":"no_message"}' });
		expect(trigger.taken).toEqual([]);
	});

	test('fails at once when n8n cannot reach itself', async () => {
		await write('Hello');
		const parameters = { listen: 'poll', events: ['message.received'] };
		const trigger = await place.trigger({ parameters, n8nUrl: 'http://127.0.0.1:9' });

		await expect(trigger.activate('manual')).rejects.toThrow(
			/^n8n cannot reach its own URL http:\/\/127\.0\.0\.1:9\/webhook-test\/\S+ to start the test\. Set n8n's environment variable N8N_WEBHOOK_URL/,
		);
	});
});
