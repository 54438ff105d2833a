import type {
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	IRun,
} from 'n8n-workflow';

import { noteListening } from '../../../../nodes/MessagingChannel/trigger/catchUp/listening';
import { lookUpIn } from '../../../../nodes/MessagingChannel/trigger/catchUp/lookUp';
import { startCatchUp, startPolling } from '../../../../nodes/MessagingChannel/trigger/catchUp/messageLoop';
import {
	messageNameOf,
	recordEnd,
	runsOf,
} from '../../../../nodes/MessagingChannel/trigger/catchUp/workflowRuns';
import { eventOf } from '../../../../nodes/MessagingChannel/trigger/delivery/event';
import { stateOf } from '../../../../nodes/MessagingChannel/trigger/delivery/state';
import type { Subscriber } from '../../../../nodes/MessagingChannel/webhook/subscribers';
import { keyRowHelpers, newKeyRow } from '../../../support/engine/keyRow';
import type { ManualClock } from '../../../support/engine/manualClock';
import {
	publishedTriggerOf,
	triggerRunOf,
} from '../../../../nodes/MessagingChannel/trigger/delivery/trigger';
import { OWN_URL, triggerOf, webhookOf, workflow } from '../activation/triggerOf';
import { triggerClockAt } from '../triggerClockAt';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** When the trigger starts. */
const START = Date.UTC(2030, 0, 31, 9);

let clock: ManualClock;
beforeEach(() => {
	clock = triggerClockAt(START);
	jest.spyOn(Date, 'now').mockImplementation(() => clock.now());
});

const ends: Array<() => void> = [];
afterEach(() => {
	for (const end of ends.splice(0)) end();
	jest.restoreAllMocks();
});

/** A service with an account that has no chat and no webhook. */
function newService() {
	const chats = new Map<string, number[]>();
	const service = {
		accountId: 'account-1',
		/** How far its clock is ahead of n8n's, in milliseconds. */
		aheadMs: 0,
		webhook: null as IDataObject | null,
		/** The chats that cannot be read. */
		broken: new Set<string>(),
		headers: {} as IDataObject,
		/** What it answers instead. */
		refusal: (): { statusCode: number; body: object } | undefined => undefined,
		/** What was asked for, by the end of the path. */
		requests: [] as string[],
		/**
		 * Somebody wrote.
		 *
		 * @param at in milliseconds since the start of the trigger, by the clock of n8n
		 * @returns the ID of the message
		 */
		write(at = clock.now() - START, chatId = 'a@c.us') {
			const timestamp = Math.floor((START + at + service.aheadMs) / 1000);
			const times = chats.get(chatId) ?? [];
			chats.set(chatId, [...times, timestamp]);
			return `${chatId} ${times.length}`;
		},
		respond({ url, qs }: IHttpRequestOptions) {
			const [, chat, what] = /(?:\/chats\/([^/]+))?\/(\w+)$/.exec(url) ?? [];
			service.requests.push(String(what));
			const found = (data: unknown) => ({ statusCode: 200, body: { success: true, data } });
			const respond = () => {
				if (what === 'account') return found({ id: service.accountId });
				if (what === 'webhooks') return found(service.webhook);
				if (what === 'chats')
					return found(
						[...chats].map(([id, times]) => ({
							id,
							type: 'individual',
							last_message_at: new Date(Math.max(...times) * 1000).toISOString(),
						})),
					);
				const id = decodeURIComponent(String(chat));
				if (service.broken.has(id)) return { statusCode: 500, body: { success: false, error: 'internal' } };
				const { before, limit } = (qs ?? {}) as IDataObject;
				const end = before === undefined ? Infinity : Date.parse(String(before)) / 1000;
				const messages = (chats.get(id) ?? []).map((timestamp, index) => ({
					id: `${id} ${index}`,
					timestamp,
					from_me: false,
				}));
				return found(
					messages
						.filter(({ timestamp }) => timestamp < end)
						.reverse()
						.slice(0, Number(limit)),
				);
			};
			const date = new Date(clock.now() + service.aheadMs).toUTCString();
			return { ...(service.refusal() ?? respond()), headers: { date, ...service.headers } };
		},
	};
	return service;
}

function deferred() {
	let resolve: (run: IRun) => void = () => undefined;
	const promise = new Promise<IRun>((resolved) => (resolve = resolved));
	return { promise, resolve };
}

