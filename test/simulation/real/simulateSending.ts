import type { Choices } from '../chance/choices';
import { beginHistory } from '../chance/histories';
import type { ServiceRequest } from '../service/http';
import { startInstance } from '../sending/instance';
import type { StoredExecution } from '../sending/executions';
import { createService } from '../service/service';
import { describeSending } from './outcome';
import type { Segment, SendingScript } from './sendingScript';

/** Between two starts: a busy n8n is slow to begin. */
const PAUSES_MS = [0, 50, 500, 5_000, 30_000] as const;

/** How long after its beginning a segment may be cut off. */
const KILLED_AFTER_MS = [0, 5, 40, 100, 250, 500, 800, 1_500, 3_000, 7_000, 13_000, 20_000, 30_000] as const;

/** Lets a script happen in the simulation. Chance decides how long everything takes. */
export async function simulateSending(
	{ segments, clockOffsetMs }: SendingScript,
	numbers: readonly number[],
): Promise<string[]> {
	const { scheduler, choices: chance, tell, pass } = beginHistory(numbers);
	// Whatever is unusual is in the script, save what is on its way when a process dies: half of that gets lost.
	const choices: Choices = { ...chance, rarely: (times) => times === 2 && chance.rarely(2) };
	let current: Segment | undefined;
	let sendsOf = new Map<string, number>();
	const ofService = serviceChoices(choices, () => current);
	const service = createService(scheduler, ofService, { clockOffsetMs, rateLimit: 1_000 });
	const fateOf = ({ path, body }: ServiceRequest) => {
		if (path !== '/messages/send') return 'arrives';
		const text = String(body.message);
		const before = sendsOf.get(text) ?? 0;
		sendsOf.set(text, before + 1);
		return current?.fates[text]?.[before] ?? 'arrives';
	};
	const n8n = startInstance({ scheduler, choices, service, tell, fateOf }, { workers: 1, clockStepMs: 0 });
	const { executions } = n8n.database;
	const retryOf = new Map<StoredExecution, number>();

	for (const segment of segments) {
		current = segment;
		sendsOf = new Map();
		service.disconnect(segment.isConnected ? 0 : Infinity);
		const failed = executions.filter(({ status }) => status === 'error' || status === 'crashed');
		for (const start of segment.starts) {
			if ('items' in start) n8n.start([start.items], start.settings);
			else {
				const chosen = failed[start.retry % failed.length];
				if (!chosen) continue;
				n8n.retry(chosen);
				retryOf.set(executions.at(-1) as StoredExecution, executions.indexOf(chosen));
			}
			await pass(choices.oneOf(PAUSES_MS));
		}
		if (segment.isKilled) {
			await pass(choices.oneOf(KILLED_AFTER_MS));
			n8n.kill(0);
		}
		await scheduler.run();
	}

	const observed = executions.map((execution) => ({
		...execution,
		retryOf: retryOf.get(execution),
		texts: execution.runs.flat().map(({ text }) => text),
	}));
	return describeSending(
		observed,
		service.taken.map(({ text }) => text),
	);
}

/** The service's delays are left to chance, and its faults to the script. */
function serviceChoices(choices: Choices, segment: () => Segment | undefined): Choices {
	return {
		...choices,
		oneOf: (options) => (typeof options[0] === 'number' ? choices.oneOf(options) : options[0]),
		// What becomes of a message in the queue: the last is that it gets lost.
		upTo: (count) => (segment()?.isLost ? count - 1 : 0),
	};
}
