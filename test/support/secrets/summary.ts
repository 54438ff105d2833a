import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** How much a watch has looked at. */
export interface Looked {
	files: number;
	/** Tables of PostgreSQL; SQLite is a file. */
	tables: number;
	/** Responses of n8n to the test. */
	answers: number;
	/** Requests to the service. */
	requests: number;
	/** The size of all of these, and of what n8n printed. */
	bytes: number;
	/** Headers with the API key where it belongs. */
	authorizations: number;
}

/** What a watch concludes. */
export interface Conclusion extends Looked {
	/** Places where a secret must not be. */
	found: number;
	/** Why secrets are where tests expect them. */
	exceptions: string[];
}

const FILE = 'SECRET_SEARCH_SUMMARY';

/** Begins the summary of a test run, for all its processes. */
export function beginSummary(): void {
	process.env[FILE] ??= join(mkdtempSync(join(tmpdir(), 'secret-search-')), 'conclusions');
}

/** Adds a conclusion, when there is a summary. */
export function addToSummary(conclusion: Conclusion): void {
	const file = process.env[FILE];
	if (file) appendFileSync(file, `${JSON.stringify(conclusion)}\n`);
}

/** Ends the summary; undefined when nothing was looked at. */
export function endSummary(): string | undefined {
	const file = process.env[FILE];
	if (!file) return undefined;
	delete process.env[FILE];
	try {
		if (!existsSync(file)) return undefined;
		const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
		return summaryOf(lines.map((line) => JSON.parse(line) as Conclusion));
	} finally {
		rmSync(dirname(file), { recursive: true, force: true });
	}
}

/** One line, and one more for each exception. */
function summaryOf(conclusions: Conclusion[]): string {
	const sum = (value: (one: Conclusion) => number) => {
		const total = conclusions.reduce((sofar, one) => sofar + value(one), 0);
		return total.toLocaleString('en');
	};
	const exceptions = new Set(conclusions.flatMap((one) => one.exceptions));
	return [
		`Secret search in ${conclusions.length} instances of n8n: ${sum(({ found }) => found)} found in ` +
			`${sum(({ files }) => files)} files, ${sum(({ tables }) => tables)} tables, their logs, ${sum(({ answers }) => answers)} answers and ` +
			`${sum(({ requests }) => requests)} requests to the service ` +
			`(${sum(({ bytes }) => Math.round(bytes / 2 ** 20))} MB). ` +
			`The API key was in ${sum(({ authorizations }) => authorizations)} Authorization headers.`,
		...[...exceptions].map((why) => `  Exception: ${why}`),
	].join('\n');
}