let triggers = 0;

interface Options {
	/** Why n8n starts it. */
	mode?: 'activate' | 'init';
	aheadMs?: number;
	parameters?: IDataObject;
}

/** A trigger of which this process knows nothing yet. After a start of n8n, it has listened for half a day. */
function newTrigger({ mode = 'activate', aheadMs = 0, parameters = {} }: Options = {}) {
	const workflowId = `workflow-${++triggers}`;
	const service = newService();
	service.aheadMs = aheadMs;
	const baseUrl = `https://service-${triggers}.example.com`;
	const kept: IDataObject = { webhookUrl: OWN_URL };
	const { context: before, log } = triggerOf({
		baseUrl,
		mode,
		parameters,
		kept,
		respond: (options) => service.respond(options),
	});
	const credential = { baseUrl, apiKey: 'key', signingSecret: 'secret' };
	/** The messages that started executions, with the seconds since the start. */
	const executions: Array<[seconds: number, message: string]> = [];
	const lookUps: typeof executions = [];
	/** The items of the executions of messages. */
	const items: IDataObject[] = [];
	const inN8n = {
		/** The messages that have run elsewhere. */
		ran: new Set<string>(),
		/** How long a look-up takes, in milliseconds; nothing answers it without. */
		lookUpMs: 0 as number | undefined,
	};
	const since = () => (clock.now() - START) / SECOND;

	const lookUp = async (messageIds: string[]) => {
		lookUps.push([since(), messageIds.join()]);
		const { lookUpMs } = inN8n;
		if (lookUpMs === undefined) return await new Promise<IRun>(() => {});
		if (lookUpMs > 0) await clock.sleep(lookUpMs);
		const bits = Buffer.alloc(Math.ceil(messageIds.length / 8));
		messageIds.forEach((id, index) => {
			if (!inN8n.ran.has(id)) bits.writeUInt8(bits.readUInt8(index >> 3) | (1 << (index & 7)), index >> 3);
		});
		const metadata = { messages_not_run: bits.toString('base64'), reach: '0 0' };
		return { data: { resultData: { metadata } } } as unknown as IRun;
	};
	const context: typeof before = {
		...before,
		getMode: () => 'trigger' as const,
		getWorkflow: () => ({ id: workflowId, name: 'Support', active: true }),
		getCredentials: async <T>() => await Promise.resolve({ ...credential } as T),
		emit: ([data]: INodeExecutionData[][], _: unknown, done: { resolve: (run: IRun) => void }) => {
			const json = data?.[0]?.json ?? {};
			const question = lookUpIn(json);
			if (question) return void lookUp(question.messageIds).then(done.resolve);
			const id = String((json.message as IDataObject).id);
			executions.push([since(), id]);
			items.push(json);
			runsOf(trigger()).begin(messageNameOf(trigger(), id), `${executions.length}`);
		},
		helpers: { ...before.helpers, createDeferredPromise: deferred },
	} as unknown as typeof before;
	const trigger = () => publishedTriggerOf(context);
	if (mode === 'init') {
		clock.set(START - 12 * HOUR);
		noteListening(trigger());
		clock.set(START);
	}

	const start = (begin: typeof startPolling) => {
		const end = begin(trigger());
		ends.push(end);
		return end;
	};
	return {
		context,
		service,
		credential,
		inN8n,
		executions,
		items,
		lookUps,
		log,
		poll: () => start(startPolling),
		catchUp: () => start(startCatchUp),
		/** An execution runs the message, is cancelled and ends. Returns whether the message counts as run. */
		cancelRun: async (id: string) => {
			const runs = runsOf(trigger());
			const name = messageNameOf(trigger(), id);
			let finish: () => Promise<void> = async () => {};
			const execution = {
				...context,
				getInputData: () => [],
				continueOnFail: () => false,
				getExecutionId: () => 'run',
				onExecutionFinish: (handler: typeof finish) => void (finish = handler),
				getExecutionCancelSignal: () => AbortSignal.abort(),
				helpers: keyRowHelpers(newKeyRow(), newKeyRow()),
			};
			runs.begin(name, 'run');
			recordEnd(triggerRunOf(execution as unknown as IExecuteFunctions), {
				event: 'message.received',
				message: { id },
			});
			await Promise.all([finish(), clock.advance(SECOND)]);
			return runs.isBegun(name);
		},
		/** An event of this message was delivered, and n8n holds it back. */
		hold: (id: string) => {
			const event = { event: 'message.received', message: { id } };
			stateOf(trigger()).inFlight.claim(eventOf(`event of ${id}`, {}, event).keys, clock.now());
		},
	};
}

