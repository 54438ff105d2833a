import type { INodeParameters } from 'n8n-workflow';

import { QUICK_RECOVERY } from '../support/cluster/cluster';
import { startQueueWorld, type QueueWorld } from '../support/cluster/queueWorld';
import {
	KILLS,
	MESSAGES,
	publishAnswering,
	textsOf,
	untilAllRan,
	writeWhile,
} from '../support/world/missedMessages';
import { removeTrigger } from '../support/world/triggerWorld';

jest.setTimeout(1_200_000);

let world: QueueWorld;
let id: string;

beforeAll(async () => {
	world = await startQueueWorld({
		env: { N8N_EXPRESSION_ENGINE: 'legacy', ...QUICK_RECOVERY },
	});
});
afterAll(async () => await world?.stop());
afterEach(async () => {
	await removeTrigger(world, id);
	await world.service.control.reset();
});

test.each<[string, INodeParameters]>([
	['the webhook, and a service that delivers once', {}],
	['polling', { listen: 'poll', pollInterval: 5 }],
])('with %s, each message runs to its end, whatever is killed', async (name, parameters) => {
	id = await publishAnswering(world, parameters, 800);
	await world.service.control.setRedelivery({ maxAttempts: 1, backoffMs: 100 });
	const { workers, main } = world.cluster;
	let kills = 0;
	const texts = textsOf(MESSAGES);
	await writeWhile(world, texts, async () => {
		const part = [...workers, main][kills++ % (workers.length + 1)];
		await part?.kill();
		await part?.start();
	});

	const { notRun, twice } = await untilAllRan(world, texts);

	console.log(`${name}: ${MESSAGES} messages, ${KILLS} kills: ${twice} ran more than once`);
	expect(notRun).toEqual([]);
	expect(twice).toBeLessThanOrEqual(20 * KILLS);
});
