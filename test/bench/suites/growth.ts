import { doNothing, httpRequestSend, messages, ourSend } from '../support/steps';
import { interleaved, type Row, type Suite } from '../support/suite';
import { createRun, inWorld, peakGrowth, runStep, type StepOf } from '../support/world';

const MOST_GROWTH = 1.1;

/** Milliseconds for an item among so many, and megabytes at the peak, in a fresh n8n. */
const measure = (count: number, step: StepOf) => async () =>
	await inWorld({}, async (world) => {
		const run = async (items: number) =>
			await runStep(world, await createRun(world, messages(items), step(world)));
		// What n8n loads with the first execution is not the items'.
		await run(10);
		let time = 0;
		const memory = await peakGrowth(world, async () => {
			time = await run(count);
		});
		return { time: time / count, memory };
	});

/** Whether many items cost more than their number says. */
export const growth: Suite = {
	name: 'growth',
	title: 'Growth with the number of items',
	how: 'At a service that answers at once, in a fresh n8n for each figure: the time of the node for each item, and the peak of the memory above what n8n had before, beside a node that does nothing with as many items.',
	async run(scale) {
		const counts = [100, 1_000, 5_000, 10_000].map((count) => (scale.isTiny ? count / 50 : count));
		const [fewest = 0, , many = 0] = counts;
		const contestants = Object.fromEntries([
			...counts.map((count) => [String(count), measure(count, ourSend())] as const),
			...counts.map((count) => [`nothing ${count}`, measure(count, doNothing)] as const),
			['HTTP Request', measure(many, httpRequestSend())] as const,
		]);
		const medians = await interleaved(scale, contestants, 0);
		const of = (name: string) => medians[name] ?? { time: NaN, memory: NaN };
		const memoryRow = (count: number, against: string, name: string): Row => ({
			what: `memory, ${count} items`,
			unit: 'MB',
			ours: of(String(count)).memory,
			against,
			theirs: of(name).memory,
		});
		return [
			...counts.slice(1).map((count): Row => ({
				what: `time per item, ${count} items`,
				unit: 'ms',
				ours: of(String(count)).time,
				against: `${fewest} items`,
				theirs: of(String(fewest)).time,
				reach: { atMost: MOST_GROWTH },
			})),
			...counts.map((count) => memoryRow(count, 'a node that does nothing', `nothing ${count}`)),
			{ ...memoryRow(many, 'HTTP Request', 'HTTP Request'), reach: { atMost: 1 } },
		];
	},
};
