import type { INodeParameters } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Execution } from '../../support/n8n/execution';
import {
	messagingChannelTrigger,
	node,
	workflow,
	type CredentialReference,
	type WorkflowDefinition,
} from '../../support/n8n/workflow';
import type { RawDelivery } from '../../support/service/core/controlServer';
import { startService, type Service } from '../../support/service/service';
import { sign } from '../../support/service/core/signature';
import { callerOf } from '../../support/service/testing';
import { messageBody, TRIGGER } from '../../support/world/triggerWorld';
import { createCredential } from '../../support/world/world';
import type { TriggerVersion } from '../n8n/triggerDatabase';
import { FAULTS } from './faults';
import { describeReceiving, holderOf, type ObservedReceiving } from './outcome';
import {
	ATTEMPTS,
	FIRST_BACKOFF_MS,
	WORKFLOW_MS,
	type ReceivingScript,
	type ReceivingSegment,
	type ScriptStep,
} from './receivingScript';
import type { SharedN8n } from './sharedN8n';

/** Between the steps of a segment in which n8n is killed. */
const STEP_MS = 300;

interface Listener {
	id: string;
	webhookId: string;
	draft: TriggerVersion;
}

interface Place {
	shared: SharedN8n;
	service: Service;
	credential: CredentialReference;
	secrets: { baseUrl: string; apiKey: string; signingSecret: string };
	listeners: Listener[];
	events: ObservedReceiving['events'];
	/** The secret that the service signs with. */
	serviceSecret: string;
	/** What was delivered, as somebody on the way could record it. */
	recorded: Array<{ messageId: string; body: string; signature: string }>;
	/** What goes on beside the steps. */
	background: Array<Promise<unknown>>;
}

/** Lets a script happen in a real n8n. */
export async function receiveInN8n(
	shared: SharedN8n,
	{ segments, clockOffsetMs, versions }: ReceivingScript,
): Promise<string[]> {
	const service = await startService({ apiKey: `key-${randomUUID()}`, signingSecret: randomUUID() });
	try {
		await service.control.setClock({ offsetMs: clockOffsetMs });
		const { credential, secrets } = await createCredential(shared.n8n.api, service);
		const place: Place = {
			shared,
			service,
			credential,
			secrets,
			serviceSecret: secrets.signingSecret,
			listeners: [],
			events: [],
			recorded: [],
			background: [],
		};
		for (const draft of versions) {
			const webhookId = randomUUID();
			const listener = { id: '', webhookId, draft };
			const { id } = await shared.n8n.api.createWorkflow(definitionOf(place, listener));
			place.listeners.push({ ...listener, id });
		}
		const holders: string[] = [];
		for (const segment of segments) {
			await playSegment(place, segment);
			holders.push(await holder(place));
		}
		return describeReceiving({ holders, ...(await observe(place)) });
	} finally {
		await service.stop();
	}
}

/** The trigger, and a node that takes seconds. */
function definitionOf({ credential }: Place, { webhookId, draft }: Listener): WorkflowDefinition {
	const { events, ifWebhookExists, timeoutSeconds } = draft;
	// The simulated one does not catch up either.
	const parameters: INodeParameters = {
		events: [...events],
		options: { ifWebhookExists, timeoutSeconds, catchUp: 0 },
	};
	return workflow('Receiving', [
		messagingChannelTrigger(parameters, credential, { id: webhookId, webhookId }),
		node(
			'Some seconds',
			'n8n-nodes-base.wait',
			{ amount: WORKFLOW_MS / 1000, unit: 'seconds' },
			{ id: `wait-${webhookId}`, typeVersion: 1.1 },
		),
	]);
}

async function playSegment(
	place: Place,
	{ steps, fates, sample, isKilled }: ReceivingSegment,
): Promise<void> {
	const { shared, service, listeners } = place;
	const { control } = service;
	await control.clearFaults();
	await control.configure({ sample });
	for (const [endpoint, own] of Object.entries(fates)) {
		const [method, path] = endpoint.split(' ');
		for (const [skip, fate] of own.entries()) {
			const fault = FAULTS[fate];
			if (fault) await control.addFault({ method, path, skip, ...fault });
		}
	}
	if (isKilled) {
		await shared.killDuring(async () => {
			for (const step of steps) {
				place.background.push(take(place, step).catch(() => undefined));
				await sleep(STEP_MS);
			}
		}, control.clearFaults);
	} else for (const step of steps) await take(place, step);
	await Promise.all(place.background.splice(0));
	for (const { id } of listeners) await shared.n8n.api.untilPublished(id).catch(() => undefined);
	await shared.settled(listeners.map(({ id }) => id));
}

