import type { INodeParameters } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';

import { messagingChannel, messagingChannelTrigger, workflow } from '../n8n/workflow';
import { TRIGGER } from './triggerWorld';
import type { Place } from './world';

/** More by environment variable: they take minutes. */
export const MESSAGES = Number(process.env.MISSED_MESSAGES ?? 60);
export const KILLS = Number(process.env.MISSED_KILLS ?? 1);

/** A message runs some minutes after it was missed, and a hundred chats at a time. */
const TIMEOUT_MS = 540_000;

/**
 * Publishes a workflow whose last node leaves the text of the message at the service.
 *
 * @param durationMs how long a run takes at least
 */
export async function publishAnswering(
	{ n8n, service, credential }: Place,
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
		workflow('Answers', [
			messagingChannelTrigger({ events: ['message.received'], ...parameters }, credential),
			messagingChannel('Takes time', { resource: 'account', operation: 'getHealth' }, credential),
			messagingChannel(
				'Answers',
				{ resource: 'tag', operation: 'create', name: `={{ $('${TRIGGER}').item.json.message.body }}` },
				credential,
			),
		]),
	);
	await n8n.api.activate(id);
	return id;
}

/** The texts of the messages, in the order in which their runs ended. */
export async function textsThatRan({ service }: Place): Promise<string[]> {
	const requests = await service.control.requests({ operationId: 'tag.create', accepted: true });
	return requests.map(({ body }) => (body as { name: string }).name);
}

/** How often each message ran to its end. */
async function runsByText(place: Place): Promise<Map<string, number>> {
	const runs = new Map<string, number>();
	for (const text of await textsThatRan(place)) runs.set(text, (runs.get(text) ?? 0) + 1);
	return runs;
}

/**
 * Waits until each message ran to its end.
 *
 * @returns which did not, and how many ran more than once
 */
export async function untilAllRan(
	place: Place,
	texts: readonly string[],
	timeoutMs = TIMEOUT_MS,
): Promise<{ notRun: string[]; twice: number }> {
	const deadline = Date.now() + timeoutMs;
	let runs = await runsByText(place);
	for (; texts.some((text) => !runs.has(text)) && Date.now() < deadline; runs = await runsByText(place))
		await sleep(500);
	return {
		notRun: texts.filter((text) => !runs.has(text)),
		twice: [...runs.values()].filter((count) => count > 1).length,
	};
}

/** Writes messages, 20 a second, and breaks something several times meanwhile. */
export async function writeWhile(
	place: Place,
	texts: readonly string[],
	breakSomething: () => Promise<void>,
): Promise<void> {
	const part = Math.ceil(texts.length / (KILLS + 1));
	for (const [index, text] of texts.entries()) {
		await place.service.control.incomingMessage({ from: `90555${1_000_000 + (index % 40)}`, body: text });
		await sleep(50);
		if ((index + 1) % part > 0 || index + 1 === texts.length) continue;
		while ((await runsByText(place)).size === 0) await sleep(100);
		await breakSomething();
	}
}

/** The texts of so many messages. */
export const textsOf = (count: number): string[] =>
	Array.from({ length: count }, (_, index) => `message ${index}`);
