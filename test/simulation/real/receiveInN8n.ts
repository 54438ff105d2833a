import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Execution } from '../../support/n8n/execution';
import { messagingChannelTrigger, node, workflow, type WorkflowDefinition } from '../../support/n8n/workflow';
import { messageBody, TRIGGER } from '../../support/world/triggerWorld';
import type { TriggerVersion } from '../n8n/triggerDatabase';
import type { Outcome } from './compare';
import { describeReceiving, holderOf, type ObservedReceiving } from './outcome';
import {
	ATTEMPTS,
	FIRST_BACKOFF_MS,
	WORKFLOW_MS,
	type ReceivingScript,
	type ScriptStep,
} from './receivingScript';
import { faultsOf } from './segments';
import type { Place } from './sharedN8n';

/** Between the steps of a segment in which n8n is killed. */
const STEP_MS = 300;

interface Receiving extends Place {
	webhookIds: string[];
	events: ObservedReceiving['events'];
	/** What goes on beside the steps. */
	background: Array<Promise<unknown>>;
}

/** Lets a script happen in a real n8n. */
export async function receiveInN8n(place: Place, { segments, versions }: ReceivingScript): Promise<Outcome> {
	const receiving: Receiving = {
		...place,
		webhookIds: versions.map(() => randomUUID()),
		events: [],
		background: [],
	};
	const { n8n, service, ids, background } = receiving;
	for (const [index, version] of versions.entries())
		ids.push((await n8n.api.createWorkflow(definitionOf(receiving, index, version))).id);
	const holders: string[] = [];
	for (const { steps, fates, isKilled } of segments) {
		await service.control.clearFaults();
		for (const [endpoint, own] of Object.entries(fates)) {
			const [method, path] = endpoint.split(' ');
			for (const fault of faultsOf(own)) await service.control.addFault({ method, path, ...fault });
		}
		const begin = async () => {
			for (const step of steps) {
				// What n8n refuses is to be seen in the outcome.
				const taken = take(receiving, step).catch(() => undefined);
				if (isKilled) background.push(taken);
				await (isKilled ? sleep(STEP_MS) : taken);
			}
		};
		await place.play(isKilled, begin, async () => {
			await Promise.all(background.splice(0));
			for (const id of ids) await n8n.api.untilPublished(id).catch(() => undefined);
		});
		holders.push(await holder(receiving));
	}
	return describeReceiving({ holders, ...(await observe(receiving)) });
}

/** The trigger, and a node that takes seconds. */
function definitionOf(
	{ credential, webhookIds }: Receiving,
	index: number,
	{ events, ifWebhookExists, timeoutSeconds }: TriggerVersion,
): WorkflowDefinition {
	const webhookId = webhookIds[index] as string;
	// The simulated one does not catch up either.
	const options = { ifWebhookExists, timeoutSeconds, catchUp: 0 };
	const wait = { amount: WORKFLOW_MS / 1000, unit: 'seconds' };
	return workflow('Receiving', [
		messagingChannelTrigger({ events: [...events], options }, credential, { id: webhookId, webhookId }),
		node('Some seconds', 'n8n-nodes-base.wait', wait, { id: `wait-${webhookId}`, typeVersion: 1.1 }),
	]);
}

async function take(receiving: Receiving, step: ScriptStep): Promise<void> {
	const { n8n, ids, background } = receiving;
	if (step.do === 'event') {
		// As in the simulation, the service looks at the webhook before the next step.
		for (let count = 0; count < step.count; count++)
			await new Promise<void>((resolve) => {
				background.push(deliverEvent(receiving, step.isFromMe, resolve).finally(resolve));
			});
		return;
	}
	const id = ids[step.workflow] as string;
	if (step.do === 'change')
		await n8n.api.updateWorkflow(id, definitionOf(receiving, step.workflow, step.version));
	if (step.do === 'publish') await n8n.api.activate(id);
	if (step.do === 'unpublish') await n8n.api.deactivate(id);
	if (step.do === 'listen') await n8n.api.listenForTestEvent(id);
	if (step.do === 'cancel') await n8n.api.stopListening(id);
}

/**
 * Delivers an event to where the webhook points by then, again after each failure.
 *
 * @param onLook called each time that it has looked at the webhook
 */
async function deliverEvent(
	{ service, whenUp, events }: Receiving,
	isFromMe: boolean,
	onLook: () => void,
): Promise<void> {
	const messageId = `${randomUUID()}-${events.length}`;
	const event = { messageId, isAcknowledged: false };
	events.push(event);
	for (let tries = 1; tries <= ATTEMPTS; tries++) {
		await whenUp();
		const { config } = await service.control.webhook();
		onLook();
		if (config && !config.events.includes('message.received')) return;
		if (config?.is_active) {
			const body = messageBody({ id: messageId, from_me: isFromMe });
			const attempts = await service.control.deliver({ body, eventId: messageId });
			event.isAcknowledged = attempts.some(({ status }) => status === 200);
			if (event.isAcknowledged) return;
		}
		await sleep(FIRST_BACKOFF_MS * 2 ** (tries - 1));
	}
}

async function holder({ n8n: { url }, service, webhookIds }: Receiving): Promise<string> {
	const { config } = await service.control.webhook();
	const webhook = config?.is_active && { ...config, timeoutSeconds: config.timeout_seconds };
	return holderOf(
		webhook || undefined,
		webhookIds.map((id) => [`${url}/webhook/${id}/webhook`, `${url}/webhook-test/${id}/webhook`]),
	);
}

async function observe(receiving: Receiving): Promise<Omit<ObservedReceiving, 'holders'>> {
	const { n8n, ids, events } = receiving;
	const stored = await Promise.all(ids.map(async (id) => await n8n.api.updateWorkflow(id, {})));
	const executions = await Promise.all(
		(await receiving.executions()).map(async ({ id, workflowId, mode, status }) => {
			const messageId = messageIdOf(await n8n.api.execution(id));
			return {
				workflow: ids.indexOf(workflowId),
				isTest: mode === 'manual',
				...(messageId !== undefined && { messageId }),
				// n8n may have left a killed one running.
				status: status === 'running' ? 'crashed' : status === 'success' && !messageId ? 'duplicate' : status,
			};
		}),
	);
	return { published: stored.map(({ active }) => active), events, executions };
}

/**
 * The message that an execution was started with. Of one that was killed n8n may keep it only as what was to be run first,
 * with an item of n8n's own in the place of the trigger's.
 */
function messageIdOf(execution: Execution): string | undefined {
	const [first] = execution.raw.executionData?.nodeExecutionStack ?? [];
	const items = [...execution.items(TRIGGER), ...(first?.data.main?.[0] ?? [])];
	const message = items.map(({ json }) => json.message).find((found) => found !== undefined);
	return (message as { id: string } | undefined)?.id;
}
