import { pick } from 'lodash';
import { randomUUID } from 'node:crypto';

import type { Execution, ExecutionSummary } from '../../support/n8n/execution';
import { messagingChannel, node, workflow } from '../../support/n8n/workflow';
import { eventually } from '../../support/poll';
import { foundIn, saysOf, saysOfError, type SendSettings, type WantedSend } from '../sending/executions';
import type { Outcome } from './compare';
import { describeSending, type ObservedSending } from './outcome';
import { faultsOf } from './segments';
import type { SendingScript } from './sendingScript';
import type { Place } from './sharedN8n';

const SEND = 'Send';

/** The settings of a run that are options of the node. */
const OPTIONS = [
	'maxConcurrency',
	'maxAttempts',
	'maxRateLimitWait',
	'afterAmbiguousSend',
	'pauseWhenQueueAbove',
	'findMessageId',
] as const;

/** Lets a script happen in a real n8n. */
export async function sendInN8n(place: Place, { segments }: SendingScript): Promise<Outcome> {
	const { control } = place.service;
	/** Those of each workflow. */
	const texts: string[][] = [];
	await control.setSendDelay({ minMs: 0, maxMs: 0 });
	for (const { starts, isConnected, isLost, fates, isKilled } of segments) {
		await control.setAccount({ status: isConnected ? 'connected' : 'disconnected' });
		await control.clearFaults();
		for (const [message, own] of Object.entries(fates))
			for (const fault of faultsOf(own))
				await control.addFault({ operationId: 'message.send', bodyHas: { message }, ...fault });
		await control.configure({ losesMessages: isLost });
		const failed = (await place.executions()).filter(({ status }) => status !== 'success');
		const prepared: Array<() => Promise<void>> = [];
		for (const start of starts) {
			const chosen = 'retry' in start ? failed[start.retry % failed.length] : undefined;
			if ('items' in start) {
				prepared.push(await prepareRun(place, start.items, start.settings));
				texts.push(start.items.map(({ text }) => text));
			} else if (chosen) prepared.push(async () => await retry(place, chosen));
		}
		await place.play(isKilled, async () => {
			for (const begin of prepared) await begin();
		});
	}
	const accepted = await control.accepted();
	return describeSending(
		await observe(place, texts),
		accepted.map(({ body }) => body),
	);
}

/** Publishes a workflow that sends what its webhook receives. Of a run by hand n8n does not keep what a retry needs. */
async function prepareRun(
	{ n8n, credential, ids }: Place,
	items: WantedSend[],
	{ onError, tries, ...settings }: SendSettings,
): Promise<() => Promise<void>> {
	const path = randomUUID();
	const webhook = { path, httpMethod: 'POST', responseMode: 'onReceived', options: {} };
	const parameters = {
		resource: 'message',
		operation: 'send',
		to: { __rl: true, mode: 'phone', value: '={{ $json.to }}' },
		message: '={{ $json.text }}',
		options: pick(settings, OPTIONS),
	};
	const { id } = await n8n.api.createWorkflow(
		workflow('Sending', [
			node('Webhook', 'n8n-nodes-base.webhook', webhook, { typeVersion: 2, webhookId: path }),
			node('Items', 'n8n-nodes-base.splitOut', { fieldToSplitOut: 'body.items', options: {} }),
			messagingChannel(SEND, parameters, credential, {
				...{ onError, retryOnFail: tries > 1, maxTries: tries, waitBetweenTries: 1_000 },
			}),
		]),
	);
	await n8n.api.activate(id);
	ids.push(id);
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
async function retry({ n8n }: Place, { id, workflowId }: ExecutionSummary): Promise<void> {
	const count = async () => (await n8n.api.executions(workflowId)).length;
	const before = await count();
	let refusal: Error | undefined;
	n8n.api.retryExecution(id).catch((error: Error) => (refusal = error));
	await eventually(count, (now) => now > before || refusal !== undefined);
	if (refusal) throw refusal;
}

async function observe({ n8n, ids, executions }: Place, texts: string[][]): Promise<ObservedSending[]> {
	const all = await executions();
	const observed = all.map(async ({ id, workflowId, status, retryOf }): Promise<ObservedSending> => {
		const isDone = status === 'success' || status === 'error';
		return {
			retryOf: all.findIndex((other) => other.id === retryOf),
			// n8n may have left a killed one running.
			status: isDone ? status : 'crashed',
			reports: isDone ? reportsOf(await n8n.api.execution(id)) : [],
			texts: texts[ids.indexOf(workflowId)] ?? [],
		};
	});
	return await Promise.all(observed);
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