describe('a trigger that polls', () => {
	test('starts an execution for what comes in, without a look-up', async () => {
		const { service, poll, executions, items, lookUps, log } = newTrigger();
		poll();
		await clock.advance(5 * SECOND);
		const message = service.write();
		await clock.advance(55 * SECOND);

		expect(executions).toEqual([[15, message]]);
		expect(items).toMatchObject([{ account_id: 'account-1', chat: { id: 'a@c.us' }, fetched: true }]);
		expect(lookUps).toEqual([]);
		expect(log).toEqual([]);
	});

	test('asks for the account once, and for the chats at each interval', async () => {
		const { service, poll } = newTrigger();
		poll();
		await clock.advance(45 * SECOND);
		expect(service.requests).toEqual(['account', 'chats', 'chats', 'chats', 'chats']);
	});

	// A loop that it follows can have started what came in within the first seconds.
	test.each([
		['activate', 0, 'starts at once'],
		['init', 2, 'is looked up'],
		['init', 3, 'starts at once'],
	] as const)('after "%s": what came in %d seconds after its start %s', async (mode, after, what) => {
		const { service, poll, executions, lookUps } = newTrigger({ mode });
		const message = service.write(after * SECOND);
		poll();
		await clock.advance(20 * SECOND);
		const isLookedUp = what === 'is looked up';
		expect(executions).toHaveLength(isLookedUp ? 0 : 1);
		expect(lookUps).toEqual(isLookedUp ? [[15, message]] : []);
	});

	test('looks up what came in before its start, and starts what is missing for minutes', async () => {
		const { service, inN8n, poll, executions, lookUps } = newTrigger({ mode: 'init' });
		const [ran, missing] = [service.write(-2 * MINUTE), service.write(-MINUTE)];
		inN8n.ran.add(ran);
		poll();
		await clock.advance(10 * MINUTE);

		expect(lookUps).toEqual([
			[0, `${ran},${missing}`],
			[150, missing],
		]);
		expect(executions).toEqual([[150, missing]]);
	});

	test('leaves a missing message alone that has run by the second look-up', async () => {
		const { service, inN8n, poll, executions, lookUps } = newTrigger({ mode: 'init' });
		const message = service.write(-MINUTE);
		poll();
		await clock.advance(MINUTE);
		inN8n.ran.add(message);
		await clock.advance(10 * MINUTE);

		expect(lookUps.map(([seconds]) => seconds)).toEqual([0, 150]);
		expect(executions).toEqual([]);
	});

	test('starts each missing message in its own time', async () => {
		const { service, poll, executions, lookUps } = newTrigger({ mode: 'init' });
		const first = service.write(-MINUTE, 'a@c.us');
		poll();
		await clock.advance(50 * SECOND);
		// It is listed late.
		const second = service.write(-MINUTE, 'b@c.us');
		await clock.advance(10 * MINUTE);

		expect(executions).toEqual([
			[150, first],
			[210, second],
		]);
		expect(lookUps).toEqual([
			[0, first],
			[60, second],
			[150, first],
			[210, second],
		]);
	});

	test('looks a message up again that becomes due during a look-up', async () => {
		const { service, inN8n, poll, executions, lookUps } = newTrigger({ mode: 'init' });
		const first = service.write(-MINUTE, 'a@c.us');
		poll();
		await clock.advance(130 * SECOND);
		const second = service.write(-MINUTE, 'b@c.us');
		inN8n.lookUpMs = 20 * SECOND;
		await clock.advance(MINUTE);

		expect(executions).toEqual([[190, first]]);
		expect(lookUps).toEqual([
			[0, first],
			[135, second],
			[170, first],
		]);
	});

	test('starts nothing of what came in before it listened', async () => {
		const { service, poll, executions, lookUps } = newTrigger();
		service.write(-SECOND);
		poll();
		await clock.advance(10 * MINUTE);
		expect([...executions, ...lookUps]).toEqual([]);
	});

	describe('when its credential changes', () => {
		test('to another key of the account, goes on', async () => {
			const { service, credential, poll, executions } = newTrigger();
			poll();
			await clock.advance(20 * SECOND);
			const message = service.write();
			credential.apiKey = 'another key';
			await clock.advance(10 * SECOND);
			expect(executions).toEqual([[30, message]]);
		});

		test.each([0, HOUR])(
			'to another account, begins anew, also if the clock of the service is %d ms ahead',
			async (aheadMs) => {
				const { service, credential, poll, executions, items, lookUps } = newTrigger({
					mode: 'init',
					aheadMs,
				});
				service.write(-MINUTE);
				poll();
				await clock.advance(50 * SECOND);
				credential.apiKey = 'key of another account';
				service.accountId = 'account-2';
				service.write(20 * SECOND, 'b@c.us');
				await clock.advance(40 * SECOND);
				const message = service.write(80 * SECOND, 'b@c.us');
				await clock.advance(10 * MINUTE);

				expect(executions).toEqual([[105, message]]);
				expect(items).toMatchObject([{ account_id: 'account-2' }]);
				expect(lookUps).toEqual([[0, 'a@c.us 0']]);
			},
		);
	});

	test('knows what is new by the clock of the service', async () => {
		const { service, poll, executions, lookUps } = newTrigger({ mode: 'init', aheadMs: HOUR });
		const before = service.write(-MINUTE, 'a@c.us');
		service.write(-13 * HOUR, 'c@c.us');
		poll();
		await clock.advance(5 * SECOND);
		const after = service.write(4 * SECOND, 'b@c.us');
		await clock.advance(15 * SECOND);
		expect([executions, lookUps]).toEqual([[[15, after]], [[0, before]]]);
	});

	test('goes on when the clock is set back', async () => {
		const { service, poll, executions, lookUps } = newTrigger();
		poll();
		await clock.advance(20 * SECOND);
		clock.set(START - HOUR);
		await clock.advance(HOUR + 40 * SECOND);
		const message = service.write();
		await clock.advance(20 * SECOND);
		expect(executions.map(([, id]) => id)).toEqual([message]);
		expect(lookUps).toEqual([]);
	});

	describe('goes on', () => {
		const writeIn = (write: (at: number, chatId: string) => string, chats: number) =>
			Array.from({ length: chats }, (_, index) => write(5 * SECOND, `${index}@c.us`));

		test('with chats that are still to be read after a second, and says so', async () => {
			const { service, poll, log, executions } = newTrigger();
			poll();
			await clock.advance(10 * SECOND);
			const messages = writeIn(service.write, 102);
			await clock.advance(10 * SECOND);
			expect(log).toEqual(['Listens: 2 chats with new messages are still to be read']);
			// Two requests for each chat that was never read.
			expect(service.requests.slice(-5)).toEqual(['chats', ...Array<string>(4).fill('messages')]);
			await clock.advance(10 * MINUTE);
			expect(executions.map(([, id]) => id).sort()).toEqual(messages.sort());
		});

		test('after the interval when chats cannot be read, and says why', async () => {
			const { service, poll, log } = newTrigger();
			poll();
			await clock.advance(10 * SECOND);
			writeIn(service.write, 5);
			for (let chat = 0; chat < 5; chat++) service.broken.add(`${chat}@c.us`);
			service.requests = [];
			await clock.advance(19 * SECOND);
			expect(service.requests).toEqual(['chats', 'messages', 'messages', 'messages']);
			expect(log).toEqual([expect.stringContaining('Listens: new messages could not be fetched: ')]);
		});

		test('after the interval while thousands of messages wait for their executions', async () => {
			const { service, poll } = newTrigger({ mode: 'init' });
			for (let seconds = 2_009; seconds > 10; seconds--) service.write(-seconds * SECOND, 'a@c.us');
			service.write(-9 * SECOND, 'b@c.us');
			service.write(-8 * SECOND, 'c@c.us');
			poll();
			await clock.advance(14 * SECOND);
			expect(service.requests.filter((what) => what === 'chats')).toHaveLength(1);
		});
	});

	describe('with 1,000 requests for a day', () => {
		test.each([0, 600, 900])(
			'finds messages when others have used %d, and leaves them half of the rest',
			async (others) => {
				const { service, poll, log, executions } = newTrigger();
				Object.defineProperty(service, 'headers', {
					get: () => ({
						'x-ratelimit-limit': '1000',
						'x-ratelimit-remaining': String(1000 - others - service.requests.length),
						'x-ratelimit-reset': String(START / 1000 + 86_400),
					}),
				});
				poll();
				const written: string[] = [];
				for (let hour = 0; hour < 7; hour++) {
					await clock.advance(HOUR);
					if (hour % 5 === 0) written.push(service.write());
				}

				expect(executions.map(([, message]) => message)).toEqual(written);
				expect(service.requests.length).toBeLessThan((1000 - others) / 4);
				expect(log.filter((line) => line.includes('the rate limit of the account is small'))).toHaveLength(1);
			},
		);
	});

	describe('with a quota', () => {
		const DAY = 24 * HOUR;

		/**
		 * Gives the account so many requests for each window.
		 *
		 * @param firstReset when the first window ends, in milliseconds since the start
		 * @param others what others have used, so long after the start and since the window began
		 */
		const limitTo = (
			service: ReturnType<typeof newService>,
			quota: (sinceStart: number) => number,
			firstReset: number,
			windowMs = DAY,
			others: (sinceWindow: number, sinceStart: number) => number = () => 0,
		) => {
			let used = 0;
			let window = 0;
			const now = () => clock.now() - START;
			const windowNow = () => Math.max(0, Math.ceil((now() - firstReset) / windowMs + 1e-9));
			const left = () => {
				const sinceWindow = now() - (firstReset + (window - 1) * windowMs);
				return Math.floor(quota(now()) - others(sinceWindow, now()) - used);
			};
			/** The largest number of requests of one window. */
			const mostUsed = { count: 0 };
			service.refusal = () => {
				if (windowNow() !== window) {
					window = windowNow();
					used = 0;
				}
				if (left() <= 0)
					return { statusCode: 429, body: { error: 'rate_limit_exceeded', message: 'Too many requests' } };
				used++;
				mostUsed.count = Math.max(mostUsed.count, used);
				return undefined;
			};
			Object.defineProperty(service, 'headers', {
				get: () => ({
					'x-ratelimit-limit': String(quota(now())),
					'x-ratelimit-remaining': String(Math.max(0, left())),
					'x-ratelimit-reset': String(Math.ceil((START + firstReset + window * windowMs) / 1000)),
				}),
			});
			return mostUsed;
		};

		/**
		 * Somebody writes each hour.
		 *
		 * @returns how many minutes the slowest message took to run
		 */
		const slowest = async (hours: number, { service, executions, poll }: ReturnType<typeof newTrigger>) => {
			poll();
			await clock.advance(MINUTE);
			const written: Array<[string, number]> = [];
			for (let hour = 0; hour < hours; hour++) {
				written.push([service.write(), clock.now() - START]);
				await clock.advance(HOUR);
			}
			await clock.advance(HOUR);
			const ranAt = new Map(executions.map(([seconds, id]) => [id, seconds * SECOND]));
			expect(executions).toHaveLength(ranAt.size);
			return Math.max(...written.map(([id, at]) => ((ranAt.get(id) ?? Infinity) - at) / MINUTE));
		};

		test.each([
			[100, 0, 60],
			[1_000, 0, 12],
			[5_000, 0, 10],
			[1_000, 0.5, 12],
		])(
			'of %d a day, of which others use %d, and a reset in between, runs each message within %d minutes',
			async (quota, share, minutes) => {
				const trigger = newTrigger();
				const used = limitTo(
					trigger.service,
					() => quota,
					4 * HOUR,
					DAY,
					(since) => (since / DAY) * quota * share,
				);

				expect(await slowest(8, trigger)).toBeLessThanOrEqual(minutes);
				expect(used.count).toBeLessThan(quota * 0.7);
			},
		);

		test('of a month uses no more than its part of it', async () => {
			const trigger = newTrigger();
			const used = limitTo(trigger.service, () => 10_000, 20 * DAY, 30 * DAY);

			expect(await slowest(8, trigger)).toBeLessThanOrEqual(10);
			expect(used.count).toBeLessThan(150);
		});
	});

	describe('that has ended', () => {
		test('asks for nothing more', async () => {
			const { service, poll } = newTrigger();
			const end = poll();
			await clock.advance(5 * SECOND);
			end();
			await clock.advance(10 * MINUTE);
			expect(service.requests).toEqual(['account', 'chats']);
		});

		test('asks for nothing either if it waited for other requests', async () => {
			const { service, poll } = newTrigger();
			service.headers = {
				'x-ratelimit-limit': '60',
				'x-ratelimit-remaining': '29',
				'x-ratelimit-reset': String(START / 1000 + 60),
			};
			const end = poll();
			await clock.advance(10 * SECOND);
			expect(service.requests).toEqual(['account']);
			end();
			await clock.advance(10 * MINUTE);
			expect(service.requests).toEqual(['account']);
			expect(clock.waits).toEqual([]);
		});

		test('tells runs that n8n cuts off from those that users stop', async () => {
			const { poll, cancelRun } = newTrigger();
			const end = poll();
			expect(await cancelRun('stopped')).toBe(true);
			end();
			expect(await cancelRun('cut off')).toBe(false);
			poll();
			expect(await cancelRun('stopped later')).toBe(true);
		});
	});
});

