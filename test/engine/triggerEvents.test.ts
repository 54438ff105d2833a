import type { WorkflowActivateMode } from 'n8n-workflow';

import { clock } from '../../nodes/MessagingChannel/trigger/account/clock';
import { eventually } from '../support/poll';
import { callerOf } from '../support/service/testing';
import { messageBody, useTrigger, type Trigger } from '../support/engine/trigger';

const place = useTrigger();
const ALL = ['connection.connected', 'message.received', 'message.sent', 'message.status'];
const OK = { status: 200, responseBody: '' };

/** A trigger that is registered and knows its account. */
const listen = async (options: object = {}, events = ALL, mode: WorkflowActivateMode = 'activate') => {
	const trigger = await place.trigger({ parameters: { events, options: { ...options } } });
	await trigger.activate(mode);
	return trigger;
};

/** Moves the clocks on. */
const later = (ms: number) => {
	const [now, elapsed] = [Date.now(), clock.elapsed()];
	jest.spyOn(Date, 'now').mockImplementation(() => now + ms);
	jest.spyOn(clock, 'elapsed').mockImplementation(() => elapsed + ms);
};

/** So long after a look at the credential, it is looked at again. */
const twoSecondsLater = () => later(2_000);
afterEach(() => jest.restoreAllMocks());

const { config } = place;

const rotatedSecret = async () => {
	await callerOf(() => place.service)('POST', '/webhooks/rotate-secret');
	return (await place.service.control.webhook()).secret;
};

/** Delivers an event, and returns once n8n has it and waits to be told what to answer. */
async function deliverHeld({ answers }: Trigger, delivery: Parameters<typeof place.deliver>[0]) {
	let answer: (status: number) => void = () => {};
	answers.push(new Promise((resolve) => (answer = resolve)));
	const delivered = place.deliver(delivery);
	await eventually(
		() => answers,
		({ length }) => length === 0,
	);
	return { delivered, answer };
}

