import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { AcceptedMessage } from '../service/core/runtime';
import type { Fault } from '../service/core/faults';
import { permissions } from '../service/core/records';
import { startService, type Service } from '../service/service';
import { memoryFor } from './memory';
import { virtualClock, type VirtualClock } from './clock';
import { run, type Account, type RunOptions } from './run';

export type Engine = ReturnType<typeof useEngine>;

/** The node and a service for the tests of one file, which is emptied before each. */
export function useEngine() {
	let service: Service;
	let clock: VirtualClock;
	let apiKey: string;
	let shiftMs: number;

	/** Has a fault happen to the next send, or to that of a message. */
	const spoilSend = async (fault: Fault, message?: string) => {
		const ofMessage = message === undefined ? {} : { bodyHas: { message } };
		await service.control.addFault({ operationId: 'message.send', ...ofMessage, ...fault });
	};
	let isStopped = false;
	const moveService = async (now: number) =>
		await service.control.setClock({ stoppedAtMs: now + shiftMs }).catch((error: unknown) => {
			// What a test leaves in the background still waits when its file ends.
			if (!isStopped) throw error;
		});

	beforeAll(async () => {
		service = await startService();
	});
	const reset = async () => {
		await service.control.reset();
		await service.control.setSendDelay({ minMs: 0, maxMs: 0 });
		// The node remembers the rate window of an account, and this one's clock begins anew.
		({ apiKey } = await service.control.createKey({ permissions: [...permissions] }));
		shiftMs = 0;
		clock = virtualClock(moveService);
		await moveService(clock.now());
	};
	beforeEach(reset);
	afterEach(async () => expect(await service.control.defects()).toEqual([]));
	afterAll(async () => {
		isStopped = true;
		await service.stop();
	});

	const accountNow = (): Account => ({ baseUrl: service.baseUrl, apiKey });
	return {
		get service() {
			return service;
		},
		/** What the node's credential holds. */
		get account() {
			return accountNow();
		},
		/** Begins anew within a test: nothing has happened yet. */
		reset,
		/** Runs the node; the time that earlier runs of the test have skipped stays skipped. */
		run: async (options: RunOptions) => await run(accountNow(), clock, options),
		/** Runs the node by a clock of its own, so that a request of it that gets no answer stops no other run's clock. */
		runBeside: async (options: RunOptions) =>
			await run(accountNow(), virtualClock(undefined, clock.now()), options),
		/** The memory node's memory for an agent with these items, which come from a trigger if an event is given. */
		memory: async (items: IDataObject[], parameters?: INodeParameters, event?: IDataObject) =>
			await memoryFor(accountNow(), clock, items, parameters, event),
		/** The time of the node's clock, in Unix milliseconds. */
		now: () => clock.now(),
		/** Puts the service's clock so far ahead of the node's, in milliseconds, or behind it. */
		shiftServiceClock: async (ms: number) => {
			shiftMs = ms;
			await moveService(clock.now());
		},
		spoilSend,
		/** The next send is lost before the service takes it, or its answer is lost afterwards. */
		loseSend: async (when: 'before' | 'after') => await spoilSend({ kind: 'reset', when }),
		/** The requests of an operation that arrived so far. */
		requests: async (operationId?: string) => await service.control.requests({ operationId }),
		/** The texts that the service took on so far, in order. */
		accepted: async () => (await service.control.accepted()).map(({ body }) => body),
	};
}

/** The texts that the service took on, by recipient, each in order. */
export function byRecipient(messages: AcceptedMessage[]): Record<string, string[]> {
	const texts: Record<string, string[]> = {};
	for (const { to, body } of messages) (texts[to] ??= []).push(body);
	return texts;
}

/** A recipient for each number. */
export const person = (number: number) => `9055511${String(number).padStart(5, '0')}`;

/** One text to each of so many people. */
export const toEach = (count: number, message = 'Hello') =>
	Array.from({ length: count }, (_, number) => ({ to: person(number), message: `${message} ${number}` }));

/** A node that goes on with the other items when one fails. */
export const CONTINUES = { onError: 'continueRegularOutput' } as const;
