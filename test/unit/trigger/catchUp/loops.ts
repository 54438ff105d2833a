import type { IDataObject, IHttpRequestOptions, INodeExecutionData, IRun } from 'n8n-workflow';

import { noteListening } from '../../../../nodes/MessagingChannel/trigger/catchUp/listening';
import { lookUpIn } from '../../../../nodes/MessagingChannel/trigger/catchUp/lookUp';
import { startCatchUp, startPolling } from '../../../../nodes/MessagingChannel/trigger/catchUp/messageLoop';
import { messageNameOf, runsOf } from '../../../../nodes/MessagingChannel/trigger/catchUp/workflowRuns';
import { eventOf } from '../../../../nodes/MessagingChannel/trigger/delivery/event';
import { stateOf } from '../../../../nodes/MessagingChannel/trigger/delivery/state';
import type { ManualClock } from '../../../support/engine/manualClock';
import { publishedTriggerOf } from '../../../../nodes/MessagingChannel/trigger/delivery/trigger';
import { OWN_URL, triggerOf } from '../activation/triggerOf';
import { triggerClockAt } from '../triggerClockAt';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** When the trigger starts. */
export const START = Date.UTC(2030, 0, 31, 9);

/** A service with an account that has no chat and no webhook. */
function newService(clock: Pick<ManualClock, 'now'>) {
	const chats = new Map<string, number[]>();
	const service = {
		accountId: 'account-1',
		/** How far its clock is ahead of n8n's, in milliseconds. */
		aheadMs: 0,
		webhook: null as IDataObject | null,
		/** The chats that cannot be read, and the status of the response to whoever tries. */
		broken: new Map<string, number>(),
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
				const statusCode = service.broken.get(id);
				if (statusCode) return { statusCode, body: { success: false, error: 'broken' } };
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

export type LoopService = ReturnType<typeof newService>;

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
}

/** Runs loops by a clock that stands until the test moves it. */
export function useLoops() {
	let current: ManualClock;
	const clock = {
		now: () => current.now(),
		set: (now: number) => current.set(now),
		advance: async (ms: number) => await current.advance(ms),
		sleep: async (ms: number) => await current.sleep(ms),
		get waits() {
			return current.waits;
		},
	};
	beforeEach(() => {
		current = triggerClockAt(START);
		jest.spyOn(Date, 'now').mockImplementation(clock.now);
	});

	const ends: Array<() => void> = [];
	afterEach(() => {
		for (const end of ends.splice(0)) end();
		jest.restoreAllMocks();
	});

	/** A trigger of which this process knows nothing yet. After a start of n8n, it has listened for half a day. */
	function newTrigger({ mode = 'activate', aheadMs = 0 }: Options = {}) {
		const workflowId = `workflow-${++triggers}`;
		const service = newService(clock);
		service.aheadMs = aheadMs;
		const baseUrl = `https://service-${triggers}.example.com`;
		const kept: IDataObject = { webhookUrl: OWN_URL };
		const { context: before, log } = triggerOf({
			baseUrl,
			mode,
			kept,
			respond: (options) => service.respond(options),
		});
		const credential = { baseUrl, apiKey: 'key', signingSecret: 'secret' };
		/** The messages that started executions, with the seconds since the start. */
		const executions: Array<[seconds: number, message: string]> = [];
		const lookUps: typeof executions = [];
		/** The items of the executions of messages, and of reports. */
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
			const metadata = { messages_not_run: bits.toString('base64'), known_since: '0' };
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
				if (question) return void lookUp(question).then(done.resolve);
				if (json.message === undefined) return void items.push(json);
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
			/** The messages that started executions, in their order. */
			ran: () => executions.map(([, message]) => message),
			items,
			lookUps,
			log,
			poll: () => start(startPolling),
			catchUp: () => start(startCatchUp),
			/** Whether runs that are cancelled count as cut off by n8n. */
			isClosed: () => stateOf(trigger()).isClosed,
			/** An event of this message was delivered, and n8n holds it back. */
			hold: (id: string) => {
				const event = { event: 'message.received', message: { id } };
				stateOf(trigger()).inFlight.claim(eventOf(`event of ${id}`, {}, event).keys);
			},
		};
	}

	return { clock, newTrigger };
}

export type LoopTrigger = ReturnType<ReturnType<typeof useLoops>['newTrigger']>;
