import type { INode, INodeParameters } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import range from 'lodash/range';
import { setTimeout as sleep } from 'node:timers/promises';

import { messagingChannelTrigger, node, workflow } from '../../support/n8n/workflow';
import { sign } from '../../support/service/core/signature';
import type { Service } from '../../support/service/service';
import { atATime } from '../../support/world/load';
import { messageBody } from '../../support/world/triggerWorld';
import { createCredential } from '../../support/world/world';
import { quantile } from './suite';
import type { BenchWorld } from './world';

/** A request that a service makes to a webhook. */
interface Delivery {
	url: string;
	headers: Record<string, string>;
	body: string;
}

/** An active workflow that consists of a trigger alone. */
export interface Listener {
	workflowId: string;
	/** The next event, as the service delivers it; signed with the time of that moment. */
	next: () => Delivery;
}

let events = 0;

async function activate({ n8n }: BenchWorld, trigger: INode) {
	const { id } = await n8n.api.createWorkflow(workflow(trigger.type, [trigger]));
	await n8n.api.activate(id);
	return { workflowId: id, url: `${n8n.url}/webhook/${String(trigger.webhookId)}` };
}

/** The body of an event that a sent message was delivered. */
const statusBody = () => messageBody({ from_me: true, status: 'delivered' }, { event: 'message.status' });

/** The trigger of this package. */
export async function ourTrigger(
	world: BenchWorld,
	service: Service,
	options: INodeParameters = {},
	bodyOf = statusBody,
): Promise<Listener> {
	const { credential, secrets } = await createCredential(world.n8n.api, service);
	const parameters = { events: ['message.status', 'message.received'], options };
	const { workflowId } = await activate(world, messagingChannelTrigger(parameters, credential));
	const { config } = await service.control.webhook();
	const next = () => {
		const body = bodyOf();
		return {
			url: String(config?.url),
			body,
			headers: {
				'X-Service-Signature': sign(body, secrets.signingSecret),
				'X-Service-Timestamp': String(Math.floor(Date.now() / 1000)),
				'X-Service-Event': (JSON.parse(body) as { event: string }).event,
				'X-Service-Event-Id': `bench-${++events}`,
				'X-Service-Account-Id': 'account-1',
			},
		};
	};
	return { workflowId, next };
}

/** n8n's Webhook node, which verifies nothing. */
export async function webhookNode(world: BenchWorld): Promise<Listener> {
	const path = randomUUID();
	const parameters = { httpMethod: 'POST', path, options: {} };
	const more = { typeVersion: 2, webhookId: path };
	const { workflowId, url } = await activate(
		world,
		node('Webhook', 'n8n-nodes-base.webhook', parameters, more),
	);
	return { workflowId, next: () => ({ url, body: statusBody(), headers: {} }) };
}

/** The floor: a trigger that puts out what comes. */
export async function bareTrigger(world: BenchWorld): Promise<Listener> {
	const trigger = node('Trigger', 'n8n-nodes-floor.bareTrigger', {}, { webhookId: randomUUID() });
	const { workflowId, url } = await activate(world, trigger);
	return { workflowId, next: () => ({ url: `${url}/webhook`, body: statusBody(), headers: {} }) };
}

/** Makes so many deliveries, some at a time, until all executions that they started are over. */
export async function deliverAll(
	{ n8n: { api } }: BenchWorld,
	{ workflowId, next }: Listener,
	count: number,
	inFlight: number,
): Promise<Record<'perSecond' | 'p50' | 'p99' | 'executions', number>> {
	const executions = async () => (await api.executions(workflowId)).length;
	const before = await executions();
	const waits: number[] = [];
	const started = performance.now();
	await atATime(inFlight, range(count), async () => {
		const { url, headers, body } = next();
		const asked = performance.now();
		const response = await fetch(url, {
			method: 'POST',
			headers: { 'Content-Type': 'application/json', ...headers },
			body,
		});
		await response.arrayBuffer();
		waits.push(performance.now() - asked);
		if (!response.ok) throw new Error(`${url} answered ${response.status}`);
	});
	while (await api.isRunning(workflowId)) await sleep(20);
	return {
		perSecond: (count / (performance.now() - started)) * 1000,
		p50: quantile(waits, 0.5),
		p99: quantile(waits, 0.99),
		executions: (await executions()) - before,
	};
}
