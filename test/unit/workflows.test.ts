import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

import { scripts } from '../../package.json';
import { repository } from '../support/n8n/paths';

interface Step {
	uses?: string;
	run?: string;
	with?: Record<string, unknown>;
}

/** Either steps, or another workflow with steps of its own. */
interface Job {
	permissions?: Record<string, string>;
	'timeout-minutes'?: number;
	needs?: string;
	uses?: string;
	steps?: Step[];
}

interface Workflow {
	on: object;
	permissions: Record<string, string>;
	jobs: Record<string, Job>;
}

const folder = join(repository, '.github', 'workflows');
const source = (file: string): string => readFileSync(join(folder, file), 'utf8');
const workflow = (file: string): Workflow => parse(source(file)) as Workflow;

/** What a workflow may write: who it is, attestations, a release, and the results of scans. */
const WRITES: Record<string, string[]> = {
	'publish.yml': ['attestations: write', 'contents: write', 'id-token: write'],
	'security.yml': ['id-token: write', 'security-events: write'],
};

describe.each(readdirSync(folder))('%s', (file) => {
	const text = source(file);
	const { permissions, jobs } = workflow(file);
	const all = Object.values(jobs);
	const steps = all.flatMap((job) => job.steps ?? []);

	test('may write only what it has to', () => {
		expect(permissions).toBeDefined();
		const granted = [permissions, ...all.map((job) => job.permissions ?? {})].flatMap(Object.entries);
		const others = granted.filter(([, access]) => access !== 'read');
		const writes = others.map(([what, access]) => `${what}: ${access}`);
		expect([...new Set(writes)].sort()).toEqual(WRITES[file] ?? []);
	});

	test('ends by itself', () => {
		for (const job of all) if (job.steps) expect(job['timeout-minutes']).toBeLessThanOrEqual(120);
	});

	test('runs actions that nobody can change afterwards, and leaves no token behind', () => {
		for (const { uses, with: inputs } of steps) {
			if (uses) expect(uses).toMatch(/^[\w-]+(\/[\w-]+)+@[0-9a-f]{40}$/);
			if (uses?.startsWith('actions/checkout@')) expect(inputs).toEqual({ 'persist-credentials': false });
		}
	});

	test('puts nothing that others wrote into a command', () => {
		for (const { run = '' } of steps) expect(run).not.toContain('${{');
	});

	test('names scripts and files that exist', () => {
		const called = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)];
		for (const [, script = ''] of called) expect(scripts).toHaveProperty([script]);
		const paths = [...text.matchAll(/(?:\.\/|test\/)[^\s*'"]+/g)].map(([path]) => path);
		expect(paths.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
	});
});

test('a version is published only after every check', () => {
	expect(workflow('ci.yml').on).toHaveProperty('workflow_call');
	const { checks, publish } = workflow('publish.yml').jobs;
	expect(checks?.uses).toBe('./.github/workflows/ci.yml');
	expect(publish?.needs).toBe('checks');
	const commands = publish?.steps?.map(({ run = '' }) => run) ?? [];
	const publishing = commands.indexOf('npm publish ./*.tgz');
	expect(commands.indexOf('node scripts/publishable.mjs')).toBeGreaterThan(-1);
	expect(publishing).toBeGreaterThan(commands.indexOf('node scripts/publishable.mjs'));
	// What fails after npm has the package cannot keep it back.
	expect(commands.slice(publishing + 1)).toEqual([
		expect.stringMatching(/^gh release create .* \.\/\*\.tgz bom\.cdx\.json provenance\.intoto\.jsonl$/),
	]);
	expect(commands.indexOf('cp "$BUNDLE" provenance.intoto.jsonl')).toBeGreaterThan(-1);
});
