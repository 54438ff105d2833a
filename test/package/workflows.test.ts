import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

import { repository } from '../support/n8n/paths';

interface Step {
	uses?: string;
	run?: string;
	with?: Record<string, unknown>;
}

interface Job {
	permissions?: Record<string, string>;
	'timeout-minutes'?: number;
	needs?: string;
	steps: Step[];
}

interface Workflow {
	permissions: Record<string, string>;
	jobs: Record<string, Job>;
}

const folder = join(repository, '.github', 'workflows');

const read = (file: string) => parse(readFileSync(join(folder, file), 'utf8')) as Workflow;

describe.each(readdirSync(folder))('%s', (file) => {
	const { permissions, jobs } = read(file);
	const steps = Object.values(jobs).flatMap((job) => job.steps);

	test('may write nothing, and ends in time', () => {
		const granted = [permissions, ...Object.values(jobs).map((job) => job.permissions ?? {})];
		const writes = granted.flatMap((one) => Object.entries(one)).filter(([, access]) => access !== 'read');
		expect(writes).toEqual(file === 'publish.yml' ? [['id-token', 'write']] : []);
		expect(Object.values(jobs).filter((job) => !job['timeout-minutes'])).toEqual([]);
	});

	test('runs actions of one certain commit, and leaves no token behind', () => {
		const actions = steps.flatMap(({ uses }) => uses ?? []);
		expect(actions).not.toEqual([]);
		expect(actions.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(action))).toEqual([]);
		const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
		expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
	});
});

test('publishing waits for all checks, and says where the package was built', () => {
	const { publish, checks } = read('publish.yml').jobs;
	expect(publish?.needs).toBe('checks');
	expect(checks?.steps).toContainEqual({ run: './.ci/run' });
	expect(publish?.steps.at(-1)).toEqual({ run: 'npm publish --provenance --access public' });
});