describe('an event', () => {
	test('starts the workflow with what was signed, its id and the time of its delivery', async () => {
		const trigger = await listen();
		const body = messageBody({ body: 'Café 👋' }, { new_field: { nested: [1] } });

		const { headers, status } = await place.deliver({ body, eventId: 'event-1' });

		expect(status).toBe(200);
		const deliveredAt = new Date(Number(headers['X-Service-Timestamp']) * 1000).toISOString();
		expect(trigger.taken.map(({ json }) => json)).toEqual([
			{ ...(JSON.parse(body) as object), event_id: 'event-1', delivered_at: deliveredAt },
		]);
		expect(trigger.log).toEqual([]);
	});

	test('that was not selected is answered and starts nothing', async () => {
		const trigger = await listen({}, ['message.sent']);

		expect(await place.deliver()).toMatchObject(OK);

		expect(trigger.taken).toEqual([]);
		expect(trigger.log).toEqual([]);
	});

	test('is taken where the expressions of all options but filters give nothing, and that of the events gives a text', async () => {
		const nothing = '={{ null }}';
		const options = {
			ignoreOwnMessages: nothing,
			timeoutSeconds: nothing,
			catchUp: nothing,
			combineEvents: nothing,
			ifWebhookExists: nothing,
		};
		const events = '={{ "message.received, message.status" }}';
		const trigger = await place.trigger({ parameters: { events, options } });
		await trigger.activate();
		const status = messageBody({ status: 'read' }, { event: 'message.status' });

		expect(await config()).toMatchObject({
			events: ['message.received', 'message.status'],
			timeout_seconds: 30,
		});
		await place.deliver({ body: messageBody({ from_me: true }) });
		await place.deliver({ body: messageBody({ body: 'taken' }) });
		await place.deliver({ event: 'message.status', body: status });
		expect(trigger.taken).toMatchObject([
			{ json: { message: { body: 'taken' } } },
			{ json: { message: { status: 'read' } } },
		]);
		expect(trigger.kept.listeningSince).toEqual(expect.any(Number));
	});

	test.each([
		['perChat', 'silence'],
		['whenBusy', 'maxEvents'],
	])('is taken with %s where the expression of %s gives nothing', async (combineEvents, option) => {
		const trigger = await listen({ combineEvents, [option]: '={{ null }}' });
		jest.spyOn(clock, 'sleep').mockResolvedValue();

		expect(await place.deliver()).toMatchObject(OK);

		expect(trigger.taken).toHaveLength(1);
	});

	test('is taken where expressions give the switches as text', async () => {
		const options = {
			ignoreOwnMessages: '={{ "false" }}',
			takeAnswers: '={{ "false" }}',
			downloadMedia: '={{ "false" }}',
		};
		const trigger = await listen(options);
		await place.deliver({ body: messageBody({ from_me: true, has_media: true }) });

		expect(trigger.taken).toHaveLength(1);
		expect(await trigger.execute(trigger.taken)).toEqual(trigger.taken);
	});

	test.each([
		['={{ null }}', 'is empty'],
		['={{ "messages" }}', 'contains an unknown event'],
	])('is not acknowledged, but told, when the events become %s after publishing', async (events, words) => {
		const trigger = await listen();
		trigger.node.parameters.events = events;

		const { status } = await place.deliver();

		expect(status).toBe(500);
		expect(trigger.taken).toEqual([]);
		expect(trigger.failed.splice(0)).toEqual([expect.stringContaining(`'Events' ${words}`)]);
	});

	test.each([
		['chats', 'Chats'],
		['chatType', 'Chat Type'],
		['messageTypes', 'Message Types'],
		['statuses', 'Statuses'],
	])(
		'is neither waited for nor acknowledged when the expression of %s gives nothing',
		async (option, name) => {
			const options = { [option]: '={{ $vars.unknown }}' };
			const words = `'${name}' has an expression that gives nothing. Correct it.`;
			const unpublished = await place.trigger({ parameters: { events: ALL, options } });
			await expect(unpublished.activate()).rejects.toThrow(words);
			expect(await config()).toBeNull();

			const trigger = await listen();
			trigger.node.parameters.options = options;

			expect(await place.deliver()).toMatchObject({ status: 500 });
			expect(trigger.taken).toEqual([]);
			expect(trigger.failed.splice(0)).toEqual([expect.stringContaining(words)]);
		},
	);

	test.each(['={{ null }}', '={{ "" }}', '={{ [] }}', '={{ undefined }}', '={{ " " }}', '={{ [""] }}'])(
		'is not waited for when the events are %s',
		async (events) => {
			const trigger = await place.trigger({ parameters: { events } });

			await expect(trigger.activate()).rejects.toThrow("'Events' is empty. Select at least one event");
			expect(await config()).toBeNull();
		},
	);

	test('is taken of the type that the panel starts with, and no other', async () => {
		const trigger = await place.trigger({ parameters: { events: ['message.received'] } });
		await trigger.activate();

		await place.deliver({ body: messageBody({ from_me: true }) });
		expect(trigger.taken).toEqual([]);
		await place.deliver({ body: messageBody({ type: 'image' }, { chat: { id: 'a', type: 'group' } }) });
		await place.deliver({ body: messageBody({}, { event: 'message.sent' }) });

		expect(trigger.taken).toHaveLength(1);
	});

	test.each<[string, object, number]>([
		['own messages', { ignoreOwnMessages: false }, 1],
		['another type of chat', { chatType: 'group', ignoreOwnMessages: false }, 0],
		['another chat', { chats: '905551119999', ignoreOwnMessages: false }, 0],
		['another type of message', { messageTypes: 'image', ignoreOwnMessages: false }, 0],
	])('is filtered by what the options say of %s', async (_, options, count) => {
		const trigger = await listen(options);

		expect(await place.deliver({ body: messageBody({ from_me: true }) })).toMatchObject(OK);

		expect(trigger.taken).toHaveLength(count);
	});

	test('is not answered 200 when an expression gives a chat that cannot be read, and the execution says why', async () => {
		const trigger = await listen({ chats: '={{ "Ada" }}' }, ALL, 'init');
		const delivery = { body: messageBody(), eventId: 'event-1' };

		expect(await place.deliver(delivery)).toMatchObject({ status: 500 });

		expect(trigger.taken).toEqual([]);
		expect(trigger.failed.splice(0)).toEqual([
			"'Chats' contains neither a phone number nor a chat ID: 'Ada'. Enter a phone number with its country code, e.g. +90 555 123 45 67, or a chat ID, e.g. 905551234567@c.us.",
		]);
		trigger.node.parameters = { events: ALL, options: { chats: '={{ 905551112233 }}' } };
		expect(await place.deliver(delivery)).toMatchObject({ status: 200 });
		expect(trigger.taken).toHaveLength(1);
	});

	/** With a key of its own, because the process remembers whose a key is. */
	const listenWithOwnKey = async () => {
		const trigger = await place.trigger({ parameters: { events: ALL } });
		trigger.credential.apiKey = (await place.service.control.createKey({ permissions: [] })).apiKey;
		await trigger.activate();
		return trigger;
	};
	const ofAccount = (account_id: string) => ({ body: messageBody({}, { account_id }), eventId: account_id });
	const DROPPED =
		/^Listens in workflow workflow-\d+: An event was dropped because it belongs to a different account than the API key in the credential$/;
	const askedForAccount = async () =>
		(await place.service.control.requests({ operationId: 'account.get' })).length;

	test('of another account is dropped, and the log and an execution say so', async () => {
		const trigger = await listenWithOwnKey();

		expect(await place.deliver(ofAccount('account-2'))).toMatchObject(OK);

		expect(trigger.taken).toEqual([{ json: { former_account: 'account-2' } }]);
		expect(trigger.log).toEqual([expect.stringMatching(DROPPED)]);
	});

	test('is taken when the API key is another account’s now, and the log says so', async () => {
		const trigger = await listenWithOwnKey();
		await place.service.control.setAccount({ id: 'account-2' });

		for (const id of ['one', 'two'])
			expect(await place.deliver({ ...ofAccount('account-2'), eventId: id })).toMatchObject(OK);

		expect(trigger.taken).toHaveLength(2);
		expect(trigger.log).toEqual([
			expect.stringContaining("belongs to the account 'account-2' now, and before to 'account-1'"),
		]);
	});

	test('of another account has the service asked once a minute, and is delivered again meanwhile', async () => {
		const trigger = await listenWithOwnKey();
		await place.service.control.clearRequests();

		expect(await place.deliver(ofAccount('account-2'))).toMatchObject(OK);
		for (let time = 0; time < 9; time++)
			expect(await place.deliver(ofAccount('account-3'))).toMatchObject({ status: 503 });
		expect(await askedForAccount()).toBe(1);

		// The service changes the ID under the same key.
		await place.service.control.setAccount({ id: 'account-3' });
		later(60_000);
		expect(await place.deliver(ofAccount('account-3'))).toMatchObject(OK);
		expect(await askedForAccount()).toBe(2);
		expect(trigger.taken).toEqual([
			{ json: { former_account: 'account-2' } },
			{ json: expect.objectContaining({ account_id: 'account-3' }) },
		]);
	});

	test('of the account of a new API key is taken, whatever was known of the key before', async () => {
		const trigger = await listenWithOwnKey();
		expect(await place.deliver(ofAccount('account-2'))).toMatchObject(OK);
		trigger.taken.length = 0;
		await place.service.control.setAccount({ id: 'account-2' });
		trigger.credential.baseUrl += '/';

		expect(await place.deliver(ofAccount('account-2'))).toMatchObject(OK);

		expect(trigger.taken).toHaveLength(1);
	});

	test('is delivered again as long as nobody can say whose the API key is', async () => {
		const trigger = await listenWithOwnKey();
		await place.service.control.addFault({
			operationId: 'account.get',
			kind: 'status',
			status: 500,
			times: 2,
		});
		const delivery = { body: messageBody({}, { account_id: 'account-2' }), eventId: 'event' };

		for (const status of [503, 503, 200]) expect(await place.deliver(delivery)).toMatchObject({ status });

		expect(trigger.taken).toEqual([{ json: { former_account: 'account-2' } }]);
		expect(trigger.log).toEqual([expect.stringContaining('An event was dropped')]);
	});

	test('is delivered again when the service takes minutes to say whose the API key is', async () => {
		await listenWithOwnKey();
		await place.service.control.addFault({ operationId: 'account.get', kind: 'delay', ms: 60_000 });
		const begun = Date.now();

		const delivery = { body: messageBody({}, { account_id: 'account-2' }), eventId: 'event' };
		expect(await place.deliver(delivery)).toMatchObject({ status: 503 });

		expect(Date.now() - begun).toBeLessThan(20_000);
	});

	test('may have fields that mean something else to n8n', async () => {
		const trigger = await listen();
		const odd = { json: { a: 1 }, binary: { data: { data: 'x', mimeType: 'text/plain' } }, pairedItem: 7 };

		await place.deliver({ body: messageBody({}, odd) });

		expect(trigger.taken).toEqual([
			{ json: expect.objectContaining({ ...odd, event: 'message.received', event_id: expect.any(String) }) },
		]);
	});

	test('of which nobody knows the account is taken', async () => {
		const trigger = await listen();
		const body = messageBody({}, { account_id: undefined });

		await place.deliver({ body, headers: { 'X-Service-Account-Id': null } });
		delete trigger.kept.accountId;
		await place.deliver({ body: messageBody({}, { account_id: 'account-2' }) });

		expect(trigger.taken).toHaveLength(2);
	});
});

