import fc from 'fast-check';

import { choicesFrom } from './choices';
import {
	newDatabase,
	startProcess,
	type NodeSettings,
	type StoredExecution,
	type WantedMessage,
} from './sendingProcess';
import { createScheduler } from './scheduler';
import { createService } from './service';

/** What a user does in one step of a history. */
type Step =
	| { do: 'run'; messages: WantedMessage[]; settings: NodeSettings }
	/** Retries one of the executions that did not succeed. */
	| { do: 'retry'; which: number }
	| { do: 'kill' }
	| { do: 'disconnect'; ms: number }
	| { do: 'wait'; ms: number };

/** A story: what the user does, and what chance brings. */
export interface SendingHistory {
	steps: Step[];
	numbers: number[];
	clockOffsetMs: number;
	rateLimit: number;
}

const START = Date.UTC(2030, 0, 31, 9);
const RECIPIENTS = ['905551112233', '905551112244', '905551112255'] as const;

const settings = fc.record<NodeSettings>({
	onError: fc.constantFrom('stopWorkflow' as const, 'continueRegularOutput' as const),
	tries: fc.constantFrom(1, 2, 3),
	maxConcurrency: fc.constantFrom(1, 2, 25),
});

const recipients = fc.array(fc.constantFrom(...RECIPIENTS), { minLength: 1, maxLength: 4 });

const step: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 4,
		arbitrary: fc.tuple(recipients, settings).map(([to, chosen]): Step => ({
			do: 'run',
			messages: to.map((recipient) => ({ to: recipient, message: '' })),
			settings: chosen,
		})),
	},
	{ weight: 4, arbitrary: fc.nat(3).map((which): Step => ({ do: 'retry', which })) },
	{ weight: 1, arbitrary: fc.constant<Step>({ do: 'kill' }) },
	{ weight: 2, arbitrary: fc.constantFrom(300, 60_000).map((ms): Step => ({ do: 'disconnect', ms })) },
	{
		weight: 3,
		arbitrary: fc.constantFrom(10, 1_000, 30_000, 600_000).map((ms): Step => ({ do: 'wait', ms })),
	},
);

/** Each message has a text of its own, so that it is known whose it is. */
export const sendingHistory: fc.Arbitrary<SendingHistory> = fc
	.record({
		steps: fc.array(step, { minLength: 1, maxLength: 8 }),
		numbers: fc.array(fc.nat(1_000_000), { maxLength: 300, size: 'max' }),
		clockOffsetMs: fc.constantFrom(0, 90_000, -90_000),
		rateLimit: fc.constantFrom(100, 5),
	})
	.map(({ steps, ...rest }) => ({
		...rest,
		steps: steps.map((one, index) =>
			one.do === 'run'
				? {
						...one,
						messages: one.messages.map((message, item) => ({ ...message, message: `Text ${index}.${item}` })),
					}
				: one,
		),
	}));

/** How a history ended. */
export interface SendingOutcome {
	executions: StoredExecution[];
	taken: Array<{ to: string; text: string; takenAt: number }>;
	log: string[];
}

/** Lets a history happen. */
export async function playSending({
	steps,
	numbers,
	clockOffsetMs,
	rateLimit,
}: SendingHistory): Promise<SendingOutcome> {
	const scheduler = createScheduler(START);
	const choices = choicesFrom(numbers);
	const service = createService(scheduler, choices, { clockOffsetMs, rateLimit });
	const database = newDatabase();
	const log: string[] = [];
	const boot = () => startProcess({ scheduler, choices, service }, database);
	let n8n = boot();
	for (const one of steps) {
		if (one.do === 'run') n8n.start(one.messages, one.settings);
		else if (one.do === 'disconnect') service.disconnect(one.ms);
		else if (one.do === 'wait') await scheduler.run(scheduler.now() + one.ms);
		else if (one.do === 'kill') {
			n8n.kill();
			log.push(...n8n.log);
			n8n = boot();
		} else {
			const failed = database.executions.filter(({ status }) => ['error', 'crashed'].includes(status));
			const chosen = failed[one.which % failed.length];
			if (chosen) n8n.retry(chosen);
		}
		// Whatever was started begins.
		await scheduler.run(scheduler.now());
	}
	await scheduler.run();
	log.push(...n8n.log);
	return { executions: database.executions, taken: service.taken, log };
}

/** What is wrong with the way in which a history ended; nothing when every promise was kept. */
export function brokenPromises({ executions, taken, log }: SendingOutcome): string[] {
	const broken: string[] = [];
	const countOf = ({ to, message }: WantedMessage, until = Infinity) =>
		taken.filter((sent) => sent.text === message && sent.to === `${to}@c.us` && sent.takenAt <= until).length;

	for (const execution of executions) {
		if (execution.status === 'running') broken.push(`execution ${execution.id} never ends`);
		for (const [itemIndex, message] of execution.messages.entries()) {
			const count = countOf(message);
			if (count > 1 && !wasCutOff(executions, execution))
				broken.push(`'${message.message}' was sent ${count} times`);
			const report = reportOf(execution, itemIndex);
			if (report === 'sent' && count === 0) broken.push(`'${message.message}' is reported, but was not sent`);
			if (
				report === 'not sent' &&
				countOf(message, execution.endedAt) > 0 &&
				!wasCutOff(executions, execution)
			)
				broken.push(`'${message.message}' was sent, but is reported as not`);
		}
	}
	for (const line of [...log, ...executions.map((execution) => JSON.stringify(execution))]) {
		if (line.includes('key-of-the-simulated-account'))
			broken.push(`the API key is in: ${line.slice(0, 200)}`);
	}
	return [...new Set(broken)];
}

/** n8n keeps nothing of what a killed execution has done, so retrying it begins anew (docs/sending.md). */
function wasCutOff(executions: StoredExecution[], { origin }: StoredExecution): boolean {
	return executions.some(({ id, status }) => id === origin && status === 'crashed');
}

/** What the user reads about one item. */
function reportOf({ output, error }: StoredExecution, itemIndex: number): 'sent' | 'not sent' | 'nothing' {
	const item = output?.find(({ pairedItem }) => (pairedItem as { item: number }).item === itemIndex);
	if (item) {
		if (item.json.error === undefined) return 'sent';
		return item.json.ambiguous === true ? 'nothing' : 'not sent';
	}
	const isUncertain = error?.message.includes('may have been sent');
	return error?.itemIndex === itemIndex && !isUncertain ? 'not sent' : 'nothing';
}
