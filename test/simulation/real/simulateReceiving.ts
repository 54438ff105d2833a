import { choicesFrom } from '../choices';
import type { ServiceRequest } from '../http';
import { startReceivingWorld } from '../receiving';
import { productionUrl, testUrl } from '../triggerDatabase';
import { PLAYING } from './compare';
import { describeReceiving, holderOf } from './outcome';
import {
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
const LONG_PAUSES_MS = [1_200_000, 200_000, 50_000] as const;

/** How long after its last step a segment may be cut off. */
const KILLED_AFTER_MS = [0, 5, 40, 100, 250, 500, 800, 1_500, 3_000, 7_000, 13_000] as const;

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
	const { scheduler, take, outcome } = startReceivingWorld(
		{ numbers: numbers.slice(PLAYING), clockOffsetMs, versions, deployment },
		{ fateOf, workflowMs: WORKFLOW_MS, firstBackoffMs },
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
		const { database, webhooks } = outcome();
		holders.push(
			holderOf(
				webhooks.current,
				database.workflows.map((workflow) => [productionUrl(workflow), testUrl(workflow)]),
			),
		);
	}

	const { database, webhooks } = outcome();
	return describeReceiving({
		holders,
		published: database.workflows.map(({ active }) => active !== undefined),
		events: [...webhooks.emitted, ...webhooks.forged].map(({ id, messageId, attempts }) => ({
			name: id,
			messageId,
			isAcknowledged: attempts.some(({ response }) => response?.status === 200),
		})),
		executions: database.executions.map(({ workflowId, mode, messageId, status, hasItems }) => ({
			workflow: database.workflows.findIndex(({ id }) => id === workflowId),
			isTest: mode === 'manual',
			messageId,
			status: status === 'success' && !hasItems ? 'duplicate' : status,
		})),
	});
}
