import type { IDataObject, INode, INodeExecutionData, IRun, Logger } from 'n8n-workflow';

import type { FetchedMessage } from '../../../../nodes/MessagingChannel/trigger/catchUp/fetchedMessage';
import { createNotRunFinder } from '../../../../nodes/MessagingChannel/trigger/catchUp/findNotRun';
import { eventWith } from '../deliveries';

const messageAt = (timestamp: number): FetchedMessage => ({
	...eventWith('message.received'),
	messageId: `${timestamp}`,
	chatId: '905551112233@c.us',
	timestamp,
});

/**
 * A finder whose look-ups reach so far back, one after the other, and know of no run.
 *
 * @param firstMissing which of the first eight messages of a look-up did not run, as bits
 */
function finderFor(knownSince: Array<number | undefined>, firstMissing = 0xff) {
	/** What the look-ups asked for. */
	const asked: IDataObject[] = [];
	const warnings: string[] = [];
	const run = async ({ json }: INodeExecutionData) => {
		const since = knownSince[asked.push(json) - 1];
		const count = (json.look_up_messages as string[]).length;
		const bits = Buffer.alloc(Math.ceil(count / 8), 0xff).fill(firstMissing, 0, 1);
		const metadata = { messages_not_run: bits.toString('base64'), known_since: `${since}` };
		const resultData = since === undefined ? {} : { metadata };
		return await Promise.resolve({ data: { resultData } } as unknown as IRun);
	};
	const trigger = {
		node: { name: 'Listens' } as INode,
		logger: { warn: (line: string) => void warnings.push(line) } as unknown as Logger,
		run,
	};
	let now = 0;
	const clock = {
		now: () => now,
		elapsed: () => now,
		random: () => 0,
		yield: async () => await Promise.resolve(),
		sleep: async () => await new Promise<void>(() => undefined),
	};
	const find = createNotRunFinder(trigger, clock);
	return {
		asked,
		warnings,
		advance: (ms: number) => void (now += ms),
		/** The times of the messages that did not run. */
		find: async (times: number[], clockOffsetMs = 0) =>
			(await find(times.map(messageAt), clockOffsetMs)).map(({ timestamp }) => timestamp),
	};
}

test('what came in before it is known what ran is left alone, by the clock of n8n', async () => {
	expect(await finderFor([100_000]).find([99, 100])).toEqual([100]);
	expect(await finderFor([100_000]).find([109, 110], 10_000)).toEqual([110]);
});

test('only messages that did not run are found', async () => {
	const { find, warnings } = finderFor([0], 0b101);

	expect(await find([1, 2, 3])).toEqual([1, 3]);
	expect(warnings).toEqual([]);
});

test('thousands of messages are looked up in parts, and none needs no look-up', async () => {
	const { find, asked } = finderFor([0, 0]);
	const times = Array.from({ length: 3_000 }, (_, index) => index + 1);

	expect(await find([])).toEqual([]);
	expect(await find(times)).toEqual(times);

	expect(asked.map(({ look_up_messages: ids }) => ids)).toEqual([
		times.slice(0, 1_500).map(String),
		times.slice(1_500).map(String),
	]);
});

test('a log line tells once of messages that n8n no longer knows of', async () => {
	const { find, warnings } = finderFor([100_000, 100_000, 100_000]);

	await find([100]);
	expect(warnings).toEqual([]);
	await find([99, 100]);
	await find([99]);

	expect(warnings).toEqual([
		'Listens: messages that came in before 1970-01-01T00:01:40.000Z are left alone, because n8n no longer knows which of them ran',
	]);
});

test('without an answer of n8n, nothing is said of any message', async () => {
	await expect(finderFor([]).find([1])).rejects.toThrow('n8n could not look up which messages ran');
});

test('after look-ups without an answer, n8n is asked ever less, up to an hour later, until it answers', async () => {
	const { find, asked, advance } = finderFor([...Array<undefined>(10).fill(undefined), 0, undefined]);
	const askedAt: number[] = [];
	for (let seconds = 0; asked.length < 13; seconds += 15, advance(15_000)) {
		const before = asked.length;
		await find([1]).catch(() => undefined);
		if (asked.length > before) askedAt.push(seconds);
	}

	const pauses = askedAt.slice(1).map((seconds, index) => seconds - (askedAt[index] ?? 0));
	expect(pauses).toEqual([30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600, 15, 30]);
});
