import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { beginHistory } from '../chance/histories';
import { startInstance } from './instance';
import type { SendSettings } from './executions';
import { createService } from '../service/service';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const EXECUTIONS_A_DAY = 40;
const DAY_MS = 24 * 60 * 60 * 1000;

const settings: SendSettings = {
	kind: 'text',
	isTool: false,
	onError: 'stopWorkflow',
	tries: 1,
	maxConcurrency: 25,
	maxAttempts: 4,
	maxRateLimitWait: 300,
	afterAmbiguousSend: 'verify',
	pauseWhenQueueAbove: 0,
};

/** In bytes. What a collection has finalized, such as the listeners of a signal, only the next one frees. */
async function usedHeap(): Promise<number> {
	for (let collection = 0; collection < 5; collection++) {
		collectGarbage();
		await new Promise((resolve) => setImmediate(resolve));
	}
	return process.memoryUsage().heapUsed;
}

/** The process remembers the sends of a day, and nothing for longer. */
test('a process that runs for weeks needs no more memory than after a few days', async () => {
	const { scheduler, choices: harmless, tell, pass } = beginHistory([]);
	// One request in four meets a fault, and all faults take turns.
	let asked = 0;
	const choices = { ...harmless, rarely: (times: number) => times === 4 && ++asked % 4 === 0 };
	choices.upTo = (count) => asked % count;
	const service = createService(scheduler, choices, { clockOffsetMs: 0, rateLimit: 100 });
	const n8n = startInstance({ scheduler, choices, service, tell }, { workers: 1, clockStepMs: 0 });
	const { executions } = n8n.database;

	const live = async (days: number): Promise<number> => {
		for (let count = 0; count < days * EXECUTIONS_A_DAY; count++) {
			const items = Array.from({ length: 10 }, (_, item) => ({
				to: `90555111${String(item).padStart(4, '0')}`,
				text: `Text ${count}.${item}`,
			}));
			n8n.start([items], settings);
			await pass(DAY_MS / EXECUTIONS_A_DAY / 2);
			for (const execution of n8n.inStatus('error')) n8n.retry(execution);
			await pass(DAY_MS / EXECUTIONS_A_DAY / 2);
			// The world's own memory.
			for (const list of [executions, service.taken, service.counted, service.shown]) list.length = 0;
		}
		return await usedHeap();
	};

	// By then the lists of the world's chats are full.
	let used = await live(14);
	// What is never freed grows every week. The engine's own compiling does not.
	const growth: number[] = [];
	for (let week = 0; week < 3; week++) {
		const before = used;
		used = await live(7);
		growth.push(used - before);
	}
	expect(Math.min(...growth)).toBeLessThan(150_000);
});
