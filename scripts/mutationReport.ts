// Writes test/mutation/RESULTS.md from the last mutation test: `tsx scripts/mutationReport.ts`
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
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

/** Why a mutant survives: by file, and there by what `changeOf` says. */
type Reasons = Record<string, Record<string, string>>;

const root = join(__dirname, '..');
const results = join(root, 'test', 'mutation', 'RESULTS.md');

function read<T>(path: string): T {
	return JSON.parse(readFileSync(join(root, path), 'utf8')) as T;
}

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

function rowOf(name: string, mutants: Mutant[]): string {
	const count = (status: Mutant['status']) => mutants.filter((mutant) => mutant.status === status).length;
	const caught = count('Killed') + count('Timeout');
	const missed = count('Survived') + count('NoCoverage');
	const score = caught + missed === 0 ? '–' : ((100 * caught) / (caught + missed)).toFixed(1);
	const counts = [
		count('Killed'),
		count('Timeout'),
		count('Survived'),
		count('NoCoverage'),
		count('Ignored'),
	];
	return `| ${[name, score, ...counts].join(' | ')} |`;
}

function survivorsOf(files: Array<[string, Report['files'][string]]>, reasons: Reasons): string[] {
	return files.flatMap(([path, { source, mutants }]) => {
		const survivors = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
		const rows = survivors.map((mutant) => {
			const change = changeOf(source, mutant);
			const code = change.replaceAll('`', "'").replaceAll('|', '\\|');
			return `| ${mutant.location.start.line} | \`${code}\` | ${reasons[path]?.[change] ?? 'Not looked at yet'} |`;
		});
		const head = [`### ${path}`, '', '| Line | Change | Why no test fails |', '| --- | --- | --- |'];
		return rows.length > 0 ? [...head, ...rows, ''] : [];
	});
}

const report = read<Report>('coverage/mutation/mutation.json');
const files = Object.entries(report.files).sort(([one], [other]) => one.localeCompare(other));
/** The files that have nothing to change, and those that a run of a part of the code leaves out. */
const leftOut = ['credentials', 'nodes']
	.flatMap((folder) =>
		readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
	)
	.filter((file) => file.endsWith('.ts') && !(file in report.files))
	.sort();
const text = `# Mutation testing

\`npm run test:mutation\` changes the code in one place at a time and looks whether a test fails. It writes this page; the
reasons stand in \`reasons.json\`.

The score is the share of changes that a test caught, or that made it run without end. Left out are changes to what is
computed once when a file is loaded, such as constants and the texts of the panel: every one of them would take all tests.
Other tests read those texts.

| File | Score | Killed | Timeout | Survived | Not covered | Left out |
| --- | --- | --- | --- | --- | --- | --- |
${files.map(([path, { mutants }]) => rowOf(path, mutants)).join('\n')}
${rowOf(
	'**All**',
	files.flatMap(([, { mutants }]) => mutants),
)}

${leftOut.length} further files have nothing to change, or were left out of this run.

## What survived

${survivorsOf(files, read('test/mutation/reasons.json')).join('\n')}`;

void resolveConfig(results).then(async (options) =>
	writeFileSync(results, await format(text, { ...options, parser: 'markdown' })),
);
