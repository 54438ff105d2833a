import manifest from '../../package.json';
import { startQueueWorld, type QueueWorld } from '../support/cluster/queueWorld';
import { eventually } from '../support/service/testing';
import { activateTrigger, deliver, TRIGGER } from '../support/world/triggerWorld';

let world: QueueWorld;

beforeAll(async () => {
	world = await startQueueWorld({ webhookProcessors: 1, workers: 1 });
});
afterAll(async () => await world?.stop());

test('every process of the compose file installs the package in the version of the file', async () => {
	const { main, webhookProcessors, workers, postgres } = world.cluster;
	const installed = await postgres.query('SELECT "packageName", "installedVersion" FROM installed_packages');
	expect(installed).toEqual([{ packageName: manifest.name, installedVersion: manifest.version }]);
	for (const part of [main, ...webhookProcessors, ...workers])
		await eventually(
			() => part.logs(),
			(logs) => logs.includes(`Community package installed: ${manifest.name}`),
		);

	const id = await activateTrigger(world);
	expect((await deliver(world)).status).toBe(200);
	const [execution] = await world.cluster.api.waitForExecutions(id, 1);
	expect(execution?.items(TRIGGER)).toHaveLength(1);
});
