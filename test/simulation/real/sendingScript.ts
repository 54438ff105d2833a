import { phoneOfChat } from '../../support/service/core/phone';
import { choicesFrom, type Choices } from '../chance/choices';
import { beginHistory } from '../chance/histories';
import { startInstance } from '../sending/instance';
import { sendingHistory, type SendingHistory, type Step } from '../sending/sending';
import type { SendSettings, StoredExecution, WantedSend } from '../sending/executions';
import { createService } from '../service/service';
import type { Outcome } from './compare';
import { describeSending } from './outcome';
import {
	fateNamer,
	fatesFrom,
	KILLED_AFTER_MS,
	onlyTimesOf,
	sampleScripts,
	segmentsOf,
	type Fates,
} from './segments';

/** What the user begins: a run, or a retry of one of the executions that did not succeed. */
type Start = { items: WantedSend[]; settings: SendSettings } | { retry: number };

/** A part of a history, after which everything is over or n8n is killed. */
interface Segment {
	starts: Start[];
	isConnected: boolean;
	/** Whether the channel loses what the service takes. */
	isLost: boolean;
	/** What becomes of the requests that send a text. */
	fates: Record<string, Fates>;
	isKilled: boolean;
}

/** A history that a real n8n and a simulated one can go through, with only the time left to chance. */
export interface SendingScript {
	segments: Segment[];
	clockOffsetMs: number;
}

/** All of a simulated history but its times: chance decides what goes wrong in a segment. */
function scriptOf({ steps, clockOffsetMs }: SendingHistory, numbers: readonly number[]): SendingScript {
	const choices = choicesFrom(numbers);
	const texts: string[] = [];
	// Nothing can be retried in the first segment.
	const isStart = ({ do: what }: Step, index: number) => what === 'run' || (what === 'retry' && index > 0);
	const cut = segmentsOf(steps, (own, index) => own.some((step) => isStart(step, index)));
	const segments = cut.map(({ steps: own, isKilled }, index): Segment => {
		const starts: Start[] = [];
		for (const step of own) {
			if (step.do === 'run') {
				// Faults are by text, so that each needs one of its own.
				const items = (step.runs[0] ?? []).map(({ to }) => {
					const text = `Text ${texts.length}`;
					texts.push(text);
					return { to: phoneOfChat(to), text };
				});
				starts.push({ items, settings: { ...step.settings, kind: 'text', isTool: false } });
			} else if (step.do === 'retry' && index > 0) starts.push({ retry: step.which });
		}
		const isConnected = !own.some((step) => step.do === 'disconnect');
		const isLost = choices.rarely(3);
		// The reference service refuses before it fails.
		const faulty = isConnected ? texts : [];
		const fates = Object.fromEntries(faulty.map((text) => [text, fatesFrom(choices, [2, 4], isKilled)]));
		return { starts, isConnected, isLost, fates, isKilled };
	});
	return { segments, clockOffsetMs };
}

/** What is retried has failed before, and short histories take seconds in a real n8n. */
const isWorthwhile = ({ segments }: SendingScript) =>
	segments.length <= 4 && segments.some(({ starts }) => starts.some((start) => 'retry' in start));

export const sendingScripts = (seed: number, count: number): SendingScript[] =>
	sampleScripts(sendingHistory, scriptOf, isWorthwhile, [seed, count]);

/** Between two starts: a busy n8n is slow to begin. */
const PAUSES_MS = [0, 50, 500, 5_000, 30_000] as const;

/** Lets a script happen in the simulation. Chance decides how long everything takes. */
export async function simulateSending(
	{ segments, clockOffsetMs }: SendingScript,
	numbers: readonly number[],
): Promise<Outcome> {
	const { scheduler, choices: chance, tell, pass } = beginHistory(numbers);
	const choices = onlyTimesOf(chance);
	let current: Segment | undefined;
	let fateOf = fateNamer();
	/** The service's delays are left to chance, and its faults to the script. */
	const ofService: Choices = {
		...choices,
		oneOf: (options) => (typeof options[0] === 'number' ? choices.oneOf(options) : options[0]),
		// What becomes of a message in the queue: the last is that it gets lost.
		upTo: (count) => (current?.isLost ? count - 1 : 0),
	};
	const service = createService(scheduler, ofService, { clockOffsetMs, rateLimit: 1_000 });
	const world = {
		...{ scheduler, choices, service, tell },
		fateOf: ({ path, body }: { path: string; body: { message?: unknown } }) =>
			path === '/messages/send' ? fateOf(String(body.message), current?.fates) : 'arrives',
	};
	const n8n = startInstance(world, { workers: 1, clockStepMs: 0 });
	const { executions } = n8n.database;

	for (const segment of segments) {
		current = segment;
		fateOf = fateNamer();
		service.disconnect(segment.isConnected ? 0 : Infinity);
		const failed = n8n.inStatus('error', 'crashed');
		for (const start of segment.starts) {
			const chosen = 'retry' in start ? failed[start.retry % failed.length] : undefined;
			if ('items' in start) n8n.start([start.items], start.settings);
			else if (chosen) n8n.retry(chosen);
			else continue;
			await pass(choices.oneOf(PAUSES_MS));
		}
		if (segment.isKilled) {
			await pass(choices.oneOf(KILLED_AFTER_MS));
			n8n.kill(0);
		}
		await scheduler.run();
	}

	const indexOf = (id?: string) => executions.findIndex((execution: StoredExecution) => execution.id === id);
	const observed = executions.map(({ retryOf, runs, ...execution }) => ({
		...execution,
		retryOf: indexOf(retryOf),
		texts: runs.flat().map(({ text }) => text),
	}));
	return describeSending(
		observed,
		service.taken.map(({ text }) => text),
	);
}
