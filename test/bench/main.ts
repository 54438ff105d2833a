/** Measures this package beside what a user would pick instead: `npm run bench -- [--tiny] [suite …]`. */
import { machine } from './machine';
import { keep, print } from './report';
import { suites } from './suites';

const ROUNDS = 5;

async function main(): Promise<void> {
	const words = process.argv.slice(2);
	const isTiny = words.includes('--tiny');
	const names = words.filter((word) => !word.startsWith('--'));
	const unknown = names.find((name) => !suites.some((suite) => suite.name === name));
	if (unknown) {
		throw new Error(`There is no suite '${unknown}', but ${suites.map(({ name }) => name).join(', ')}`);
	}
	const rounds = isTiny ? 1 : ROUNDS;
	for (const suite of suites.filter(({ name }) => names.length === 0 || names.includes(name))) {
		console.log(`\n${suite.title}`);
		const rows = await suite.run({ isTiny, rounds });
		print(rows);
		const date = new Date().toISOString().slice(0, 10);
		if (!isTiny) await keep(suites, suite, { date, machine: await machine(), rounds, rows });
	}
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
