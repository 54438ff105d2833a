import type { INode, Logger } from 'n8n-workflow';

import type { FetchedMessage } from '../../../../nodes/MessagingChannel/trigger/catchUp/fetchedMessage';
import { createNotRunFinder } from '../../../../nodes/MessagingChannel/trigger/catchUp/findNotRun';
import { answerLookUp, lookUpIn } from '../../../../nodes/MessagingChannel/trigger/catchUp/lookUp';
import { messageNameOf, runsOf } from '../../../../nodes/MessagingChannel/trigger/catchUp/workflowRuns';
import { createMarkedRow } from '../../../../nodes/MessagingChannel/trigger/deduplication/runMarks';
import type { TriggerRun } from '../../../../nodes/MessagingChannel/trigger/delivery/trigger';
import type { Row } from '../../../../nodes/MessagingChannel/n8n/journal/row';
import { eventWith } from '../deliveries';
import { triggerClockAt } from '../triggerClockAt';

afterEach(() => void jest.restoreAllMocks());

const MINUTE = 60_000;
const START = Date.UTC(2030, 0, 31, 9);
/** How long n8n was down. */
const NIGHT = 8 * 60 * MINUTE;

/** A row as n8n keeps it, and faster. */
function newRow(): Row {
	const row = new Set<string>();
	return {
		async record(keys, max = Infinity) {
			const before = new Set<string>();
			for (const key of keys) (row.has(key) ? before : row).add(key);
			for (const key of row) {
				if (row.size <= max) break;
				row.delete(key);
			}
			return await Promise.resolve(before);
		},
		async remove(keys) {
			for (const key of keys) row.delete(key);
			await Promise.resolve();
		},
		count: async () => await Promise.resolve(row.size),
	};
}

let workflows = 0;

/**
 * Catches up so many messages, each of another chat, as the loop does: two look-ups, and an execution. In the evening, twenty
 * messages a minute have filled the row.
 *
 * @param isLookedUpAgain whether there is a look-up after the execution, as in queue mode
 */
async function catchUpNight(count: number, isLookedUpAgain: boolean) {
	const row = newRow();
	let evening = START - NIGHT - 1_000 * MINUTE;
	const before = createMarkedRow({ now: () => evening })(row);
	for (let index = 0; evening < START - NIGHT; evening += MINUTE)
		await before.record(
			Array.from({ length: 20 }, () => `known evening ${index++}`),
			16_500,
		);

	const clock = triggerClockAt(START);
	const log: string[] = [];
	const warn = (line: string) => void log.push(line);
	const logger = { warn } as Partial<Logger> as Logger;
	const node = { id: 'node', name: 'Listens' } as INode;
	const process = { node, workflow: { id: `night-${++workflows}` }, logger, workflowRow: row };
	const run: Parameters<typeof createNotRunFinder>[0]['run'] = async ({ json }) => {
		const metadata: Record<string, string> = {};
		const keep = (name: string, text: string) => void (metadata[name] = text);
		await answerLookUp({ ...process, keep } as Partial<TriggerRun> as TriggerRun, lookUpIn(json) ?? []);
		return { data: { resultData: { metadata } } } as Awaited<ReturnType<typeof run>>;
	};
	const finder = createNotRunFinder(
		{ ...process, run },
		{ ...clock, sleep: async () => await new Promise(() => {}) },
	);
	/** Waits for something, and lets the time pass that it takes. */
	const after = async <T>(work: Promise<T>): Promise<T> => {
		let hasEnded = false;
		const end = () => void (hasEnded = true);
		void work.then(end, end);
		while (!hasEnded) await clock.advance(1_000);
		return await work;
	};
	const notRun = async (messages: FetchedMessage[]) => await after(finder(messages, 0));
	const runs = runsOf(process);
	const execute = async ({ messageId }: FetchedMessage): Promise<string[]> => {
		const name = messageNameOf(process, messageId);
		if ((await runs.mayRun(name, row)) !== 'open') return [];
		await runs.end(name, row);
		return [messageId];
	};

	const messages = Array.from({ length: count }, (_, index): FetchedMessage => ({
		...eventWith('message.received'),
		messageId: `${index}`,
		chatId: `${index}@c.us`,
		timestamp: (START - NIGHT + Math.floor(((index + 0.5) * NIGHT) / count)) / 1000,
	}));
	const ran: string[] = [];
	for (let from = 0; from < count; from += 2_000) {
		const open: FetchedMessage[] = [];
		for (let read = from; read < Math.min(count, from + 2_000); read += 100)
			open.push(...(await notRun(messages.slice(read, read + 100))));
		const due = await notRun(open);
		for (let next = 0; next < due.length; next += 250)
			ran.push(...(await after(Promise.all(due.slice(next, next + 250).map(execute)))).flat());
		if (isLookedUpAgain) expect(await notRun(due)).toEqual([]);
	}
	return { ran, log };
}

test('9,000 messages of a night all run, although the row was full before', async () => {
	const { ran, log } = await catchUpNight(9_000, true);
	expect([new Set(ran).size, ran.length, log]).toEqual([9_000, 9_000, []]);
});

test('of more messages than the row holds, the rest is left alone, and the log says so', async () => {
	const { ran, log } = await catchUpNight(17_000, false);
	expect(new Set(ran).size).toBe(ran.length);
	expect(ran.length).toBeGreaterThanOrEqual(10_000);
	expect(ran.length).toBeLessThan(17_000);
	expect(log).toEqual([
		expect.stringMatching(
			/^Listens: messages that came in before 2030-01-31T\S+ are left alone, because n8n no longer knows which of them ran$/,
		),
	]);
});