describe('a delivery', () => {
	const refusals: Array<[string, Parameters<typeof place.deliver>[0], number, string, string]> = [
		[
			'with another signature',
			{ signature: 'other-key' },
			401,
			'invalid_signature',
			'its signature does not match: the signing secret in the credential is wrong, or someone else sent it',
		],
		['without a signature', { signature: 'missing' }, 401, 'invalid_signature', 'it has no signature'],
		[
			'that is old',
			{ timestamp: { offsetSeconds: -310 } },
			401,
			'stale_timestamp',
			'its timestamp is more than 300 seconds off: the clock of this machine is wrong, or someone else sent the event again',
		],
		[
			'as a form with files',
			{ headers: { 'Content-Type': ' Multipart/form-data; boundary=x' } },
			415,
			'unsupported_media_type',
			'its content type is not JSON',
		],
		[
			'as text about forms',
			{ headers: { 'Content-Type': 'text/multipart/' } },
			415,
			'unsupported_media_type',
			'its content type is not JSON',
		],
		[
			'as text about forms, with another signature,',
			{ headers: { 'Content-Type': 'text/multipart/' }, signature: 'other-key' },
			401,
			'invalid_signature',
			'its signature does not match: the signing secret in the credential is wrong, or someone else sent it',
		],
		[
			'that is no JSON',
			{ body: 'x' },
			400,
			'invalid_body',
			'its signature is valid, but its body is not a JSON object in UTF-8',
		],
		[
			'without an id',
			{ headers: { 'X-Service-Event-Id': null } },
			400,
			'missing_event_id',
			'it has no valid event ID',
		],
	];

	test.each(refusals)('%s is refused with a reason', async (_, delivery, status, error, reason) => {
		const trigger = await listen();

		const answer = await place.deliver(delivery);

		expect([answer.status, JSON.parse(answer.responseBody)]).toEqual([status, { error }]);
		expect(trigger.taken).toEqual([]);
		expect(trigger.log).toEqual([expect.stringMatching(`: A delivery was rejected: ${reason}$`)]);
	});

	test('whose form with files was read is refused, whatever its bytes are signed with', async () => {
		const trigger = await listen();

		await place.deliver({ headers: { 'Content-Type': 'multipart/mixed; boundary=x' } });

		expect(trigger.log).toEqual([expect.stringContaining('its content type is not JSON')]);
	});

	test('is taken without a content type', async () => {
		const trigger = await listen();

		expect(await place.deliver({ headers: { 'Content-Type': null } })).toMatchObject({ status: 200 });

		expect(trigger.taken).toHaveLength(1);
	});

	test('that cannot be verified, as the credential cannot be read, is asked for again', async () => {
		const trigger = await place.trigger();
		await trigger.activate('init');
		Object.defineProperty(trigger, 'credential', {
			get: () => {
				throw new Error('The database is locked');
			},
		});

		expect(await place.deliver()).toMatchObject({ status: 503, responseBody: '{"error":"not_accepted"}' });

		expect(trigger.taken).toEqual([]);
		expect(trigger.log).toEqual([
			expect.stringContaining(
				'A delivery could not be verified because the credential could not be read or has just changed',
			),
		]);
	});

	test('is refused as long as the credential has no secret', async () => {
		const trigger = await place.trigger();
		await trigger.activate('init');
		Object.assign(trigger.credential, { signingSecret: undefined });

		expect(await place.deliver()).toMatchObject({ status: 401 });

		expect(trigger.log).toEqual([expect.stringContaining('the credential has no signing secret')]);
	});

	test('is verified with a rotated secret as soon as it is in the credential', async () => {
		const trigger = await listen();
		await place.deliver();
		const other = 'another-secret';
		twoSecondsLater();
		trigger.credential.signingSecret = other;

		const forged = await place.deliver({ signature: 'other-key' });

		expect(forged.status).toBe(401);
		// The secret has just changed, so it may be changing again.
		expect(await place.deliver()).toMatchObject({ status: 503 });
		twoSecondsLater();
		expect(await place.deliver()).toMatchObject({ status: 401 });
	});

	test('is refused for the time being when the secret is rotated twice in a second', async () => {
		const trigger = await listen();
		await place.deliver();
		twoSecondsLater();
		trigger.credential.signingSecret = await rotatedSecret();
		await place.deliver();

		trigger.credential.signingSecret = await rotatedSecret();
		const early = await place.deliver({ eventId: 'evt_twice' });
		twoSecondsLater();

		expect(early.status).toBe(503);
		expect(await place.deliver({ eventId: 'evt_twice' })).toMatchObject({ status: 200 });
	});

	test('is taken right after an activation with a rotated secret', async () => {
		const trigger = await listen();
		await place.deliver({ signature: 'other-key' });
		trigger.credential.signingSecret = await rotatedSecret();

		await trigger.activate();

		expect(await place.deliver()).toMatchObject({ status: 200 });
	});

	test('is taken as soon as the rotated secret is in the credential', async () => {
		const trigger = await listen();
		await place.deliver();
		twoSecondsLater();

		trigger.credential.signingSecret = await rotatedSecret();

		expect(await place.deliver()).toMatchObject({ status: 200 });
		expect(trigger.taken).toHaveLength(2);
	});

	test('shows an activation the rotated secret, also just after a forged one', async () => {
		const trigger = await listen();
		await place.deliver({ signature: 'other-key' });

		trigger.credential.signingSecret = await rotatedSecret();

		expect(await trigger.activate()).toBe(true);
	});

	test('has the credential read only where another secret might make it right', async () => {
		const trigger = await listen();
		await place.deliver();
		const { credential } = trigger;
		twoSecondsLater();
		let reads = 0;
		Object.defineProperty(trigger, 'credential', { get: () => (reads++, credential) });

		await place.deliver();
		await place.deliver({ signature: 'missing' });
		expect(reads).toBe(0);

		for (let times = 0; times < 3; times++) await place.deliver({ signature: 'other-key' });
		expect(reads).toBe(1);
	});
});

