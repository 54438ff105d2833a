import { setTimeout as sleep } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';

import { withLegacyExpressions } from '../support/n8n/environment';
import { nightly } from '../support/nightly';
import { QUICK_RECOVERY } from '../support/cluster/cluster';
import { startQueueWorld, type QueueWorld } from '../support/cluster/queueWorld';
import { poll } from '../support/poll';
import { publishAnswering, textsThatRan, untilAllRan } from '../support/world/missedMessages';
import { removeTrigger } from '../support/world/triggerWorld';

const MESSAGES = 60;
/** As many as run again when n8n is killed: those that ended in the last second before, and those that were running. */
const REPEATED_AT_MOST = 20;

/** A message runs some minutes after it was missed. */
const TIMEOUT_MS = 576_000;

// Each wait has an end of its own, which says what did not happen.
jest.setTimeout(5 * TIMEOUT_MS);

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

/** Two workflows that listen to one account, each in its way. */
const LISTENING: Readonly<Record<string, INodeParameters>> = {
	webhook: {},
	polling: { listen: 'poll', pollInterval: 5 },
};

// In one process, trigger.missedNight.test.ts shows every day that what was missed is caught up.
nightly.test('each message runs, by webhook and by polling, though a worker is killed', async () => {
	const names = Object.keys(LISTENING);
	for (const [name, parameters] of Object.entries(LISTENING))
		ids.push(await publishAnswering(world, name, parameters, 800));
	// What fails is not delivered again.
	await world.service.control.setRedelivery({ maxAttempts: 1, backoffMs: 1_000 });
	const texts = Array.from({ length: MESSAGES }, (_, index) => `message ${index}`);
	const moment = Math.floor((Math.random() * MESSAGES) / 2);
	console.log(`kill after message ${moment}`);
	let isBroken = false;
	let breaking = Promise.resolve();

	// 20 a second, and fewer while the worker is away.
	for (const [index, body] of texts.entries()) {
		await world.service.control.incomingMessage({ from: `90555${1_000_000 + (index % 40)}`, body });
		await sleep(isBroken ? 500 : 50);
		if (index !== moment) continue;
		for (const name of names)
			await poll(async () => (await textsThatRan(world, name)).length > 0, {
				timeoutMs: TIMEOUT_MS,
				failure: `no message ran in ${name}`,
			});
		const [worker] = world.cluster.workers;
		isBroken = true;
		await worker?.kill();
		breaking = worker?.start().finally(() => (isBroken = false)) ?? breaking;
	}
	await breaking;

	for (const name of names) {
		const { notRun, repeated } = await untilAllRan(world, name, texts, TIMEOUT_MS);
		console.log(`${name}: ${MESSAGES} messages: ${repeated} ran again`);
		expect(notRun).toEqual([]);
		expect(repeated).toBeLessThanOrEqual(REPEATED_AT_MOST);
	}
});
