import type { INode, INodeParameters } from 'n8n-workflow';

import { startWorld } from '../support/world/world';
import { withEagerExpressions } from '../support/n8n/environment';
import { startN8n, type N8n } from '../support/n8n/instance';
import {
	messagingChannel,
	messagingChannelTrigger,
	node,
	webhookNode,
	workflow,
	type CredentialReference,
} from '../support/n8n/workflow';
import { startService, type Service } from '../support/service/service';
import { callerOf } from '../support/service/testing';
import { createGauge, type Gauge } from './gauge';

/** An n8n under load, and the service that it talks to. */
export interface Subject {
	name: string;
	n8n: N8n;
	gauge: Gauge;
	service: Service;
	/** Where a POST of `{items: [{to, message}]}` sends all of them; answered when that is done. */
	batchUrl: string;
	/** Whether it repeats what failed and ignores what comes twice or from somebody else. */
	isRobust: boolean;
	stop(): Promise<void>;
}

/** The nodes that a subject does its work with. */
interface Toolkit {
	/** Starts the workflow with the body of an event. */
	trigger: INode;
	/** Downloads the file of a message. */
	download(messageId: string): INode;
	send(to: string, message: string): INode;
	/** The event's body in the trigger's item, as an expression without its braces. */
	event: string;
}

const DOWNLOAD = 'Download';
const SEND = 'Send';

/** Our nodes. */
export async function startOurs(): Promise<Subject> {
	const gauge = await createGauge();
	const world = await startWorld({ env: { ...withEagerExpressions, ...gauge.env } });
	const subject = { name: 'this package', isRobust: true, gauge, ...world };
	return await started(subject, async () => ourToolkit(world.credential));
}

/** n8n's own nodes, in an n8n that does not have this package. */
export async function startControl(): Promise<Subject> {
	const gauge = await createGauge();
	const service = await startService();
	const n8n = await startN8n({ env: gauge.env, tarball: false });
	const stop = async () => {
		await n8n.stop();
		await service.stop();
	};
	const subject = { name: "n8n's own nodes", isRobust: false, gauge, service, n8n, stop };
	return await started(subject, async () => {
		const data = { name: 'Authorization', value: `Bearer ${service.apiKey}` };
		return builtInToolkit(service, await n8n.api.createCredential('httpHeaderAuth', 'Key', data));
	});
}

async function started(
	subject: Omit<Subject, 'batchUrl'>,
	toolkit: () => Promise<Toolkit>,
): Promise<Subject> {
	const { n8n, service, stop } = subject;
	try {
		await service.control.setSendDelay({ minMs: 0, maxMs: 0 });
		await service.control.setRedelivery({ maxAttempts: 10, backoffMs: 250 });
		const kit = await toolkit();
		await activateAnswering(n8n, service, kit);
		return { ...subject, batchUrl: await activateBatch(n8n, kit) };
	} catch (error) {
		await stop();
		throw error;
	}
}

/** Fetches the file of every incoming message and answers it. */
async function activateAnswering({ api, url }: N8n, service: Service, kit: Toolkit): Promise<void> {
	const steps = [
		kit.trigger,
		kit.download(`={{ ${kit.event}.message.id }}`),
		kit.send(`={{ ${kit.event}.chat.phone }}`, `=Thank you for {{ ${kit.event}.message.id }}`),
	];
	const { id } = await api.createWorkflow(workflow('Answering', steps));
	await api.activate(id);
	if ((await service.control.webhook()).config) return;
	const { path } = kit.trigger.parameters;
	await callerOf(() => service)('POST', '/webhooks', {
		url: `${url}/webhook/${String(path)}`,
		events: ['message.received'],
	});
}

/** Sends the messages of a request. */
async function activateBatch({ api, url }: N8n, kit: Toolkit): Promise<string> {
	const path = 'batch';
	const steps = [
		webhookNode(path, { responseMode: 'lastNode' }),
		node('Items', 'n8n-nodes-base.splitOut', { fieldToSplitOut: 'body.items', options: {} }),
		kit.send('={{ $json.to }}', '={{ $json.message }}'),
	];
	const { id } = await api.createWorkflow(workflow('Batch', steps));
	await api.activate(id);
	return `${url}/webhook/${path}`;
}

const ourToolkit = (credential: CredentialReference): Toolkit => ({
	trigger: messagingChannelTrigger({}, credential),
	download: (messageId) =>
		messagingChannel(
			DOWNLOAD,
			{ resource: 'media', operation: 'downloadFromMessage', messageId },
			credential,
		),
	send: (to, message) =>
		messagingChannel(
			SEND,
			{ resource: 'message', operation: 'send', to: { __rl: true, mode: 'phone', value: to }, message },
			credential,
		),
	event: "$('Messaging Channel Trigger').item.json",
});

function builtInToolkit({ baseUrl }: Service, { id, name }: CredentialReference): Toolkit {
	const httpRequest = (label: string, parameters: INodeParameters) =>
		node(
			label,
			'n8n-nodes-base.httpRequest',
			{ authentication: 'genericCredentialType', genericAuthType: 'httpHeaderAuth', ...parameters },
			{ typeVersion: 4.2, credentials: { httpHeaderAuth: { id, name } } },
		);
	return {
		trigger: webhookNode('events'),
		download: (messageId) =>
			httpRequest(DOWNLOAD, {
				url: `=${baseUrl}/messages/${messageId.slice(1)}/media`,
				options: { response: { response: { responseFormat: 'file' } } },
			}),
		send: (to, message) =>
			httpRequest(SEND, {
				method: 'POST',
				url: `${baseUrl}/messages/send`,
				sendBody: true,
				specifyBody: 'keypair',
				bodyParameters: {
					parameters: [
						{ name: 'to', value: to },
						{ name: 'message', value: message },
					],
				},
				options: {},
			}),
		event: "$('Webhook').item.json.body",
	};
}
