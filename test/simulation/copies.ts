import { choicesFrom, type Choices } from './choices';
import { createDeployment } from './deployment';
import { createScheduler } from './scheduler';
import { createService } from './service';
import { tellNobody } from './story';
import { newTriggerDatabase, newWorkflow } from './triggerDatabase';
import type { Delivery } from './events';
import { createWebhookService } from './webhooks';

/** What became of events that were each delivered twice. */
export interface CopiesOutcome {
	events: number;
	ranTwice: number;
	/** From each event to its first run, in milliseconds. */
	delaysMs: number[];
}

const START = Date.UTC(2030, 0, 31, 9);
const EVENTS = 40;

/** The trigger looks after its webhook for ever, so nothing comes to an end by itself. */
const PUBLISHING_MS = 60_000;
const RUNNING_MS = 600_000;

/** The events of one history come so far apart. */
const SPACING_MS = 150;

/** Nine of ten delays are the shortest: a row takes 4 ms then, and 32 ms otherwise. */
const OFTEN = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1] as const;

/** Chance decides about delays and places only: nothing fails. */
function delaysFrom(numbers: readonly number[]): Choices {
	const { upTo, oneOf, calmDown } = choicesFrom(numbers);
	return {
		upTo,
		calmDown,
		oneOf: (options) => options[oneOf(OFTEN) % options.length] as (typeof options)[number],
		rarely: () => false,
	};
}

/**
 * Delivers each event twice to n8n in queue mode, whose load balancer chooses a webhook processor at random (docs/scaling.md
 * recommends another way).
 *
 * @param gapMs how much later the second copy comes
 * @param numbers what is left to chance
 */
export async function playCopies(gapMs: number, numbers: readonly number[]): Promise<CopiesOutcome> {
	const scheduler = createScheduler(START);
	const choices = delaysFrom(numbers);
	const copies: Array<() => void> = [];
	const webhooks = createWebhookService(
		scheduler,
		choicesFrom([]),
		scheduler.now,
		async (delivery: Delivery) => {
			copies.push(() => void n8n.deliver(delivery));
			return await n8n.deliver(delivery);
		},
		tellNobody,
	);
	const settings = { clockOffsetMs: 0, rateLimit: 1_000 };
	const service = createService(scheduler, choices, settings, webhooks);
	const workflow = newWorkflow({ ifWebhookExists: 'fail', events: ['message.received'], timeoutSeconds: 30 });
	const database = newTriggerDatabase([workflow], webhooks.secrets[0] as string);
	const n8n = createDeployment({ scheduler, choices, service, tell: tellNobody }, database, {
		mode: 'queue',
		usesPublicationService: true,
		checksReadiness: true,
		hashesEvents: false,
		isMortal: false,
	});
	n8n.main?.publisher.publish(workflow);
	await scheduler.run(scheduler.now() + PUBLISHING_MS);

	const emittedAt: number[] = [];
	for (let event = 0; event < EVENTS; event++) {
		copies.length = 0;
		emittedAt.push(scheduler.now());
		webhooks.emit(false);
		await scheduler.run(scheduler.now() + 10);
		scheduler.after(gapMs, copies[0] as () => void);
		await scheduler.run(scheduler.now() + SPACING_MS);
	}
	await scheduler.run(scheduler.now() + RUNNING_MS);

	const runs = webhooks.emitted.map(({ id }) =>
		database.executions.filter(({ eventId, hasItems }) => eventId === id && hasItems),
	);
	return {
		events: EVENTS,
		ranTwice: runs.filter(({ length }) => length > 1).length,
		delaysMs: runs.map(([first], event) => (first?.putOutAt ?? Infinity) - (emittedAt[event] as number)),
	};
}
