import { SEND_MESSAGE } from '../../../../../nodes/MessagingChannel/api/endpoints';
import { sendJournalOf } from '../../../../../nodes/MessagingChannel/execution/sending/journal/openJournal';
import type { Send, SendEnd } from '../../../../../nodes/MessagingChannel/execution/sending/send';
import type { EarlierSend } from '../../../../../nodes/MessagingChannel/execution/sending/sendJournal';
import type { ActionRun } from '../../../../../nodes/MessagingChannel/n8n/actionRun';
import { virtualClock } from '../../../../support/engine/clock';
import { setRow } from '../../../../support/journal/setRow';

const ADA = '905551234567';

/** A text of an item that has no request ID. */
export const plain = (itemIndex: number, to = ADA): Send => ({
	request: { endpoint: SEND_MESSAGE, parameters: { to, message: `Hello ${itemIndex}` } },
	itemIndex,
	partitionKey: to,
});

/** A text with a request ID. */
export const text = (requestId: string, message = 'Hello'): Send => {
	const request = { endpoint: SEND_MESSAGE, parameters: { to: ADA, message } };
	return { request, itemIndex: 0, partitionKey: ADA, requestId, requestKey: requestId, id: requestId };
};

export const texts = (count: number, prefix = 'id') =>
	Array.from({ length: count }, (_, index) => text(`${prefix} ${index}`));

export interface Run {
	retryOf?: string;
	isWorker?: boolean;
	/** Those of its texts that cannot be in the service's queue. */
	notQueued?: readonly string[];
	/** Whether the queue cannot be looked at. */
	failsToLook?: boolean;
	/** Those of its texts that may have been made. */
	uncertain?: readonly string[];
}

let nodes = 0;

/** A node, whose row outlives the processes of n8n. */
export function startNode() {
	const row = setRow();
	const clock = virtualClock();
	let life = { nodeKey: `node ${nodes++}`, isOver: false };
	/** Starts a process for the next runs. Those of the others go on. */
	const startProcess = () => void (life = { nodeKey: `node ${nodes++}`, isOver: false });
	/** The row for a process, until that is killed. */
	const rowIn = (own: typeof life) => {
		const use = async <T>(call: () => Promise<T>): Promise<T> =>
			await (own.isOver ? new Promise<T>(() => {}) : call());
		return {
			record: async (keys: Iterable<string>, max?: number) =>
				await use(async () => await row.record(keys, max)),
			remove: async (keys: Iterable<string>) => await use(async () => await row.remove(keys)),
			count: async () => await use(row.count),
		};
	};
	return {
		row,
		clock,
		/** Adds so many facts that are older than those of the next run. */
		fill: (count: number) => {
			for (let index = 0; index < count; index++) row.keys.add(`known old ${index}`);
		},
		startProcess,
		/** Kills n8n and starts it again. What it knew is gone. */
		restart: () => {
			life.isOver = true;
			startProcess();
		},
		/** A run with these sends. */
		run: (sends: readonly Send[], options: Run = {}) => {
			const { retryOf, isWorker = false, notQueued = [], failsToLook, uncertain = [] } = options;
			const warned: string[] = [];
			const logger = { warn: (message: string) => warned.push(message) };
			const [{ nodeKey }, ownRow] = [life, rowIn(life)];
			const run = { retryOf, isWorker, nodeKey, isTool: false, runIndex: 0, row: () => ownRow, logger };
			/** The texts whose chats were looked at. */
			const lookedFor: string[][] = [];
			const journal = sendJournalOf(run as unknown as ActionRun, clock, sends, async (open) => {
				if (failsToLook) throw new Error('no access');
				lookedFor.push([...open]);
				return await Promise.resolve(new Set(notQueued));
			});
			/** Begins a send, and ends it in this way if it may be made. */
			const make = async (send: Send, end: SendEnd = 'made'): Promise<EarlierSend['state'] | string> => {
				const { state } = await journal.begin(send);
				const isUncertain = uncertain.includes(String(send.requestId));
				if (state !== 'done') journal.settle(send, isUncertain ? 'uncertain' : end);
				return state;
			};
			return { ...journal, make, lookedFor, warned };
		},
	};
}

/** The states of the sends of a run that makes them. */
export async function made(node: ReturnType<typeof startNode>, sends: readonly Send[], options?: Run) {
	const run = node.run(sends, options);
	const states: string[] = [];
	for (const send of sends) states.push(await run.make(send).catch(({ code }: { code: string }) => code));
	return { states, forgotten: await run.close() };
}
