/** Measures this package beside what a user would pick instead: `npm run bench -- [--tiny] [suite …]`. */
import { atATime } from '../support/world/load';
import { keep, tableOf } from './report';
import { events } from './suites/events';
import { files } from './suites/files';
import { growth } from './suites/growth';
import { keywords } from './suites/keywords';
import { rateLimit, requestIds, sending } from './suites/sending';
import { start } from './suites/start';
import type { Suite } from './support/suite';
import { withSharedN8n } from './support/world';

const suites = [sending, requestIds, rateLimit, growth, files, events, keywords, start];

async function main(): Promise<void> {
	const words = process.argv.slice(2);
	const isTiny = words.includes('--tiny');
	const names = words.filter((word) => word !== '--tiny');
	const known = suites.map(({ name }) => name);
	const unknown = names.find((name) => !known.includes(name));
	if (unknown) throw new Error(`There is no suite '${unknown}', but ${known.join(', ')}; and --tiny`);
	const rounds = isTiny ? 1 : Number(process.env.BENCH_ROUNDS ?? 5);
	const chosen = suites.filter(({ name }) => names.length === 0 || names.includes(name));
	const run = async (suite: Suite) => {
		console.log(`\n${suite.title}: started`);
		const rows = await suite.run({ isTiny, rounds });
		console.log(`\n${suite.title}\n${tableOf(rows)}`);
		if (!isTiny) await keep(suite, rows, rounds);
	};
	// A tiny run only shows that every suite works; suites that are measured run alone.
	if (isTiny) await withSharedN8n(async () => await atATime(2, chosen, run));
	else for (const suite of chosen) await run(suite);
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
