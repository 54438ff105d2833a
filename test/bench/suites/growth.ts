import { peakGrowth } from '../memory';
import { doNothing, messages, ourSend } from '../senders';
import { startSink, type Sink } from '../sink';
import { interleaved, middle, type Figures, type Row, type Scale, type Suite } from '../suite';
import { createRun, runStep, startBenchWorld, type StepOf } from '../world';

const COUNTS = [100, 1_000, 10_000];
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
	const measure = (count: number, step: StepOf) => async () => {
		const world = await startBenchWorld({ sink });
		try {
			const id = await createRun(world, messages(count), step(world));
			return await peakGrowth(world.n8n.pid, async () => await runStep(world, id));
		} finally {
			await world.stop();
		}
	};
	const contestants = counts.flatMap((count): Array<[string, () => Promise<number>]> => [
		[name(count), measure(count, (world) => ourSend(world))],
		[name(count, NOTHING), measure(count, doNothing)],
	]);
	return await interleaved(rounds, new Map(contestants));
}

/** Whether many items cost more than their number says. */
export const growth: Suite = {
	name: 'growth',
	title: 'Growth with the number of items',
	how: 'Time per item in one n8n, at a service that answers at once. Memory at the peak beside that of a node that does nothing with as many items; a fresh n8n for each figure.',
	async run(scale) {
		const counts = scale.isTiny ? COUNTS.map((count) => count / 50) : COUNTS;
		const sink = await startSink();
		try {
			const time = await timePerItem(counts, sink, scale);
			const memory = await peaks(counts.slice(1), sink, scale);
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
				...more.map((count): Row => ({
					what: `memory, ${count} items`,
					unit: 'MB',
					ours: middle(memory, name(count)),
					against: 'a node that does nothing',
					theirs: middle(memory, name(count, NOTHING)),
				})),
			];
		} finally {
			await sink.stop();
		}
	},
};
