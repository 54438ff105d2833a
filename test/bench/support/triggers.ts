import type { INode } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';

import { messageBody } from '../../support/world/triggerWorld';
import { createCredential } from '../../support/world/world';
import { messagingChannelTrigger, node, workflow } from '../../support/n8n/workflow';
import type { Service } from '../../support/service/service';
import { sign } from '../../support/service/core/signature';
import { ourHeaders, type Delivery } from './deliveries';
import type { BenchWorld } from './world';

/** An active workflow that consists of a trigger alone. */
export interface Listener {
	workflowId: string;
	/** The next event, as the trigger's service delivers it. */
	next(): Delivery;
}

let events = 0;

async function activate({ n8n }: BenchWorld, trigger: INode) {
	const { id } = await n8n.api.createWorkflow(workflow(trigger.type, [trigger]));
	await n8n.api.activate(id);
	return { workflowId: id, url: `${n8n.url}/webhook/${String(trigger.webhookId)}` };
}

/** This package's trigger, for an account of its own. */
export async function ourTrigger(
	world: BenchWorld,
	service: Service,
	options: object = {},
	event: 'message.received' | 'message.status' = 'message.received',
): Promise<Listener & { url: string; secret: string }> {
	const { credential, secrets } = await createCredential(world.n8n.api, service);
	const { workflowId } = await activate(
		world,
		messagingChannelTrigger({ events: [event], options: options as never }, credential),
	);
	const { config } = await service.control.webhook();
	const url = String(config?.url);
	const secret = secrets.signingSecret;
	return {
		workflowId,
		url,
		secret,
		next: () => {
			const body = event === 'message.status' ? statusBody() : messageBody();
			return { url, body, headers: ourHeaders(body, secret, `bench-${++events}`, event) };
		},
	};
}

/** The body of an event that a sent message was delivered. */
const statusBody = (): string =>
	messageBody({ from_me: true, status: 'delivered' }, { event: 'message.status' });

/** n8n's Webhook node, which verifies nothing. */
export async function webhookNode(world: BenchWorld): Promise<Listener> {
	const path = randomUUID();
	const parameters = { httpMethod: 'POST', path, options: {} };
	const { workflowId, url } = await activate(
		world,
		node('Webhook', 'n8n-nodes-base.webhook', parameters, { typeVersion: 2, webhookId: path }),
	);
	return { workflowId, next: () => ({ url, body: messageBody(), headers: {} }) };
}

/** The floor: a trigger that puts out what comes. */
export async function bareTrigger(world: BenchWorld): Promise<Listener> {
	const { workflowId, url } = await activate(
		world,
		node('Trigger', 'n8n-nodes-floor.bareTrigger', {}, { webhookId: randomUUID() }),
	);
	return { workflowId, next: () => ({ url: `${url}/webhook`, body: messageBody(), headers: {} }) };
}

/** n8n's GitHub trigger, which verifies a signature as ours does. */
export async function githubTrigger(world: BenchWorld): Promise<Listener> {
	const name = (value: string) => ({ __rl: true, mode: 'name', value });
	const { workflowId } = await activate(
		world,
		node(
			'Trigger',
			'n8n-nodes-base.githubTrigger',
			{ owner: name('owner'), repository: name('repository'), events: ['push'], options: {} },
			{ webhookId: randomUUID(), credentials: { githubApi: world.credentials.githubApi } },
		),
	);
	const { url, secret } = world.sink.webhook();
	return {
		workflowId,
		next: () => {
			const body = messageBody();
			const headers = {
				'X-GitHub-Event': 'push',
				'X-Hub-Signature-256': `sha256=${sign(body, secret)}`,
			};
			return { url, body, headers };
		},
	};
}

/** n8n's Telegram trigger, which compares a token. */
export async function telegramTrigger(world: BenchWorld): Promise<Listener> {
	const { workflowId } = await activate(
		world,
		node(
			'Trigger',
			'n8n-nodes-base.telegramTrigger',
			{ updates: ['message'], additionalFields: {} },
			{
				typeVersion: 1.2,
				webhookId: randomUUID(),
				credentials: { telegramApi: world.credentials.telegramApi },
			},
		),
	);
	const { url, secret } = world.sink.webhook();
	return {
		workflowId,
		next: () => ({ url, body: messageBody(), headers: { 'X-Telegram-Bot-Api-Secret-Token': secret } }),
	};
}

/** WAHA's trigger, which verifies nothing and sorts events to 26 outputs. */
export async function wahaTrigger(world: BenchWorld): Promise<Listener> {
	const { workflowId, url } = await activate(
		world,
		node(
			'Trigger',
			'@devlikeapro/n8n-nodes-waha.wahaTrigger',
			{},
			{ typeVersion: 202502, webhookId: randomUUID() },
		),
	);
	const next = () => {
		const { message } = JSON.parse(messageBody()) as { message: object };
		const body = JSON.stringify({ event: 'message', session: 'default', payload: message });
		return { url: `${url}/waha`, body, headers: {} };
	};
	return { workflowId, next };
}