describe('an event that comes more than once', () => {
	test('starts one execution, also with another id', async () => {
		const trigger = await listen();
		const body = messageBody();

		for (const eventId of ['first', 'first', 'other'])
			expect(await place.deliver({ body, eventId })).toMatchObject(OK);

		expect(trigger.taken).toHaveLength(1);
	});

	test('is the same message under another id, and no other when only its body is the same', async () => {
		const trigger = await listen();
		await place.deliver({ body: messageBody({ id: 'same' }) });
		await place.deliver({ body: messageBody({ id: 'same', body: 'in other words' }) });
		expect(trigger.taken).toHaveLength(1);

		const body = JSON.stringify({ event: 'message.status', account_id: 'account-1', status: 'read' });
		for (const eventId of ['one', 'two', 'three', 'three'])
			expect(await place.deliver({ body, eventId, event: 'message.status' })).toMatchObject(OK);

		expect(trigger.taken.slice(1).map(({ json }) => json.event_id)).toEqual(['one', 'two', 'three']);
	});

	describe('while n8n holds its execution back and the sender has hung up', () => {
		/** Sends an event three times to an n8n that does not answer yet. */
		const deliverToBusy = async () => {
			const trigger = await listen();
			let answer: (status: number) => void = () => {};
			trigger.answers.push(new Promise((resolve) => (answer = resolve)));
			const delivery = { body: messageBody(), eventId: 'event' };
			const { url = '' } = (await config()) ?? {};
			const { headers } = await place.deliver({ ...delivery, url: `${place.service.origin}/nowhere` });
			/** Sends a copy, and hangs up as soon as n8n has it. */
			const hangUp = async () => {
				const sender = new AbortController();
				const before = place.read;
				const { signal } = sender;
				const sent = fetch(url, { method: 'POST', headers, body: delivery.body, signal });
				await eventually(
					() => place.read,
					(now) => now > before,
				);
				sender.abort();
				await expect(sent).rejects.toThrow('aborted');
			};
			for (let times = 0; times < 3; times++) await hangUp();
			return { trigger, answer, hangUp, again: async () => await place.deliver(delivery) };
		};
		const later = (ms: number) => {
			const now = clock.now();
			jest.spyOn(clock, 'now').mockImplementation(() => now + ms);
		};

		test('is not taken again, however long that is, and known when n8n has taken it', async () => {
			const { trigger, answer, hangUp, again } = await deliverToBusy();
			later(3_600_000);
			await hangUp();

			const copy = again();
			answer(200);

			expect(await copy).toMatchObject(OK);
			later(600_000);
			expect(await again()).toMatchObject(OK);
			expect(trigger.taken).toHaveLength(1);
		});

		test.each([403, 500])(
			'is taken from the next delivery when n8n could not take it (%i)',
			async (status) => {
				const { trigger, answer, again } = await deliverToBusy();
				// Copies whose senders have hung up wait, too; the first of them takes the place.
				trigger.answers.push(status, status);
				answer(status);
				await eventually(
					() => trigger.answers,
					({ length }) => length === 0,
				);

				expect(await again()).toMatchObject(OK);
				expect(trigger.taken).toHaveLength(1);
			},
		);
	});

	test('is answered once the first of its deliveries was taken', async () => {
		const trigger = await listen();
		const delivery = { body: messageBody(), eventId: 'event' };

		const first = await deliverHeld(trigger, delivery);
		const second = place.deliver(delivery);
		await place.deliver();
		expect(trigger.taken).toHaveLength(1);
		first.answer(200);

		expect(await Promise.all([first.delivered, second])).toMatchObject([OK, OK]);
		expect(trigger.taken).toHaveLength(2);
	});

	test('is asked for again when n8n has not taken the first of its deliveries within 20 seconds', async () => {
		const trigger = await listen();
		const delivery = { body: messageBody(), eventId: 'event' };

		const first = await deliverHeld(trigger, delivery);
		const sleep = jest.spyOn(clock, 'sleep').mockResolvedValue();
		const second = await place.deliver(delivery);
		first.answer(200);

		expect(second).toMatchObject({ status: 503, responseBody: '{"error":"not_accepted"}' });
		expect(sleep).toHaveBeenCalledWith(20_000);
		expect(await first.delivered).toMatchObject(OK);
		expect(trigger.taken).toHaveLength(1);
	});

	test('is taken from the second delivery when n8n could not take the first', async () => {
		const trigger = await listen();
		const delivery = { body: messageBody(), eventId: 'event' };

		const first = await deliverHeld(trigger, delivery);
		const second = place.deliver(delivery);
		await place.deliver();
		first.answer(500);

		const statuses = (await Promise.all([first.delivered, second])).map(({ status }) => status);
		expect(statuses).toEqual([500, 200]);
		expect(trigger.taken).toHaveLength(2);
	});

	test('is not the sample of an activation, delivered again', async () => {
		const trigger = await listen();
		const [sample] = await place.service.control.deliveries();
		const { body = '', eventId } = sample ?? {};

		expect(await place.deliver({ body, eventId })).toMatchObject(OK);

		expect(trigger.taken).toEqual([]);
		expect(trigger.log).toEqual([]);
	});

	test('is one of a test when it comes to the address of tests', async () => {
		const trigger = await listen();
		await place.deliver({ body: messageBody({ id: 'same' }), eventId: 'event' });
		await trigger.activate('manual');

		await place.deliver({ body: messageBody({ id: 'same' }), eventId: 'event' });

		await eventually(
			() => trigger.taken,
			({ length }) => length === 2,
		);
	});
});

