import type { INode } from 'n8n-workflow';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { node } from '../../support/n8n/workflow';
import { downloads, uploads } from '../support/steps';
import { interleaved, rowsOf, type Row, type Scale, type Suite } from '../support/suite';
import { createRun, inWorld, peakGrowth, runStep, type StepOf } from '../support/world';

const MEGABYTE = 1024 * 1024;
const MOST_GROWTH_MB = 64;
const SMALL = 1000;

/** Memory and time of each step with a large file, in a fresh n8n each. */
async function rowsFor(
	what: string,
	steps: Record<string, StepOf>,
	scale: Scale,
	before: (bytes: number) => INode[],
	env: Record<string, string> = {},
): Promise<Row[]> {
	const large = scale.isTiny ? MEGABYTE : 1024 * MEGABYTE;
	const measure = (step: StepOf) => async () =>
		await inWorld({ env }, async (world) => {
			const run = async (bytes: number) => {
				world.sink.set({ fileSize: bytes });
				return await runStep(world, await createRun(world, { nodes: before(bytes) }, step(world)));
			};
			// What n8n loads with the first execution is not the file's.
			await run(SMALL);
			let time = 0;
			world.sink.taken();
			const memory = await peakGrowth(world, async () => {
				time = await run(large);
			});
			const { accepted, bytes } = world.sink.taken();
			if (what === 'upload' && accepted > 0 && bytes < large) throw new Error(`Only ${bytes} bytes arrived`);
			return { memory, time: time / 1000 };
		});
	const contestants = Object.entries(steps).map(([name, step]) => [name, measure(step)] as const);
	const medians = await interleaved(scale, Object.fromEntries(contestants), 0);
	const [ours = ''] = Object.keys(steps);
	const title = `${what} of ${scale.isTiny ? '1 MB' : '1 GB'}`;
	const withLimit = { 'the limit': { memory: MOST_GROWTH_MB, time: 0 }, ...medians };
	return [
		...rowsOf(`${title}: memory`, 'MB', withLimit, 'memory', ours, { 'the limit': { atMost: 1 } }),
		...rowsOf(`${title}: time`, 's', medians, 'time', ours, { 'HTTP Request': { atMost: 1 } }),
	];
}

/** Sending a large file out of n8n's binary store, and taking one into it. */
export const files: Suite = {
	name: 'files',
	title: 'Files',
	how: "Between the service and n8n's binary store on disk, in a fresh n8n for each figure, after the same run with a small file: the peak of the memory above what n8n had before, and the time of the node. To upload a file, n8n reads it from the disk first, also for the node that does nothing.",
	async run(scale) {
		const folder = await mkdtemp(join(tmpdir(), 'bench-'));
		try {
			for (const bytes of [SMALL, MEGABYTE, ...(scale.isTiny ? [] : [1024 * MEGABYTE])]) {
				const file = await open(join(folder, `${bytes}.mp4`), 'w');
				await file.truncate(bytes);
				await file.close();
			}
			const read = (bytes: number) => [
				node('File', 'n8n-nodes-base.readWriteFile', {
					fileSelector: join(folder, `${bytes}.mp4`),
					options: {},
				}),
			];
			return [
				...(await rowsFor('upload', uploads, scale, read, { N8N_RESTRICT_FILE_ACCESS_TO: folder })),
				...(await rowsFor('download', downloads, scale, () => [])),
			];
		} finally {
			await rm(folder, { recursive: true, force: true });
		}
	},
};
