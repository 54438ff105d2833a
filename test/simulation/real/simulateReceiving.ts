import { choicesFrom } from '../chance/choices';
import type { ServiceRequest } from '../service/http';
import { startReceivingWorld, type ReceivingOutcome } from '../receiving/receiving';
import { productionUrl, testUrl } from '../n8n/triggerDatabase';
import { PLAYING } from './compare';
import { describeReceiving, holderOf } from './outcome';
import {
	ATTEMPTS,
	FIRST_BACKOFF_MS,
	WORKFLOW_MS,
	type ReceivingScript,
	type ReceivingSegment,
} from './receivingScript';

const PAUSES_MS = [3_000, 300, 90_000] as const;

/** The same for a segment in which n8n is killed before everything is over. */
const SHORT_PAUSES_MS = [500, 0, 3_000] as const;

/** Before n8n is killed it waits for all other histories. */
const TOGETHER_PAUSES_MS = [0, 400_000] as const;

/** After a segment. The triggers look after the webhook a minute after their activation, then every five minutes. */
const LONG_PAUSES_MS = [1_200_000, 200_000, 50_000, 15_000] as const;

/** How long after its last step a segment may be cut off. */
const KILLED_AFTER_MS = [0, 5, 40, 100, 250, 500, 800, 1_500, 3_000, 7_000, 13_000] as const;

const PAUSE_MS = 10_000;

/** Longer than a publication takes. */
const MAX_PAUSES = 100;

/** Whether n8n still publishes or runs something. */
function isBusy({ database, deaths }: ReceivingOutcome): boolean {
	const lastDeath = Math.max(0, ...deaths.map(({ at }) => at));
	return (
		database.publications.some(({ status }) => status !== 'over') ||
		database.hookCalls.some(({ startedAt, endedAt }) => endedAt === undefined && startedAt > lastDeath) ||
		database.executions.some(
			({ status, storedAt }) => ['new', 'running'].includes(status) && storedAt > lastDeath,
		)
	);
}

/** Lets a script happen in the simulation. Chance decides how long everything takes. */
export async function simulateReceiving(
	{ segments, clockOffsetMs, versions, usesPublicationService }: ReceivingScript,
	numbers: readonly number[],
): Promise<string[]> {
	const choices = choicesFrom(numbers.slice(0, PLAYING));
	let current: ReceivingSegment | undefined;
	let requests = new Map<string, number>();
	const fateOf = ({ method, path }: ServiceRequest) => {
		const endpoint = `${method} ${path}`;
		const before = requests.get(endpoint) ?? 0;
		requests.set(endpoint, before + 1);
		return current?.fates[endpoint]?.[before] ?? 'arrives';
	};
	const deployment = {
		mode: 'regular' as const,
		usesPublicationService,
		checksReadiness: true,
		hashesEvents: true,
		isMortal: false,
	};
	// The real service delivers nothing while n8n is down, so its attempts are as many, but further apart.
	const firstBackoffMs = choices.oneOf([FIRST_BACKOFF_MS, 10 * FIRST_BACKOFF_MS]);
	const chance = choicesFrom(numbers.slice(PLAYING));
	const { scheduler, take, outcome } = startReceivingWorld(
		{ numbers: [], clockOffsetMs, versions, deployment },
		{
			fateOf,
			workflowMs: WORKFLOW_MS,
			webhookService: {
				firstBackoffMs,
				sampleConduct: () => current?.sample ?? { sent: { afterMs: 0 }, named: true },
			},
			// Whatever is unusual is in the script, save what is on its way when a process dies: half of that gets lost.
			choices: { ...chance, rarely: (times) => times === 2 && chance.rarely(2) },
		},
	);
	const holders: string[] = [];
	const pause = async (ms: number) => await scheduler.run(scheduler.now() + ms);

	for (const segment of segments) {
		current = segment;
		requests = new Map();
		if (segment.isKilled) await pause(choices.oneOf(TOGETHER_PAUSES_MS));
		for (const step of segment.steps) {
			// n8n may die before it looks at a request of its editor.
			if (!(segment.isKilled && 'workflow' in step && choices.rarely(4))) take(step);
			await pause(choices.oneOf(segment.isKilled ? SHORT_PAUSES_MS : PAUSES_MS));
		}
		if (segment.isKilled) {
			await pause(choices.oneOf(KILLED_AFTER_MS));
			take({ do: 'kill', process: 0 });
			current = undefined;
		}
		await pause(choices.oneOf(LONG_PAUSES_MS));
		// Else, a real n8n is looked at when nothing is under way any more.
		for (let pauses = 0; !segment.isKilled && isBusy(outcome()) && pauses < MAX_PAUSES; pauses++)
			await pause(PAUSE_MS);
		const { database, webhooks } = outcome();
		holders.push(
			holderOf(
				webhooks.current,
				database.workflows.map((workflow) => [productionUrl(workflow), testUrl(workflow)]),
			),
		);
	}

	// Nor is an event on its way then.
	await pause(2 ** ATTEMPTS * firstBackoffMs);
	const { database, webhooks } = outcome();
	return describeReceiving({
		holders,
		published: database.workflows.map(({ active }) => active !== undefined),
		events: [...webhooks.emitted, ...webhooks.forged].map(({ id, messageId, attempts }) => ({
			name: id,
			messageId,
			isAcknowledged: attempts.some(({ response }) => response?.status === 200),
		})),
		executions: database.executions
			// Those report signatures which do not match.
			.filter(({ status, messageId }) => status !== 'error' || messageId !== 'undefined')
			.map(({ workflowId, mode, messageId, status, hasItems }) => ({
				workflow: database.workflows.findIndex(({ id }) => id === workflowId),
				isTest: mode === 'manual',
				...(messageId !== 'undefined' && { messageId }),
				status: status === 'success' && !hasItems ? 'duplicate' : status,
			})),
	});
}
