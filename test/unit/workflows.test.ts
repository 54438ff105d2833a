import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

import { repository } from '../support/n8n/paths';

interface Step {
	uses?: string;
	run?: string;
}

interface Job {
	permissions?: Record<string, string>;
	'timeout-minutes'?: number;
	steps: Step[];
}

interface Workflow {
	on: { schedule?: Array<{ cron: string }> };
	permissions?: Record<string, string>;
	jobs: Record<string, Job>;
}

const folder = join(repository, '.github', 'workflows');
const workflows = readdirSync(folder).map((file): [string, Workflow] => [
	file,
	parse(readFileSync(join(folder, file), 'utf8')) as Workflow,
]);
const jobs = workflows.flatMap(([file, { jobs: all }]) =>
	Object.entries(all).map(([name, job]): [string, Job] => [`${file}: ${name}`, job]),
);

test.each(jobs)('%s runs only actions that nobody can change afterwards', (_, { steps }) => {
	for (const { uses } of steps) if (uses) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
});

test.each(jobs)('%s ends by itself', (_, job) => expect(job['timeout-minutes']).toBeLessThanOrEqual(60));

test.each(workflows)('%s gives a job no more than it needs', (_, workflow) => {
	expect(workflow.permissions).toBeDefined();
	for (const { permissions = workflow.permissions ?? {}, steps } of Object.values(workflow.jobs)) {
		const publishes = steps.some(({ run }) => run?.startsWith('npm publish'));
		expect(permissions).toEqual({ contents: 'read', ...(publishes ? { 'id-token': 'write' } : {}) });
	}
});

test.each(workflows)('%s puts nothing that others wrote into a command', (_, workflow) => {
	for (const { steps } of Object.values(workflow.jobs))
		for (const { run = '' } of steps) expect(run).not.toContain('${{');
});

test('a version is published with provenance, and only after every check', () => {
	const publish = Object.fromEntries(workflows)['publish.yml'] as Workflow & {
		jobs: { publish: Job & { needs: string } };
	};
	expect(publish.jobs.publish.needs).toBe('checks');
	expect(publish.jobs.checks?.steps.at(-1)?.run).toBe('./.ci/run');
	expect(publish.jobs.publish.steps.at(-1)?.run).toBe('npm publish --provenance --access public');
});

test('mutation testing runs every night', () => {
	const { on, jobs: all } = Object.fromEntries(workflows)['nightly.yml'] as Workflow;
	expect(on.schedule).toEqual([{ cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) }]);
	expect(all.mutation?.steps.at(-1)?.run).toBe('npm run test:mutation');
});
