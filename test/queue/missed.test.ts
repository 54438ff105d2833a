import { withLegacyExpressions } from '../support/n8n/environment';
import { QUICK_RECOVERY } from '../support/cluster/cluster';
import { startQueueWorld, type QueueWorld } from '../support/cluster/queueWorld';
import {
	KILLS,
	MESSAGES,
	publishListening,
	REPEATED_AT_MOST,
	TIMEOUT_MS,
	writeWhileBreaking,
} from '../support/world/missedMessages';
import { removeTrigger } from '../support/world/triggerWorld';

jest.setTimeout(2 * TIMEOUT_MS);

let world: QueueWorld;
let ids: string[] = [];

beforeAll(async () => {
	world = await startQueueWorld({
		env: {
			...withLegacyExpressions,
			// What ran must be known although n8n deletes its executions.
			EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
			...QUICK_RECOVERY,
		},
	});
});
afterAll(async () => {
	for (const id of ids) await removeTrigger(world, id);
	await world?.stop();
});

test('each message runs to its end by webhook and by polling, whatever is killed', async () => {
	ids = await publishListening(world);
	const { workers, main } = world.cluster;
	let kills = 0;

	const outcomes = await writeWhileBreaking(world, async () => {
		const part = [...workers, main][kills++ % (workers.length + 1)];
		await part?.kill();
		await part?.start();
	});

	for (const [name, { notRun, repeated }] of Object.entries(outcomes)) {
		console.log(`${name}: ${MESSAGES} messages, ${KILLS} kills: ${repeated} ran again`);
		expect(notRun).toEqual([]);
		expect(repeated).toBeLessThanOrEqual(REPEATED_AT_MOST);
	}
});
