import { REQUEST_HEADER } from '../../../nodes/MessagingChannel/trigger/sharing/internalRequest';
import { ran, runs, usePolling } from '../../support/engine/fetching';
import { textsOf } from '../../support/engine/trigger';
import { ago } from '../../support/engine/triggerClock';
import { untilSome } from '../../support/poll';

const { place, clock, endAll, api, operations, control, poller, start, publish, advance, write } =
	usePolling();

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
		await runs(trigger);

		const [item] = trigger.started[0] ?? [];
		const { event_id, delivered_at, fetched, ...body } = item?.json ?? {};
		const { json: deliveredJson = {} } = delivered.taken[0] ?? {};
		expect({ ...body, event_id: deliveredJson.event_id, delivered_at: deliveredJson.delivered_at }).toEqual(
			deliveredJson,
		);
		expect({ event_id, fetched }).toEqual({ event_id: `message ${messageId}`, fetched: true });
		expect(Math.abs(Date.parse(String(delivered_at)) - Date.now())).toBeLessThan(60_000);
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
		await runs(trigger);

		expect(ran(trigger)).toEqual(['wanted']);
		expect(trigger.emitted).toBe(1);
	});

	test('goes on with what waits for its execution when it is published again', async () => {
		const trigger = await publish();
		let end = () => {};
		trigger.whileRunning = async () => await new Promise((resolve) => (end = () => resolve('ends')));
		for (const text of ['one', 'two', 'three']) await write(text);
		await advance();
		await runs(trigger);
		expect(trigger.emitted).toBe(1);

		await endAll();
		trigger.whileRunning = async () => await Promise.resolve('ends');
		end();
		await trigger.deactivate();
		await trigger.activate('update');
		await start(trigger, 'update');
		await advance(15);
		await runs(trigger, 3);

		expect(ran(trigger)).toEqual(['one', 'two', 'three']);
	});

	test('responds to an event that there is nothing', async () => {
		const trigger = await publish();

		const attempt = await place.deliver({ url: `${place.n8nUrl}/webhook/${trigger.node.webhookId}/webhook` });

		expect(attempt).toMatchObject({ status: 404, responseBody: '{"error":"not_listening"}' });
		expect(trigger.taken).toEqual([]);
	});
});

describe('publishing refuses', () => {
	test('other events than messages, and n8n, which starts the loop all the same, gets none', async () => {
		const events = ['message.received', 'message.sent'];
		const trigger = await place.trigger({ parameters: { listen: 'poll', events } });

		await expect(trigger.activate()).rejects.toThrow('Polling finds only received messages');
		await start(trigger);
		await write('Hello');
		await advance(3);

		expect([ran(trigger), await control().requests()]).toEqual([[], []]);
	});

	test.each(['chats', 'messages'] as const)('a key that may not read the %s', async (records) => {
		await write('Hello');
		const trigger = await poller();
		const others = { chats: 'messages:read', messages: 'chats:read' } as const;
		trigger.credential.apiKey = (await control().createKey({ permissions: [others[records]] })).apiKey;

		await expect(trigger.activate()).rejects.toThrow(`The API key lacks the permission '${records}:read'`);
	});
});

test('an API key that the service refuses is told by a failed execution, once an hour', async () => {
	const TOLD = 'No messages arrive because the service refuses the API key in the credential of the trigger';
	const trigger = await publish();
	const { apiKey } = trigger.credential;
	await write('Hello');
	trigger.credential.apiKey = (await control().createKey({ permissions: ['messages:read'] })).apiKey;

	await advance(40);
	await untilSome(() => trigger.reported);
	expect(trigger.reported).toEqual([TOLD]);
	// By the loop, and by the execution.
	expect(trigger.log).toHaveLength(2);

	trigger.credential.apiKey = apiKey;
	await advance(12);
	await runs(trigger);
	expect(trigger.reported).toEqual([TOLD]);
});

test('a credential that n8n cannot read is told by a failed execution after five looks, and then once an hour', async () => {
	const TOLD = 'No messages arrive because n8n cannot read the credential of the trigger';
	const trigger = await publish();
	Object.defineProperty(trigger, 'credential', {
		get: () => {
			throw new Error('Credential with ID "1" does not exist for type "messagingChannelApi".');
		},
	});

	await advance(4);
	expect(trigger.reported).toEqual([]);
	await advance(1);
	await untilSome(() => trigger.reported);
	await advance(235);
	expect(trigger.reported).toEqual([TOLD]);
	await advance(10);
	await untilSome(() => trigger.reported, 2);

	expect(trigger.reported).toEqual([TOLD, TOLD]);
	expect(await operations()).toEqual([]);
});

describe('listening for a test event', () => {
	test('ends with the latest message that passes the filters', async () => {
		await write('older', { timestamp: ago(900) });
		await write('latest', { timestamp: ago(800) });
		await write('own', { fromMe: true, timestamp: ago(700) });
		await write('filtered', { from: '905554445566', timestamp: ago(600) });
		await write('without a keyword', { timestamp: ago(600) });

		const trigger = await poller({ chats: '905551112233', keywords: ['latest'], takeAnswers: true });
		expect(await trigger.activate('manual')).toBe(true);
		// n8n must be ready first.
		expect(trigger.taken).toEqual([]);

		const [item] = await untilSome(() => trigger.taken);
		expect(textsOf(item ? [item] : [])).toEqual(['latest']);
		expect(item?.json).toMatchObject({ fetched: true, account_id: 'account-1' });
		expect(await trigger.execute(trigger.taken, { mode: 'manual' })).toEqual(trigger.taken);
		expect(trigger.kept).toEqual({});
	});

	test.each(['reach', 'fetch'])(
		'responds to a request of its own (%s), and starts with no other message',
		async (kind) => {
			await write('Hello');
			const trigger = await poller({ chatType: 'group' });
			const url = `${place.n8nUrl}/webhook-test/${trigger.node.webhookId}/webhook`;
			const respond = async () => await place.deliver({ url, headers: { [REQUEST_HEADER]: kind } });
			const expected =
				kind === 'reach'
					? { status: 200, responseBody: '{}' }
					: { status: 503, responseBody: '{"error":"no_message"}' };

			expect(await respond()).toMatchObject(expected);
			trigger.credential.apiKey = 'revoked';
			expect(await respond()).toMatchObject(expected);
			expect(trigger.taken).toEqual([]);
			const reason =
				'Listens: the latest message could not be fetched for the test: The service rejected the API key';
			expect(trigger.log).toEqual(kind === 'fetch' ? [expect.stringContaining(reason)] : []);
		},
	);

	test('ends with it with the webhook too, when no event comes in time', async () => {
		await write('latest');
		const trigger = await place.trigger();
		await trigger.activate('manual');
		clock.reachLimit(20_000);

		const [item] = await untilSome(() => trigger.taken);
		expect(item?.json).toMatchObject({ fetched: true, message: { body: 'latest' } });
		await trigger.deactivate('manual');
	});
});
