import type { INodeParameters } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';

import { messagingChannel, messagingChannelTrigger, workflow } from '../n8n/workflow';
import { TRIGGER } from './triggerWorld';
import type { Place } from './world';

/** More by environment variable: they take minutes. */
export const MESSAGES = Number(process.env.MISSED_MESSAGES ?? 60);
export const KILLS = Number(process.env.MISSED_KILLS ?? 1);
/** How often the service delivers an event at most. */
const DELIVERIES = Number(process.env.MISSED_DELIVERIES ?? 1);

/** A message runs some minutes after it was missed, and a hundred chats at a time. */
export const TIMEOUT_MS = 540_000 + MESSAGES * 600;

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
	timeoutMs = TIMEOUT_MS,
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

/** Two workflows that listen to one account, each in its way. */
export const LISTENING: Readonly<Record<string, INodeParameters>> = {
	webhook: {},
	polling: { listen: 'poll', pollInterval: 5 },
};

/** Publishes both workflows. */
export async function publishListening(place: Place): Promise<string[]> {
	const ids: string[] = [];
	for (const [name, parameters] of Object.entries(LISTENING))
		ids.push(await publishAnswering(place, name, parameters, 800));
	await place.service.control.setRedelivery({ maxAttempts: DELIVERIES, backoffMs: 1_000 });
	return ids;
}

/** One random moment in each of as many parts as there are kills, by the index of the message before it. */
function momentsOfKills(): Set<number> {
	const part = Math.floor(MESSAGES / (KILLS + 1));
	const moments = Array.from({ length: KILLS }, (_, kill) => Math.floor((kill + Math.random()) * part));
	console.log(`kills after the messages ${moments.join(', ')}`);
	return new Set(moments);
}

/**
 * Writes messages, 20 a second, and breaks something several times meanwhile. Fewer are written while it is broken. Waits
 * until both workflows ran them.
 */
export async function writeWhileBreaking(
	place: Place,
	breakSomething: () => Promise<void>,
): Promise<Record<string, Outcome>> {
	const texts = Array.from({ length: MESSAGES }, (_, index) => `message ${index}`);
	const moments = momentsOfKills();
	let isBroken = false;
	let breaking = Promise.resolve();
	for (const [index, text] of texts.entries()) {
		await place.service.control.incomingMessage({ from: `90555${1_000_000 + (index % 40)}`, body: text });
		await sleep(isBroken ? 500 : 50);
		if (!moments.has(index)) continue;
		await breaking;
		for (const name of Object.keys(LISTENING))
			while ((await textsThatRan(place, name)).length === 0) await sleep(100);
		isBroken = true;
		breaking = breakSomething().finally(() => (isBroken = false));
	}
	await breaking;
	const outcomes = Object.keys(LISTENING).map(
		async (name) => [name, await untilAllRan(place, name, texts)] as const,
	);
	return Object.fromEntries(await Promise.all(outcomes));
}

/** As many as run again when n8n is killed: those that ended in the last second before, and those that were running. */
export const REPEATED_AT_MOST = 20 * KILLS;
