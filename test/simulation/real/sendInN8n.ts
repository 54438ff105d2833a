import { pick } from 'lodash';
import { randomUUID } from 'node:crypto';

import type { Execution, ExecutionSummary } from '../../support/n8n/execution';
import { messagingChannel, node, workflow, type CredentialReference } from '../../support/n8n/workflow';
import { startService, type Service } from '../../support/service/service';
import { eventually } from '../../support/poll';
import { createCredential } from '../../support/world/world';
import { foundIn, saysOf, saysOfError, type SendSettings, type WantedSend } from '../sending/executions';
import { FAULTS } from './faults';
import { describeSending, type ObservedSending } from './outcome';
import type { Segment, SendingScript } from './sendingScript';
import type { SharedN8n } from './sharedN8n';

const SEND = 'Send';

/** The settings of a run that are options of the node. */
const OPTIONS = [
	'maxConcurrency',
	'maxAttempts',
	'maxRateLimitWait',
	'afterAmbiguousSend',
	'pauseWhenQueueAbove',
] as const;

interface Place {
	shared: SharedN8n;
	service: Service;
	credential: CredentialReference;
	/** The workflow of each run so far, and the texts that it sends. */
	workflows: Map<string, string[]>;
}

/** Lets a script happen in a real n8n. */
export async function sendInN8n(
	shared: SharedN8n,
	{ segments, clockOffsetMs }: SendingScript,
): Promise<string[]> {
	const service = await startService({ apiKey: `key-${randomUUID()}` });
	try {
		const { credential } = await createCredential(shared.n8n.api, service);
		await service.control.setClock({ offsetMs: clockOffsetMs });
		await service.control.setSendDelay({ minMs: 0, maxMs: 0 });
		const place: Place = { shared, service, credential, workflows: new Map() };
		for (const segment of segments) await playSegment(place, segment);
		const accepted = await service.control.accepted();
		return describeSending(
			await observe(place),
			accepted.map(({ body }) => body),
		);
	} finally {
		await service.stop();
	}
}

async function playSegment(place: Place, segment: Segment): Promise<void> {
	const { shared, service, workflows } = place;
	const { control } = service;
	await control.setAccount({ status: segment.isConnected ? 'connected' : 'disconnected' });
	await control.clearFaults();
	for (const [message, fates] of Object.entries(segment.fates)) {
		for (const [skip, fate] of fates.entries()) {
			const fault = FAULTS[fate];
			if (fault)
				await control.addFault({ operationId: 'message.send', bodyHas: { message }, skip, ...fault });
		}
	}
	await control.configure({ losesMessages: segment.isLost });

	const earlier = await shared.executions([...workflows.keys()]);
	const failed = earlier.filter(({ status }) => status !== 'success');
	const starts: Array<() => Promise<void>> = [];
	for (const start of segment.starts) {
		if ('items' in start) starts.push(await prepareRun(place, start.items, start.settings));
		else {
			const chosen = failed[start.retry % failed.length];
			if (chosen) starts.push(async () => await retry(place, chosen));
		}
	}
	const begin = async () => {
		for (const start of starts) await start();
	};
	if (segment.isKilled) await shared.killDuring(begin);
	else await begin();
	await shared.settled([...workflows.keys()]);
}

/** Publishes a workflow that sends what its webhook receives. Of a run by hand n8n does not keep what a retry needs. */
async function prepareRun(
	{ shared: { n8n }, credential, workflows }: Place,
	items: WantedSend[],
	settings: SendSettings,
): Promise<() => Promise<void>> {
	const { onError, tries } = settings;
	const path = randomUUID();
	const webhook = { path, httpMethod: 'POST', responseMode: 'onReceived', options: {} };
	const { id } = await n8n.api.createWorkflow(
		workflow('Sending', [
			node('Webhook', 'n8n-nodes-base.webhook', webhook, { typeVersion: 2, webhookId: path }),
			node('Items', 'n8n-nodes-base.splitOut', { fieldToSplitOut: 'body.items', options: {} }),
			messagingChannel(
				SEND,
				{
					resource: 'message',
					operation: 'send',
					to: { __rl: true, mode: 'phone', value: '={{ $json.to }}' },
					message: '={{ $json.text }}',
					options: pick(settings, OPTIONS),
				},
				credential,
				{ onError, retryOnFail: tries > 1, maxTries: tries, waitBetweenTries: 1_000 },
			),
		]),
	);
	await n8n.api.activate(id);
	workflows.set(
		id,
		items.map(({ text }) => text),
	);
	return async () => {
		const { status } = await fetch(`${n8n.url}/webhook/${path}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ items }),
		});
		if (status !== 200) throw new Error(`The run was answered ${status}`);
	};
}

/** n8n answers only when the retry is over, so that its beginning is to be seen in the list. */
async function retry({ shared }: Place, { id, workflowId }: ExecutionSummary): Promise<void> {
	const count = async () => (await shared.n8n.api.executions(workflowId)).length;
	const before = await count();
	let refusal: Error | undefined;
	shared.n8n.api.retryExecution(id).catch((error: Error) => (refusal = error));
	await eventually(count, (now) => now > before || refusal !== undefined);
	if (refusal) throw refusal;
}

async function observe({ shared, workflows }: Place): Promise<ObservedSending[]> {
	const executions = await shared.executions([...workflows.keys()]);
	return await Promise.all(
		executions.map(async ({ id, workflowId, status, retryOf }): Promise<ObservedSending> => {
			const isDone = status === 'success' || status === 'error';
			return {
				...(retryOf && { retryOf: executions.findIndex((other) => other.id === retryOf) }),
				// n8n may have left a killed one running.
				status: isDone ? status : 'crashed',
				reports: isDone ? reportsOf(await shared.n8n.api.execution(id)) : [],
				texts: workflows.get(workflowId) ?? [],
			};
		}),
	);
}

/** What the user reads about each item, and in the error of an execution. */
function reportsOf(execution: Execution): ObservedSending['reports'] {
	const { error } = execution;
	if (error) {
		const itemIndex = error.context?.itemIndex;
		return typeof itemIndex === 'number' ? [{ itemIndex, says: saysOfError(error) }] : [];
	}
	// With an error output, n8n puts the failed items there.
	return [...execution.items(SEND), ...execution.items(SEND, 1)].map((item) => {
		const { item: itemIndex } = item.pairedItem as { item: number };
		return { itemIndex, says: saysOf(item), ...foundIn(item) };
	});
}
