import { setTimeout as sleep } from 'node:timers/promises';

import { withLegacyExpressions } from '../support/n8n/environment';
import { QUICK_RECOVERY } from '../support/cluster/cluster';
import { startQueueWorld, type QueueWorld } from '../support/cluster/queueWorld';
import {
	LISTENING,
	publishAnswering,
	textsThatRan,
	untilAllRan,
	type Outcome,
} from '../support/world/missedMessages';
import { removeTrigger } from '../support/world/triggerWorld';

/** More by environment variable: they take minutes. */
const MESSAGES = Number(process.env.MISSED_MESSAGES ?? 60);
const KILLS = Number(process.env.MISSED_KILLS ?? 1);
/** How often the service delivers an event at most. */
const DELIVERIES = Number(process.env.MISSED_DELIVERIES ?? 1);
/** As many as run again when n8n is killed: those that ended in the last second before, and those that were running. */
const REPEATED_AT_MOST = 20 * KILLS;

/** A message runs some minutes after it was missed, and a hundred chats at a time. */
const TIMEOUT_MS = 540_000 + MESSAGES * 600;

jest.setTimeout(2 * TIMEOUT_MS);

let world: QueueWorld;
const ids: string[] = [];

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

/** One random moment in each of as many parts as there are kills, by the index of the message before it. */
function momentsOfKills(): Set<number> {
	const part = Math.floor(MESSAGES / (KILLS + 1));
	const moments = Array.from({ length: KILLS }, (_, kill) => Math.floor((kill + Math.random()) * part));
	console.log(`kills after the messages ${moments.join(', ')}`);
	return new Set(moments);
}

/**
 * Writes messages, 20 a second, and breaks something several times meanwhile. Fewer are written while it is broken. Waits
 * until both workflows ran them.
 */
async function writeWhileBreaking(breakSomething: () => Promise<void>): Promise<Record<string, Outcome>> {
	const texts = Array.from({ length: MESSAGES }, (_, index) => `message ${index}`);
	const moments = momentsOfKills();
	let isBroken = false;
	let breaking = Promise.resolve();
	for (const [index, text] of texts.entries()) {
		await world.service.control.incomingMessage({ from: `90555${1_000_000 + (index % 40)}`, body: text });
		await sleep(isBroken ? 500 : 50);
		if (!moments.has(index)) continue;
		await breaking;
		for (const name of Object.keys(LISTENING))
			while ((await textsThatRan(world, name)).length === 0) await sleep(100);
		isBroken = true;
		breaking = breakSomething().finally(() => (isBroken = false));
	}
	await breaking;
	const outcomes = Object.keys(LISTENING).map(
		async (name) => [name, await untilAllRan(world, name, texts, TIMEOUT_MS)] as const,
	);
	return Object.fromEntries(await Promise.all(outcomes));
}

test('each message runs to its end by webhook and by polling, whatever is killed', async () => {
	for (const [name, parameters] of Object.entries(LISTENING))
		ids.push(await publishAnswering(world, name, parameters, 800));
	await world.service.control.setRedelivery({ maxAttempts: DELIVERIES, backoffMs: 1_000 });
	const { workers, main } = world.cluster;
	let kills = 0;

	const outcomes = await writeWhileBreaking(async () => {
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
