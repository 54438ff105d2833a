/** Measures this package beside what a user would pick instead: `npm run bench -- [--tiny] [suite …]`. */
import { atATime } from '../support/world/load';
import { machine } from './machine';
import { keep, print } from './report';
import type { Suite } from './support/suite';
import { suites } from './suites';
import { withSharedN8n } from './support/world';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);

async function main(): Promise<void> {
	const words = process.argv.slice(2);
	const isTiny = words.includes('--tiny');
	const names = words.filter((word) => word !== '--tiny');
	const unknown = names.find((name) => !suites.some((suite) => suite.name === name));
	if (unknown) {
		throw new Error(
			`There is no suite '${unknown}', but ${suites.map(({ name }) => name).join(', ')}. The only option is --tiny`,
		);
	}
	const rounds = isTiny ? 1 : ROUNDS;
	const chosen = suites.filter(({ name }) => names.length === 0 || names.includes(name));
	const run = async (suite: Suite) => {
		console.log(`\n${suite.title}: started`);
		const rows = await suite.run({ isTiny, rounds });
		console.log(`\n${suite.title}`);
		print(rows);
		const date = new Date().toISOString().slice(0, 10);
		if (!isTiny) await keep(suites, suite, { date, machine: await machine(), rounds, rows });
	};
	// A tiny run only shows that every suite works; suites that are measured run alone.
	if (isTiny) await withSharedN8n(async () => await atATime(2, chosen, run));
	else for (const suite of chosen) await run(suite);
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
