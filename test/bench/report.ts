import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';

import { n8nVersion } from '../support/n8n/version';
import type { Row, Suite } from './support/suite';

const PAGE = join(__dirname, 'RESULTS.md');

/** A figure with three digits that count. */
function figure(value: number, unit: Row['unit']): string {
	const digits = value === 0 || value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
	return unit === 'items' ? value.toFixed(0) : `${value.toFixed(digits)} ${unit}`;
}

function line({ what, ours, against, theirs, unit, reach }: Row): string {
	const ratio = theirs === 0 ? (ours === 0 ? 1 : Infinity) : ours / theirs;
	const times = theirs === 0 ? '–' : `${ratio.toFixed(ratio < 0.1 ? 3 : 2)} ×`;
	const wanted = reach && ('atMost' in reach ? `≤ ${reach.atMost} ×` : `≥ ${reach.atLeast} ×`);
	const isReached = reach && ('atMost' in reach ? ratio <= reach.atMost : ratio >= reach.atLeast);
	const reached = reach ? (isReached ? 'yes' : '**no**') : '';
	return `| ${[what, figure(ours, unit), against, figure(theirs, unit), times, wanted ?? '', reached].join(' | ')} |`;
}

/** The rows as a table in Markdown. */
export const tableOf = (rows: Row[]): string =>
	[
		'| what | this package | beside | its figure | ratio | wanted | reached |',
		'| --- | --- | --- | --- | --- | --- | --- |',
		...rows.map(line),
	].join('\n');

/** Puts what a suite found into its part of the page; the other parts stay. */
export async function keep({ title, how }: Suite, rows: Row[], rounds: number): Promise<void> {
	const machine = `n8n ${n8nVersion}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GB`;
	const date = new Date().toISOString().slice(0, 10);
	const part = `## ${title}\n\n${how}\n\n${tableOf(rows)}\n\n${date}, ${rounds} rounds: ${machine}.\n\n`;
	const [head = '', ...parts] = readFileSync(PAGE, 'utf8').split(/^(?=## )/m);
	const at = parts.findIndex((one) => one.startsWith(`## ${title}\n`));
	parts.splice(at < 0 ? parts.length : at, at < 0 ? 0 : 1, part);
	const options = { ...(await resolveConfig(PAGE)), filepath: PAGE };
	writeFileSync(PAGE, await format([head, ...parts].join(''), options));
}
