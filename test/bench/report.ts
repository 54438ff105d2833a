import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';
import type { Row, Suite } from './support/suite';

const KEPT = join(__dirname, 'results.json');
const TABLE = join(__dirname, 'RESULTS.md');

/** What one suite found, and on what. */
export interface Result {
	date: string;
	machine: string;
	rounds: number;
	rows: Row[];
}

type Results = Record<string, Result>;

/** A figure with three digits that count. */
function figure(value: number, unit: Row['unit']): string {
	const digits = value === 0 || value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
	return `${value.toFixed(unit === 'items' ? 0 : digits)}${unit === 'items' ? '' : ` ${unit}`}`;
}

/** How often the one is in the other; nothing beside nothing is as it should be. */
function ratioOf({ ours, theirs }: Row): number {
	return theirs === 0 ? (ours === 0 ? 1 : Infinity) : ours / theirs;
}

function ratioText(row: Row): string {
	if (row.theirs === 0) return '–';
	const ratio = ratioOf(row);
	return `${ratio.toFixed(ratio < 0.1 ? 3 : 2)} ×`;
}

/** Whether a row reaches what is wanted of it; undefined when nothing is. */
function isReached(row: Row): boolean | undefined {
	if (!row.reach) return undefined;
	const ratio = ratioOf(row);
	return 'atMost' in row.reach ? ratio <= row.reach.atMost : ratio >= row.reach.atLeast;
}

function reachText({ reach }: Row): string {
	if (!reach) return '';
	const [sign, value] = 'atMost' in reach ? ['≤', reach.atMost] : ['≥', reach.atLeast];
	return `${sign} ${value < 0.1 ? `1/${Math.round(1 / value)}` : value} ×`;
}

const VERDICT = new Map([
	[true, 'yes'],
	[false, '**no**'],
]);

function tableOf(rows: Row[]): string {
	const lines = rows.map((row) =>
		[
			row.what,
			figure(row.ours, row.unit),
			row.against,
			figure(row.theirs, row.unit),
			ratioText(row),
			reachText(row),
			VERDICT.get(isReached(row) as boolean) ?? '',
		].join(' | '),
	);
	return [
		'| what | this package | beside | its figure | ratio | wanted | reached |',
		'|---|---|---|---|---|---|---|',
	]
		.concat(lines.map((line) => `| ${line} |`))
		.join('\n');
}

/** The rows of a suite for a terminal. */
export function print(rows: Row[]): void {
	console.log(tableOf(rows));
}

const read = (): Results => (existsSync(KEPT) ? (JSON.parse(readFileSync(KEPT, 'utf8')) as Results) : {});

/** Keeps what a suite found, and writes the whole table anew. */
export async function keep(suites: Suite[], suite: Suite, result: Result): Promise<void> {
	const results = { ...read(), [suite.name]: result };
	await write(KEPT, JSON.stringify(results));
	await write(TABLE, page(suites, results));
}

async function write(file: string, text: string): Promise<void> {
	writeFileSync(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
}

function page(suites: Suite[], results: Results): string {
	const parts = suites.flatMap((suite) => {
		const result = results[suite.name];
		if (!result) return [];
		return [
			`## ${suite.title}`,
			suite.how,
			tableOf(result.rows),
			`${result.date}, ${result.rounds} ${result.rounds === 1 ? 'round' : 'rounds'}: ${result.machine}.`,
		];
	});
	return [
		'# Results',
		'Made by `npm run bench`; do not edit. Each figure is the median of rounds in which all contestants take turns, so the ratios count and not the figures: other machines are faster or slower. `npm run bench -- events` measures one group anew.',
		...parts,
	].join('\n\n');
}