describe('a trigger that messages are delivered to', () => {
	const LOOK_UP = 180;
	const NEXT = 330;

	test.each([0, HOUR])(
		'looks for a message that was not delivered within minutes, if the clock of the service is %d ms ahead',
		async (aheadMs) => {
			const { service, catchUp, executions, lookUps, log } = newTrigger({ aheadMs });
			catchUp();
			const message = service.write(10 * SECOND);
			await clock.advance(10 * MINUTE);
			expect(lookUps).toEqual([
				[LOOK_UP, message],
				[NEXT, message],
			]);
			expect(executions).toEqual([[NEXT, message]]);
			expect(log).toEqual([]);
		},
	);

	test('reads the webhook only if a message is missing', async () => {
		const { service, inN8n, catchUp } = newTrigger();
		inN8n.ran.add(service.write(10 * SECOND));
		catchUp();
		await clock.advance(4 * MINUTE);
		expect(service.requests).not.toContain('webhooks');
	});

	test('leaves messages alone whose delivery n8n holds back', async () => {
		const { service, catchUp, executions, lookUps, hold } = newTrigger();
		const [before, since] = [service.write(10 * SECOND), service.write(11 * SECOND)];
		hold(before);
		catchUp();
		await clock.advance(4 * MINUTE);
		hold(since);
		await clock.advance(10 * MINUTE);
		expect(lookUps).toEqual([[LOOK_UP, since]]);
		expect(executions).toEqual([]);
	});

	test('looks as far back as the panel says in a chat that is listed late', async () => {
		const { service, catchUp, executions } = newTrigger();
		catchUp();
		await clock.advance(40 * MINUTE);
		const message = service.write(10 * MINUTE);
		await clock.advance(10 * MINUTE);
		expect(executions.map(([, id]) => id)).toEqual([message]);
	});

	const external = (url: string): Subscriber => ({ ...workflow(url), kind: 'external' });
	const other = 'https://n8n.example.com/webhook/other/webhook';
	test.each([
		['nobody', [], true],
		['the trigger', [workflow(OWN_URL)], true],
		['another workflow of this n8n', [workflow(other)], true],
		['another n8n', [workflow('https://elsewhere.example.com/webhook/other/webhook')], false],
		['another system', [external('https://crm.example.com/hook')], false],
		['another system on the same host', [external('https://n8n.example.com/webhook/crm')], false],
		['this n8n and another system', [workflow(OWN_URL), external('https://crm.example.com/hook')], true],
	])('with a webhook that points to %s', async (_, subscribers, isWanted) => {
		const { service, catchUp, executions } = newTrigger();
		const [first] = subscribers;
		service.webhook = first ? webhookOf([first, ...subscribers.slice(1)]) : null;
		catchUp();
		const message = service.write(10 * SECOND);
		await clock.advance(5 * MINUTE);
		// What another system received is not missing when that has left.
		service.webhook = null;
		await clock.advance(10 * MINUTE);
		expect(executions.map(([, id]) => id)).toEqual(isWanted ? [message] : []);
	});

	test('leaves a missing message alone if another system has the webhook by the second look-up', async () => {
		const { service, catchUp, executions, lookUps } = newTrigger();
		const message = service.write(10 * SECOND);
		catchUp();
		await clock.advance(5 * MINUTE);
		service.webhook = webhookOf([external('https://crm.example.com/hook')]);
		await clock.advance(10 * MINUTE);
		expect(lookUps).toEqual([
			[LOOK_UP, message],
			[NEXT, message],
		]);
		expect(executions).toEqual([]);
	});
});
