import { peakOfMessages } from '../support/memory';
import { doNothing, messages, ourSend } from '../support/senders';
import { startSink, type Sink } from '../support/sink';
import { interleaved, middle, type Figures, type Row, type Scale, type Suite } from '../support/suite';
import { createRun, runStep, startBenchWorld, type StepOf } from '../support/world';

const COUNTS = [100, 1_000, 10_000];
const MEMORY_COUNTS = [1_000, 5_000, 10_000];
const MOST_GROWTH = 1.1;
const NOTHING = 'nothing';

const name = (count: number, step = '') => `${step}${count}`;

/** Milliseconds per item. Few items are sent as often as makes the largest number, so that each figure weighs the same. */
async function timePerItem(counts: number[], sink: Sink, { isTiny, rounds }: Scale): Promise<Figures> {
	const world = await startBenchWorld({ sink });
	try {
		const contestants = new Map<string, () => Promise<number>>();
		for (const count of counts) {
			const id = await createRun(world, messages(count), ourSend(world));
			const runs = Math.max(1, Math.min(10, Math.round(Math.max(...counts) / count / 10)));
			contestants.set(name(count), async () => {
				let sum = 0;
				for (let number = 0; number < runs; number++) sum += (await runStep(world, id)).time;
				return sum / runs / count;
			});
		}
		return await interleaved(rounds, contestants, isTiny ? 0 : 1);
	} finally {
		await world.stop();
	}
}

/** Megabytes at the peak, of the node and of one that does nothing in its place. */
async function peaks(counts: number[], sink: Sink, { rounds }: Scale): Promise<Figures> {
	const measure = (count: number, step: StepOf) => async () => await peakOfMessages(count, step, sink);
	const contestants = counts.flatMap((count): Array<[string, () => Promise<number>]> => [
		[name(count), measure(count, (world) => ourSend(world))],
		[name(count, NOTHING), measure(count, doNothing)],
	]);
	return await interleaved(rounds, new Map(contestants));
}

/** Whether memory is linear in the number of items: then no item takes more among many than among few. */
function memoryRows(counts: number[], memory: Figures): Row[] {
	const most = Math.max(...counts);
	const peak = (count: number, step = '') => middle(memory, name(count, step));
	const perItem = (count: number) => (peak(count) * 1024) / count;
	return [
		...counts.map((count): Row => ({
			what: `memory, ${count} items`,
			unit: 'MB',
			ours: peak(count),
			against: 'a node that does nothing',
			theirs: peak(count, NOTHING),
		})),
		...counts
			.filter((count) => count < most)
			.map((count): Row => ({
				what: `memory per item, ${most} items`,
				unit: 'kB',
				ours: perItem(most),
				against: `${count} items`,
				theirs: perItem(count),
				reach: { atMost: MOST_GROWTH },
			})),
	];
}

/** Whether many items cost more than their number says. */
export const growth: Suite = {
	name: 'growth',
	title: 'Growth with the number of items',
	how: 'Time per item in one n8n, at a service that answers at once. Memory at the peak beside that of a node that does nothing with as many items; a fresh n8n for each figure. Memory is linear when an item takes no more among many than among few; a part that is the same for any number of items is in all of these figures, and weighs less the more items there are, so the step from 5,000 to 10,000 tells most.',
	async run(scale) {
		const scaled = (counts: number[]) => (scale.isTiny ? counts.map((count) => count / 50) : counts);
		const counts = scaled(COUNTS);
		const sink = await startSink();
		try {
			const time = await timePerItem(counts, sink, scale);
			const memory = await peaks(scaled(MEMORY_COUNTS), sink, scale);
			const [fewest = NaN, ...more] = counts;
			return [
				...more.map((count): Row => ({
					what: `time per item, ${count} items`,
					unit: 'ms',
					ours: middle(time, name(count)),
					against: `${fewest} items`,
					theirs: middle(time, name(fewest)),
					reach: { atMost: MOST_GROWTH },
				})),
				...memoryRows(scaled(MEMORY_COUNTS), memory),
			];
		} finally {
			await sink.stop();
		}
	},
};
