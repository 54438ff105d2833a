import type { WorkflowActivateMode } from 'n8n-workflow';

import { clock } from '../../../nodes/MessagingChannel/trigger/account/clock';
import { eventually } from '../../support/poll';
import { callerOf } from '../../support/service/testing';
import { messageBody, useTrigger } from '../../support/engine/trigger';

const place = useTrigger();
const ALL = ['connection.connected', 'message.received', 'message.sent', 'message.status'];
const OK = { status: 200, responseBody: '' };

/** A trigger that is registered and knows its account. */
const listen = async (options: object = {}, events = ALL, mode: WorkflowActivateMode = 'activate') => {
	const trigger = await place.trigger({ parameters: { events, options: { ...options } } });
	await trigger.activate(mode);
	return trigger;
};

afterEach(() => jest.restoreAllMocks());

const { config } = place;

const rotatedSecret = async () => {
	await callerOf(() => place.service)('POST', '/webhooks/rotate-secret');
	return (await place.service.control.webhook()).secret;
};

describe('an event', () => {
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

	test('is not acknowledged, but told, when the events become an unknown one after publishing', async () => {
		const trigger = await listen();
		trigger.node.parameters.events = '={{ "messages" }}';

		const { status } = await place.deliver();

		expect(status).toBe(500);
		expect(trigger.taken).toEqual([]);
		expect(trigger.failed.splice(0)).toEqual([expect.stringContaining("'Events' contains an unknown event")]);
	});

	// Of the other filters, a table of unit tests says the same.
	test.each([
		['gives no text', '={{ $vars.unknown }}', "'nothing'"],
		['fails', '={{ $env.CHATS }}', 'access to env vars denied'],
	])('is neither waited for nor acknowledged when the expression of a filter %s', async (how, chats, why) => {
		const options = { chats };
		const words = `'Chats' has an expression that ${how}: ${why}. Correct it.`;
		const unpublished = await place.trigger({ parameters: { events: ALL, options } });
		await expect(unpublished.activate()).rejects.toThrow(words);
		expect(await config()).toBeNull();

		const trigger = await listen();
		trigger.node.parameters.options = options;

		expect(await place.deliver()).toMatchObject({ status: 500 });
		expect(trigger.taken).toEqual([]);
		expect(trigger.failed.splice(0)).toEqual([expect.stringContaining(why)]);
	});

	test('is not answered 200 when an expression gives a chat that cannot be read, and the execution says why', async () => {
		const trigger = await listen({ chats: '={{ "Ada" }}' }, ALL, 'init');
		const delivery = { body: messageBody(), eventId: 'event-1' };

		expect(await place.deliver(delivery)).toMatchObject({ status: 500 });

		expect(trigger.taken).toEqual([]);
		expect(trigger.failed.splice(0)).toEqual([
			"'Chats' contains neither a phone number with its country code nor a chat ID: 'Ada'. Enter a phone number with + and its country code, e.g. +90 555 123 45 67, or a chat ID, e.g. 905551234567@c.us.",
		]);
		trigger.node.parameters = { events: ALL, options: { chats: '={{ 905551112233 }}' } };
		expect(await place.deliver(delivery)).toMatchObject({ status: 200 });
		expect(trigger.taken).toHaveLength(1);
	});
});

describe('a delivery', () => {
	test.each([
		[{}, 415, 'unsupported_media_type', 'its content type is not JSON'],
		[{ signature: 'other-key' as const }, 401, 'invalid_signature', 'its signature does not match'],
	])(
		'as text about forms, which n8n reads, is refused with a reason (%j)',
		async (more, status, error, reason) => {
			const trigger = await listen();

			const answer = await place.deliver({ headers: { 'Content-Type': 'text/multipart/' }, ...more });

			expect([answer.status, JSON.parse(answer.responseBody)]).toEqual([status, { error }]);
			expect(trigger.taken).toEqual([]);
			expect(trigger.log).toEqual([expect.stringContaining(`: A delivery was rejected: ${reason}`)]);
		},
	);

	test('shows an activation the rotated secret, also just after a forged one', async () => {
		const trigger = await listen();
		await place.deliver({ signature: 'other-key' });

		trigger.credential.signingSecret = await rotatedSecret();

		expect(await trigger.activate()).toBe(true);
	});
});

describe('an event that comes more than once', () => {
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

		test('is taken from the next delivery when n8n could not take it', async () => {
			const { trigger, answer, again } = await deliverToBusy();
			// Copies whose senders have hung up wait, too; the first of them takes the place.
			trigger.answers.push(500, 500);
			answer(500);
			await eventually(
				() => trigger.answers,
				({ length }) => length === 0,
			);

			expect(await again()).toMatchObject(OK);
			expect(trigger.taken).toHaveLength(1);
		});
	});
});
