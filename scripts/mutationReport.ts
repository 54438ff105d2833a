// Puts the figures of the last mutation test into test/mutation/RESULTS.md, by folder: `tsx scripts/mutationReport.ts`
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format, resolveConfig } from 'prettier';

/** What is read of Stryker's report. */
interface Report {
	files: Record<string, { source: string; mutants: Mutant[] }>;
}

interface Mutant {
	status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'Ignored' | 'CompileError' | 'RuntimeError';
	replacement?: string;
	/** Both count from 1; the column of an end is the first that no longer belongs. */
	location: Record<'start' | 'end', { line: number; column: number }>;
}

/** Caught by a test, made endless, survived, without a difference, left out. */
type Counts = [killed: number, timeout: number, survived: number, equivalent: number, leftOut: number];

const root = join(__dirname, '..');
const page = join(root, 'test', 'mutation', 'RESULTS.md');
const read = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8')) as T;

/** Why no test can catch a mutant: by file, and there by what `changeOf` says. */
const reasons = read<Record<string, Record<string, string>>>('test/mutation/reasons.json');

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

function countsOf(path: string, { source, mutants }: Report['files'][string]): Counts {
	const survivors = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
	const missed = survivors.filter((mutant) => !reasons[path]?.[changeOf(source, mutant)]);
	for (const mutant of missed)
		console.log(`${path}:${mutant.location.start.line} survived: ${changeOf(source, mutant)}`);
	const count = (wanted: Mutant['status']) => mutants.filter(({ status }) => status === wanted).length;
	const equivalent = survivors.length - missed.length;
	return [count('Killed'), count('Timeout'), missed.length, equivalent, count('Ignored')];
}

const sum = (all: Counts[]): Counts =>
	all.reduce(
		(total, counts) => total.map((value, at) => value + (counts[at] ?? 0)) as Counts,
		[0, 0, 0, 0, 0],
	);

function row(name: string, counts: Counts, tested = ''): string {
	const [killed, timeout, survived] = counts;
	const caught = killed + timeout;
	const score = caught + survived === 0 ? '–' : ((100 * caught) / (caught + survived)).toFixed(1);
	return `| ${[name, score, ...counts, tested].join(' | ')} |`;
}

/** The folders of the page that are still there, of which those that were tested again are replaced. */
const folders = new Map<string, { counts: Counts; on: string }>();
const known =
	/^\| ([\w/]+) +\| [\d.–]+ +\| (\d+) +\| (\d+) +\| (\d+) +\| (\d+) +\| (\d+) +\| ([\d-]+) +\|$/gm;
for (const [, name = '', ...cells] of readFileSync(page, 'utf8').matchAll(known)) {
	const on = cells.pop() ?? '';
	if (existsSync(join(root, name))) folders.set(name, { counts: cells.map(Number) as Counts, on });
}
const today = new Date().toISOString().slice(0, 10);
const tested = Object.entries(read<Report>('coverage/mutation/mutation.json').files).map(
	([path, file]) => [dirname(path), countsOf(path, file)] as const,
);
for (const [folder] of tested) {
	const counts = sum(tested.flatMap(([name, ofFile]) => (name === folder ? [ofFile] : [])));
	folders.set(folder, { counts, on: today });
}

const rows = [...folders].sort(([one], [other]) => one.localeCompare(other));
const text = `# Mutation testing

\`npm run test:mutation\` changes the code in one place at a time and looks whether a test fails. It prints what survived, and puts
the figures of the folders that it tested here.

The score is the share of changes that a test caught, or that made it run without end. It does not count equivalent
changes, which make no difference that a test could see ([the reasons](reasons.json)), and changes to what is computed once when a
file is loaded, such as constants and the texts of the panel: every one of them would take all tests. Other tests read those texts.
A folder without a row has not been tested in one run yet.

| Folder | Score | Killed | Timeout | Survived | Equivalent | Left out | Tested |
| --- | --- | --- | --- | --- | --- | --- | --- |
${rows.map(([name, { counts, on }]) => row(name, counts, on)).join('\n')}
${row('**All**', sum(rows.map(([, { counts }]) => counts)))}
`;

async function write(): Promise<void> {
	writeFileSync(page, await format(text, { ...(await resolveConfig(page)), parser: 'markdown' }));
}

void write();