/** Does what a step says; what the trigger refuses is to be seen in the outcome. */
async function take(place: Place, step: ScriptStep): Promise<void> {
	const { shared, service, listeners, secrets, credential, background } = place;
	const { api } = shared.n8n;
	const { control } = service;
	const listener = 'workflow' in step ? (listeners[step.workflow] as Listener) : undefined;
	if (listener) {
		const { id } = listener;
		if (step.do === 'change') listener.draft = step.version;
		if (step.do === 'change') await api.updateWorkflow(id, definitionOf(place, listener));
		if (step.do === 'publish') await api.activate(id).catch(() => undefined);
		if (step.do === 'unpublish') await api.deactivate(id).catch(() => undefined);
		if (step.do === 'listen') await api.listenForTestEvent(id).catch(() => undefined);
		if (step.do === 'cancel') await api.stopListening(id).catch(() => undefined);
	} else if (step.do === 'event') {
		// As in the simulation, the service looks at the webhook before the next step.
		for (let count = 0; count < step.count; count++)
			await new Promise<void>((resolve) => {
				background.push(deliverEvent(place, step, resolve).finally(resolve));
			});
	} else if (step.do === 'forge') background.push(forge(place, step.kind));
	else if (step.do === 'interfere') {
		const config = {
			url: `${service.origin}/nobody`,
			events: ['message.sent'],
			is_active: true,
			timeout_seconds: 10,
		};
		await control.setWebhook({ config: step.does === 'sets' ? config : null });
	} else if (step.do === 'rotate') {
		const { body } = await callerOf(() => service)('POST', '/webhooks/rotate-secret');
		const rotated = String(body.secret);
		place.serviceSecret = rotated;
		if (step.savedAfterMs === undefined) return;
		await sleep(step.savedAfterMs);
		secrets.signingSecret = rotated;
		await api.updateCredential(credential, secrets);
	}
}

/**
 * Delivers an event to where the webhook points by then, again after each failure.
 *
 * @param onLook called each time that it has looked at the webhook
 */
async function deliverEvent(
	place: Place,
	{ isFromMe, conduct: { copies, isRepeated } }: Extract<ScriptStep, { do: 'event' }>,
	onLook: () => void,
): Promise<void> {
	const { shared, service, events, recorded } = place;
	const name = `event-${events.filter(({ name }) => name.startsWith('event')).length}`;
	const messageId = `${randomUUID()}-${name}`;
	const body = messageBody({ id: messageId, from_me: isFromMe });
	const event = { name, messageId, isAcknowledged: false };
	events.push(event);
	let isOver = false;
	for (let tries = 1; tries <= ATTEMPTS && !isOver; tries++) {
		await shared.whenUp();
		const { config } = await service.control.webhook();
		onLook();
		if (config && !config.events.includes('message.received')) return;
		if (config?.is_active) {
			recorded.push({ messageId, body, signature: sign(body, place.serviceSecret) });
			const attempts = await service.control.deliver({ body, eventId: messageId, times: copies });
			const wasTaken = attempts.some(({ status }) => status === 200);
			isOver = wasTaken && (event.isAcknowledged || !isRepeated);
			event.isAcknowledged ||= wasTaken;
		}
		await sleep(FIRST_BACKOFF_MS * 2 ** (tries - 1));
	}
}

/** What somebody sends who does not know the secret. */
const FORGERIES: Record<string, Partial<RawDelivery>> = {
	guessed: { signature: 'other-key' },
	bare: {
		headers: Object.fromEntries(
			['Signature', 'Timestamp', 'Event', 'Event-Id', 'Account-Id'].map((part) => [
				`X-Service-${part}`,
				null,
			]),
		),
	},
	changed: { signature: 'wrong' },
	replayed: {},
};

/** Somebody sends what they made up, or recorded on the way. */
async function forge({ service, events, recorded }: Place, kind: string): Promise<void> {
	const [original] = recorded;
	if (['changed', 'replayed'].includes(kind) && !original) return;
	const name = `forged-${events.filter((event) => event.name.startsWith('forged')).length}`;
	const isReplayed = kind === 'replayed' && original;
	const messageId = isReplayed ? original.messageId : `${randomUUID()}-${name}`;
	const body = isReplayed ? original.body : messageBody({ id: messageId });
	const event = { name, messageId, isAcknowledged: false };
	events.push(event);
	const { config } = await service.control.webhook();
	if (!config?.is_active) return;
	const [attempt] = await service.control.deliver({
		body,
		eventId: randomUUID(),
		...FORGERIES[kind],
		...(isReplayed && { headers: { 'X-Service-Signature': original.signature } }),
	});
	event.isAcknowledged = attempt?.status === 200;
}

const webhookOf = async ({ service }: Place) => {
	const { config } = await service.control.webhook();
	return config?.is_active
		? { url: config.url, events: config.events, timeoutSeconds: config.timeout_seconds }
		: undefined;
};

async function holder(place: Place): Promise<string> {
	const { url } = place.shared.n8n;
	return holderOf(
		await webhookOf(place),
		place.listeners.map(({ webhookId }) => [
			`${url}/webhook/${webhookId}/webhook`,
			`${url}/webhook-test/${webhookId}/webhook`,
		]),
	);
}

async function observe({ shared, listeners, events }: Place): Promise<Omit<ObservedReceiving, 'holders'>> {
	const { api } = shared.n8n;
	const ids = listeners.map(({ id }) => id);
	const stored = await Promise.all(ids.map(async (id) => await api.updateWorkflow(id, {})));
	const executions = await Promise.all(
		(await shared.executions(ids)).map(async ({ id, workflowId, mode, status }) => {
			const messageId = messageIdOf(await api.execution(id));
			return {
				workflow: ids.indexOf(workflowId),
				isTest: mode === 'manual',
				...(messageId !== undefined && { messageId }),
				// n8n may have left a killed one running.
				status: status === 'running' ? 'crashed' : status === 'success' && !messageId ? 'duplicate' : status,
			};
		}),
	);
	// Those report that signatures do not match; how soon depends on how often the service tries.
	const ofEvents = executions.filter(
		({ status, messageId }) => status !== 'error' || messageId !== undefined,
	);
	const byName = [...events].sort((one, other) =>
		one.name.localeCompare(other.name, 'en', { numeric: true }),
	);
	return { published: stored.map(({ active }) => active), events: byName, executions: ofEvents };
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
