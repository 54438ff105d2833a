// Adds the last mutation test to test/mutation/results.json, and writes RESULTS.md beside it: `tsx scripts/mutationReport.ts`
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';

/** What is read of Stryker's report. */
interface Report {
	files: Record<string, { source: string; mutants: Mutant[] }>;
}

interface Mutant {
	status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'Ignored' | 'CompileError' | 'RuntimeError';
	replacement?: string;
	location: { start: Position; end: Position };
}

/** Both count from 1; the column of an end is the first that no longer belongs. */
interface Position {
	line: number;
	column: number;
}

interface Survivor {
	line: number;
	change: string;
	/** Whether a test runs the line at all. */
	isCovered: boolean;
}

/** What the last mutation test of a file found. */
interface Result {
	/** The digest of the code that was tested. */
	digest: string;
	killed: number;
	timeout: number;
	leftOut: number;
	survivors: Survivor[];
}

/** By file. A run of a part of the code leaves the others as they are. */
type Results = Record<string, Result>;

type Files = Array<[path: string, Result]>;

/** Why no test can catch a mutant: by file, and there by what `changeOf` says. */
type Reasons = Record<string, Record<string, string>>;

const root = join(__dirname, '..');
const folder = join(root, 'test', 'mutation');

function read<T>(path: string): T {
	return JSON.parse(readFileSync(join(root, path), 'utf8')) as T;
}

const digestOf = (source: string): string => createHash('sha256').update(source).digest('hex').slice(0, 16);

function short(text: string): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > 90 ? `${line.slice(0, 90)}…` : line;
}

/** What a mutant changes, in words that outlive changes elsewhere in the file. */
function changeOf(source: string, { location: { start, end }, replacement = '' }: Mutant): string {
	const lines = source.split('\n').slice(start.line - 1, end.line);
	lines.push((lines.pop() ?? '').slice(0, end.column - 1));
	lines.unshift((lines.shift() ?? '').slice(start.column - 1));
	return `${short(lines.join('\n'))} → ${short(replacement)}`;
}

function resultOf({ source, mutants }: Report['files'][string]): Result {
	const count = (status: Mutant['status']) => mutants.filter((mutant) => mutant.status === status).length;
	const survivors = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
	return {
		digest: digestOf(source),
		killed: count('Killed'),
		timeout: count('Timeout'),
		leftOut: count('Ignored'),
		survivors: survivors
			.map((mutant) => ({
				line: mutant.location.start.line,
				change: changeOf(source, mutant),
				isCovered: mutant.status === 'Survived',
			}))
			.sort((one, other) => one.line - other.line),
	};
}

function rowOf(name: string, files: Files, reasons: Reasons): string {
	const survivors = files.flatMap(([path, result]) =>
		result.survivors.map((survivor) => ({ ...survivor, reason: reasons[path]?.[survivor.change] })),
	);
	const missed = survivors.filter(({ reason }) => reason === undefined);
	const sum = (count: 'killed' | 'timeout' | 'leftOut') =>
		files.reduce((total, [, result]) => total + result[count], 0);
	const caught = sum('killed') + sum('timeout');
	const counted = caught + missed.length;
	const counts = [
		counted === 0 ? '–' : ((100 * caught) / counted).toFixed(1),
		sum('killed'),
		sum('timeout'),
		missed.filter(({ isCovered }) => isCovered).length,
		missed.filter(({ isCovered }) => !isCovered).length,
		survivors.length - missed.length,
		sum('leftOut'),
	];
	return `| ${[name, ...counts].join(' | ')} |`;
}

function survivorsOf(files: Files, reasons: Reasons): string[] {
	return files.flatMap(([path, { survivors }]) => {
		const rows = survivors.map(({ line, change }) => {
			const code = change.replaceAll('`', "'").replaceAll('|', '\\|');
			return `| ${line} | \`${code}\` | ${reasons[path]?.[change] ?? 'Not looked at yet'} |`;
		});
		const head = [`### ${path}`, '', '| Line | Change | Why no test fails |', '| --- | --- | --- |'];
		return rows.length > 0 ? [...head, ...rows, ''] : [];
	});
}

const { files: tested } = read<Report>('coverage/mutation/mutation.json');
const all: Results = {
	...read<Results>('test/mutation/results.json'),
	...Object.fromEntries(Object.entries(tested).map(([path, file]) => [path, resultOf(file)])),
};
const reasons = read<Reasons>('test/mutation/reasons.json');
const files: Files = Object.entries(all)
	.filter(([path]) => existsSync(join(root, path)))
	.sort(([one], [other]) => one.localeCompare(other));
const isChanged = ([path, { digest }]: [string, Result]): boolean =>
	digest !== digestOf(readFileSync(join(root, path), 'utf8'));
const untested = ['credentials', 'nodes']
	.flatMap((top) =>
		readdirSync(join(root, top), { recursive: true, encoding: 'utf8' }).map((file) => join(top, file)),
	)
	.filter((file) => file.endsWith('.ts') && !(file in all));
const text = `# Mutation testing

\`npm run test:mutation\` changes the code in one place at a time and looks whether a test fails. It writes this page; the
reasons are in \`reasons.json\`.

The score is the share of changes that a test caught, or that made it run without end. It does not count equivalent
changes, which make no difference that a test could see, and changes to what is computed once when a file is loaded, such as
constants and the texts of the panel: every one of them would take all tests. Other tests read those texts. A * marks a file
that has changed since.

| File | Score | Killed | Timeout | Survived | Not covered | Equivalent | Left out |
| --- | --- | --- | --- | --- | --- | --- | --- |
${files.map((file) => rowOf(isChanged(file) ? `${file[0]} \\*` : file[0], [file], reasons)).join('\n')}
${rowOf('**All**', files, reasons)}

${untested.length === 0 ? 'The table has every file.' : `${untested.length} further files were not tested.`}

## What survived

${survivorsOf(files, reasons).join('\n')}`;

async function write(name: string, content: string, parser: 'json' | 'markdown'): Promise<void> {
	const path = join(folder, name);
	writeFileSync(path, await format(content, { ...(await resolveConfig(path)), parser }));
}

void write('results.json', JSON.stringify(Object.fromEntries(files)), 'json').then(
	async () => await write('RESULTS.md', text, 'markdown'),
);
