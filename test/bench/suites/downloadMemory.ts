import { peakGrowth } from '../support/memory';
import { startSink } from '../support/sink';
import { interleaved, rowsOf, type Suite } from '../support/suite';
import { createRun, runStep, startBenchWorld } from '../support/world';
import { BARE, bareDownload, downloadFile } from './download';

const OURS = 'media:downloadFile';
const MEGABYTE = 1024 * 1024;

/** Enough for V8 to collect several times in each. */
const FILE_MB = 200;

/** A single figure depends on the moment at which V8 collects, so it takes many. */
const FACTOR = 4;

/** What the package adds to the memory of a download. */
export const downloadMemory: Suite = {
	name: 'downloadMemory',
	title: 'Memory of a download',
	how: `A file of ${FILE_MB} MB into n8n's binary store, again and again in one n8n, by turns with a bare download: the memory at the peak above what n8n had before, in ${FACTOR} times as many rounds. A single figure varies by 30 MB with the moment at which V8 collects.`,
	async run({ isTiny, rounds }) {
		const sink = await startSink();
		const world = await startBenchWorld({ sink });
		try {
			const bytes = (isTiny ? 1 : FILE_MB) * MEGABYTE;
			sink.setFileSize(bytes);
			const contestants = new Map<string, () => Promise<number>>();
			for (const [name, step] of [[OURS, downloadFile] as const, [BARE, bareDownload] as const]) {
				const id = await createRun(world, [], step(world));
				contestants.set(
					name,
					async () => await peakGrowth(world.n8n.pid, async () => await runStep(world, id)),
				);
			}
			const figures = await interleaved(isTiny ? 1 : FACTOR * rounds, contestants, isTiny ? 0 : 2);
			return rowsOf(`download of ${bytes / MEGABYTE} MB: memory`, 'MB', figures, OURS, {
				[BARE]: { atMost: 1.1 },
			});
		} finally {
			await world.stop();
			await sink.stop();
		}
	},
};
