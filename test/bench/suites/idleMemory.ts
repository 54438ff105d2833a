import { setTimeout as sleep } from 'node:timers/promises';

import { startN8n } from '../../n8n/instance';
import { residentMemory } from '../memory';
import { rowsOf, type Suite } from '../suite';

const SETTLE_MS = 10_000;

/** Without a limit, what n8n leaves behind at its start is collected in some runs and in others not: 180 MB. */
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=256' };

const WITH = 'n8n with this package';
const WITHOUT = 'n8n without it';

/** How much memory an idle n8n needs with this package. */
export const idleMemory: Suite = {
	name: 'idleMemory',
	title: 'An idle n8n',
	how: 'Two n8n, with and without the package, started at the same time; their resident memory ten seconds later.',
	async run({ isTiny, rounds }) {
		const figures = new Map<string, number[]>([
			[WITH, []],
			[WITHOUT, []],
		]);
		for (let round = 0; round < rounds; round++) {
			const both = await Promise.all([
				startN8n({ env: SMALL_HEAP }),
				startN8n({ tarball: false, env: SMALL_HEAP }),
			]);
			if (!isTiny) await sleep(SETTLE_MS);
			[WITH, WITHOUT].forEach((name, index) =>
				figures.get(name)?.push(residentMemory(both[index]?.pid ?? -1)),
			);
			await Promise.all(both.map(async (n8n) => await n8n.stop()));
		}
		return rowsOf('resident memory', 'MB', figures, WITH);
	},
};