describe('deliveries that look like the service and cannot be verified', () => {
	const TOLD = { json: { unverified_since: expect.any(String) } };
	const INVALID = { status: 401, responseBody: '{"error":"invalid_signature"}' };
	const unverified = async (times: number, more: object = {}) => {
		for (let time = 0; time < times; time++) {
			expect(await place.deliver({ signature: 'other-key', ...more })).toMatchObject(INVALID);
		}
	};
	test('start one execution within an hour, which holds nothing of them', async () => {
		const trigger = await listen();
		await unverified(4);
		expect(trigger.taken).toEqual([]);

		await unverified(20);

		expect(trigger.taken).toEqual([TOLD]);
		later(3_600_000);
		await place.service.control.setClock({ nowMs: Date.now() });
		await unverified(5);
		expect(trigger.taken).toEqual([TOLD, TOLD]);
	});

	test('start one after the secret was rotated elsewhere, and none once the new one is here', async () => {
		const trigger = await listen();
		const secret = await rotatedSecret();

		for (let times = 0; times < 5; times++) expect(await place.deliver()).toMatchObject(INVALID);

		expect(trigger.taken).toEqual([TOLD]);
		twoSecondsLater();
		trigger.credential.signingSecret = secret;
		expect(await place.deliver()).toMatchObject({ status: 200 });
		expect(trigger.taken).toHaveLength(2);
	});

	test('start one within an hour and are a few lines in the log, also when another trigger gets some in between', async () => {
		const trigger = await listen();
		const other = await place.trigger();
		const url = `${place.n8nUrl}/webhook/${other.node.webhookId}/webhook`;

		for (let round = 0; round < 10; round++) {
			await unverified(1);
			await unverified(1, { url });
		}

		expect([trigger.taken, other.taken]).toEqual([[TOLD], [TOLD]]);
		expect([trigger.log.length, other.log.length]).toEqual([5, 5]);
		await unverified(20);
		expect(trigger.taken).toEqual([TOLD]);
	});

	test('start none when one of them can be verified', async () => {
		const trigger = await listen();
		for (let times = 0; times < 3; times++) {
			await unverified(4);
			await place.deliver({ body: messageBody({ from_me: true }) });
		}
		expect(trigger.taken).toEqual([]);
	});

	test('start none when they name an account that the trigger has not seen', async () => {
		const trigger = await listen();
		await unverified(10, { headers: { 'X-Service-Account-Id': 'account-2' } });
		expect(trigger.taken).toEqual([]);
	});

	test('start none when they look like the service’s only by their signature', async () => {
		const trigger = await listen();
		await unverified(10, { headers: { 'X-Service-Event-Id': null } });
		expect(trigger.taken).toEqual([]);
	});

	test('start none while somebody listens for a test event', async () => {
		const trigger = await place.trigger();
		await trigger.activate('manual');
		await unverified(10);
		expect(trigger.taken).toEqual([]);
	});
});
