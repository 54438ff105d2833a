import type { INodeParameters } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';

import { messagingChannel, messagingChannelTrigger, workflow } from '../n8n/workflow';
import { TRIGGER } from './triggerWorld';
import type { Place } from './world';

/**
 * Publishes a workflow whose last node leaves its name and the text of the message at the service.
 *
 * @param durationMs how long a run takes at least
 */
export async function publishAnswering(
	{ n8n, service, credential }: Place,
	name: string,
	parameters: INodeParameters,
	durationMs: number,
): Promise<string> {
	await service.control.addFault({
		operationId: 'account.getHealth',
		kind: 'delay',
		ms: durationMs,
		times: 'always',
	});
	const { id } = await n8n.api.createWorkflow(
		workflow(name, [
			messagingChannelTrigger({ events: ['message.received'], ...parameters }, credential),
			messagingChannel('Takes time', { resource: 'account', operation: 'getHealth' }, credential),
			messagingChannel(
				'Answers',
				{
					resource: 'tag',
					operation: 'create',
					name: `={{ $workflow.name }}: {{ $('${TRIGGER}').item.json.message.body }}`,
				},
				credential,
			),
		]),
	);
	await n8n.api.activate(id);
	return id;
}

/** The texts of the messages that a workflow answered, in the order in which its runs ended. */
export async function textsThatRan({ service }: Place, name: string): Promise<string[]> {
	const requests = await service.control.requests({ operationId: 'tag.create', accepted: true });
	const answers = requests.map(({ body }) => (body as { name: string }).name.split(': ') as [string, string]);
	return answers.filter(([answering]) => answering === name).map(([, text]) => text);
}

/** What became of the messages in one workflow. */
interface Outcome {
	notRun: string[];
	/** How many runs were repetitions. */
	repeated: number;
}

/** Waits until a workflow ran each message to its end. */
export async function untilAllRan(
	place: Place,
	name: string,
	texts: readonly string[],
	timeoutMs: number,
): Promise<Outcome> {
	const deadline = Date.now() + timeoutMs;
	for (;;) {
		const runs = await textsThatRan(place, name);
		const ran = new Set(runs);
		const notRun = texts.filter((text) => !ran.has(text));
		if (notRun.length === 0 || Date.now() > deadline) return { notRun, repeated: runs.length - ran.size };
		await sleep(500);
	}
}
