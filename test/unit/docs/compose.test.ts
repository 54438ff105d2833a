import { parse } from 'yaml';

import { composeService, composeServiceNames, composeVariables } from '../../support/cluster/composeFile';
import { textOf } from './pages';

const sample = textOf('docs/scaling/sample.env');
const inSample = [...sample.matchAll(/^([A-Z_]+)=(.*)$/gm)];
const values = Object.fromEntries(composeVariables().map((name) => [name, `the ${name}`]));
const n8n = composeServiceNames()
	.filter((name) => name.startsWith('n8n-'))
	.map((name) => [name, composeService(name, values)] as const);

test('sample.env has the values that the compose file takes, and no secret', () => {
	expect(inSample.map(([, name]) => name)).toEqual(composeVariables());
	expect(inSample.map(([, , value]) => value)).toEqual(['https://n8n.example.com/', '', '', '']);
});

test('the package is pinned to the version of this repository', () => {
	const { name, version } = JSON.parse(textOf('package.json')) as { name: string; version: string };
	for (const [, { environment }] of n8n)
		expect(JSON.parse(environment.N8N_COMMUNITY_PACKAGES ?? '')).toEqual([{ name, version }]);
});

test('every process loads the package in n8n 3, too', () => {
	for (const [, { environment }] of n8n) expect(environment.N8N_UNVERIFIED_PACKAGES_ENABLED).toBe('true');
});

test('processes of a kind have the same command and environment, so that the tests run one for all', () => {
	const kinds = [...new Set(n8n.map(([name]) => name.replace(/-\d$/, '')))];
	expect(kinds).toEqual(['n8n-main', 'n8n-webhook', 'n8n-worker']);
	for (const kind of kinds) {
		const members = n8n.filter(([name]) => name.startsWith(kind));
		expect(new Set(members.map(([, service]) => JSON.stringify(service))).size).toBe(1);
	}
});

const { services } = parse(textOf('docs/scaling/compose.yaml'), { merge: true }) as {
	services: Record<string, { volumes: string[]; stop_grace_period?: string }>;
};

test('every process has a folder of its own', () => {
	const folders = n8n.flatMap(([name]) => services[name]?.volumes);
	expect(new Set(folders).size).toBe(n8n.length);
});

test('Docker gives a worker longer to stop than n8n gives its executions to end', () => {
	for (const [name, { environment }] of n8n.filter(([one]) => one.startsWith('n8n-worker'))) {
		const minutes = Number(/^(\d+)m$/.exec(services[name]?.stop_grace_period ?? '')?.[1]);
		const seconds = Number(environment.N8N_GRACEFUL_SHUTDOWN_TIMEOUT);
		expect(seconds).toBeGreaterThan(30);
		expect(minutes * 60).toBeGreaterThan(seconds);
	}
});
