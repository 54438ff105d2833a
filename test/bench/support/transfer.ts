import type { INode } from 'n8n-workflow';

import { peakGrowth } from './memory';
import { interleaved, middle, rowsOf, type Figures, type Row, type Scale } from './suite';
import { createRun, runStep, type BenchWorld, type StepOf } from './world';

const MEGABYTE = 1024 * 1024;
const SMALL = 1000;
const MOST_GROWTH_MB = 64;

export const HTTP_REQUEST = 'HTTP Request';
export const NOTHING = 'a node that does nothing';

/** The contestant of this name runs in an n8n whose V8 collects what is new after each megabyte of it. */
export const SMALL_YOUNG = "itself where V8's young generation is 1 MB";
const SMALL_YOUNG_OPTIONS = '--max-semi-space-size=1';

/** Why V8 decides how much memory a transfer takes, for the reader of the table. */
export const MEMORY_CAUSE =
	'Most of the memory is pieces of the file that have gone on and wait for V8 to collect them, which it does more often where its young generation is 1 MB.';

/** Bytes of the file that warms up, and of the one that is measured. */
export type Sizes = [small: number, large: number];

export const sizesOf = ({ isTiny }: Scale): Sizes => [SMALL, isTiny ? MEGABYTE : 1024 * MEGABYTE];

/** Files that go through a node. */
export interface Transfer {
	sizes: Sizes;
	/** An n8n that has done nothing yet, for each figure, with options for its Node. */
	start: (nodeOptions: string) => Promise<BenchWorld>;
	/** Gives back what `start` took, if it is not kept for the next. */
	end?: (world: BenchWorld) => Promise<void>;
	/** The steps before the one that is measured, for a file of this size. */
	before: (bytes: number) => INode[];
	contestants: ReadonlyMap<string, StepOf>;
	/** Looks whether the file has gone all the way, where n8n cannot tell. */
	check?: (name: string, world: BenchWorld) => void;
}

/** What each contestant took: megabytes at the peak above what was there before, and seconds. */
export interface TransferFigures {
	growth: Figures;
	time: Figures;
}

/** Memory and time of each contestant, in a fresh n8n each. */
export async function measure(
	{ sizes, start, end, before, contestants, check }: Transfer,
	rounds: number,
): Promise<TransferFigures> {
	const time = new Map<string, number[]>([...contestants.keys()].map((name) => [name, []]));
	const runs = [...contestants].map(([name, step]): [string, () => Promise<number>] => [
		name,
		async () => {
			const world = await start(name === SMALL_YOUNG ? SMALL_YOUNG_OPTIONS : '');
			try {
				const run = async (bytes: number) => {
					world.sink.setFileSize(bytes);
					const id = await createRun(world, before(bytes), step(world));
					world.sink.taken();
					return await runStep(world, id);
				};
				// What n8n loads with the first execution is not the file's.
				await run(sizes[0]);
				const growth = await peakGrowth(world.n8n.pid, async () => {
					const { time: ms } = await run(sizes[1]);
					time.get(name)?.push(ms / 1000);
				});
				check?.(name, world);
				return growth;
			} finally {
				await end?.(world);
			}
		},
	]);
	return { growth: await interleaved(rounds, new Map(runs)), time };
}

/** The rows of a transfer, `what`, of which the node `ours` is to take no longer than the contestant `rival`. */
export function transferRows(
	what: string,
	[, bytes]: Sizes,
	{ growth, time }: TransferFigures,
	ours: string,
	rival: string,
): Row[] {
	const title = `${what} of ${sizeName(bytes)}`;
	return [
		{
			what: `${title}: memory`,
			unit: 'MB',
			ours: middle(growth, ours),
			against: 'the limit',
			theirs: MOST_GROWTH_MB,
			reach: { atMost: 1 },
		},
		...rowsOf(`${title}: memory`, 'MB', growth, ours),
		...rowsOf(`${title}: time`, 's', time, ours, { [rival]: { atMost: 1 } }).filter(
			({ against }) => against !== NOTHING && against !== SMALL_YOUNG,
		),
	];
}

const sizeName = (bytes: number) =>
	bytes >= 1024 * MEGABYTE ? `${bytes / 1024 / MEGABYTE} GB` : `${bytes / MEGABYTE} MB`;
