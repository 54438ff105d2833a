import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

import { underTest } from '../support/n8n/version';
import { packTarball } from '../support/n8n/package';
import { repository } from '../support/n8n/paths';
import { session } from '../support/n8n/session';
import {
	manualTrigger,
	messagingChannel,
	node,
	withCredentialChosen,
	workflow,
} from '../support/n8n/workflow';
import { byPhone } from '../support/operations/parameters';
import { queryRows } from '../support/world/database';
import { describeWhere } from '../support/world/describeWhere';
import { activateTrigger, deliver } from '../support/world/triggerWorld';
import { startWorld, type World } from '../support/world/world';
import { exampleNames, readExample } from './examples/example';

let world: World;
let home: string;

/** The commands of a section of docs/administration.md. */
const commandsOf = (heading: string): string[] => {
	const page = readFileSync(join(repository, 'docs', 'administration.md'), 'utf8');
	const section = page.split(`### ${heading}\n`)[1]?.split(/^##/m)[0] ?? '';
	return [...section.matchAll(/^\d\. `(.+)`$/gm)].map(([, command = '']) => command);
};

beforeAll(async () => {
	home = await mkdtemp(join(tmpdir(), 'n8n-'));
	const tarball = await packTarball();
	await copyFile(tarball, join(home, basename(tarball)));
	const commands = commandsOf('Without npm');
	expect(commands).toHaveLength(2);
	for (const command of commands)
		await promisify(execFile)('sh', ['-c', command], { cwd: home, env: { ...process.env, HOME: home } });
	const unusedModules = underTest.unusedModules.filter((name) => name !== 'breaking-changes');
	world = await startWorld({
		userFolder: home,
		tarball: false,
		env: { N8N_DISABLED_MODULES: unusedModules.join(',') },
	});
});
afterAll(async () => {
	await world?.stop();
	await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

interface MigrationReport {
	report: {
		instanceResults: Array<{ ruleId: string }>;
		workflowResults: Array<{ ruleId: string }>;
	};
}

describeWhere(
	'migrationReport',
	() => {
		test("n8n's report of what version 3 removes finds nothing in the examples, and what it should", async () => {
			const { api, url } = world.n8n;
			const { rest } = session(url);
			const found = async () => {
				const { report } = await rest<MigrationReport>('POST', '/breaking-changes/report/refresh?version=v3');
				return report.workflowResults.map(({ ruleId }) => ruleId);
			};
			for (const name of exampleNames())
				await api.createWorkflow(withCredentialChosen(await readExample(name), world.credential));
			expect(exampleNames().length).toBeGreaterThan(15);

			expect(await found()).toEqual([]);

			const removed = node('Each', 'n8n-nodes-base.executeWorkflow', { mode: 'each' }, { typeVersion: 1.2 });
			await api.createWorkflow(workflow('Removed', [manualTrigger(), removed]));
			expect(await found()).toEqual(['execute-workflow-each-mode-v3']);
		});
	},
	() => {
		test('there is no report of version 3', async () => {
			const report = session(world.n8n.url).rest('POST', '/breaking-changes/report/refresh?version=v3');
			await expect(report).rejects.toThrow();
		});
	},
);

test('what stays without the package is what the page says, and goes with the workflows', async () => {
	const { n8n, credential, service } = world;
	const send = { resource: 'message', operation: 'send', to: byPhone('+90 555 123 45 67'), message: 'Hello' };
	const sends = messagingChannel('Send', { ...send, options: { requestId: 'once' } }, credential);
	const { id: sending } = await n8n.api.createWorkflow(workflow('Sends', [manualTrigger(), sends]));
	const listening = await activateTrigger(world, { events: ['message.received'] });
	expect((await n8n.api.run(sending)).status).toBe('success');
	await deliver(world);
	await n8n.api.waitForExecutions(listening, 1);
	const rows = async () =>
		(await queryRows<{ id: string }>(n8n, 'SELECT DISTINCT "workflowId" AS id FROM processed_data'))
			.map(({ id }) => id)
			.sort();
	expect(await rows()).toEqual([sending, listening].sort());

	await rm(join(home, '.n8n', 'nodes', 'node_modules', 'n8n-nodes-messaging-channel'), { recursive: true });
	await n8n.restart({ env: { N8N_UNVERIFIED_PACKAGES_ENABLED: 'false' } });

	const UNKNOWN = 'Unrecognized node type: n8n-nodes-messaging-channel.messagingChannel';
	expect(
		await n8n.api.run(sending).then(
			({ error }) => error?.message,
			({ message }: Error) => message,
		),
	).toContain(UNKNOWN);
	const installing = session(n8n.url).rest('POST', '/community-packages', {
		name: 'n8n-nodes-messaging-channel',
	});
	await expect(installing).rejects.toThrow('Installation of unverified community packages is forbidden!');
	expect(await deliver(world)).toMatchObject({ status: 400, responseBody: expect.stringContaining(UNKNOWN) });
	expect((await service.control.webhook()).config?.url).toContain(n8n.url);
	expect(await rows()).toEqual([sending, listening].sort());
	await n8n.api.deleteWorkflow(sending);
	await n8n.api.deleteWorkflow(listening);
	expect(await rows()).toEqual([]);
});
