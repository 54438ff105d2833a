import type { Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { INodeParameters } from 'n8n-workflow';

import { close, createHttpServer, listen } from '../support/localServer';
import { withLegacyExpressions } from '../support/n8n/environment';
import { messagingChannelTrigger, node, workflow, type CredentialReference } from '../support/n8n/workflow';
import { phoneOfChat } from '../support/service/core/phone';
import { sign } from '../support/service/core/signature';
import { eventually } from '../support/poll';
import { callerOf } from '../support/service/testing';
import { eventIdsOf } from '../support/world/eventIds';
import { atATime, shuffled, type LoadEvent } from '../support/world/load';
import { messageBody, removeTrigger, TRIGGER } from '../support/world/triggerWorld';
import { startWorld, type World } from '../support/world/world';

/** How many events each test delivers. */
const EVENTS = Number(process.env.SHARED_EVENTS ?? 200);

let world: World;
let collector: Server;
let collectorUrl: string;
/** How often each workflow ran each event, by the workflow's number. */
let runs: Array<Map<string, number>>;
/** The events that a receiver outside n8n got, and how many of them it could verify. */
let external: { received: Set<string>; verified: number; deliveries: number };
let ids: string[] = [];
const api = callerOf(() => world.service);

beforeAll(async () => {
	world = await startWorld({ env: withLegacyExpressions });
	await world.service.control.setRedelivery({ maxAttempts: 13, backoffMs: 80 });
	collector = createHttpServer((request, response) => {
		void buffer(request).then((body) => {
			const [, workflowNumber = '', eventIds = ''] = (request.url ?? '').split('/');
			if (workflowNumber === 'external') receiveOutside(request.headers, body);
			else {
				const seen = runs[Number(workflowNumber)];
				for (const eventId of eventIds.split(',')) seen?.set(eventId, (seen.get(eventId) ?? 0) + 1);
			}
			response.end('{}');
		});
	});
	collectorUrl = await listen(collector);
});
afterAll(async () => {
	await world?.stop();
	await close(collector);
});
beforeEach(() => {
	runs = Array.from({ length: WORKFLOWS.length }, () => new Map<string, number>());
	external = { received: new Set(), verified: 0, deliveries: 0 };
});
afterEach(async () => {
	for (const id of ids) await removeTrigger(world, id);
	ids = [];
	await api('DELETE', '/webhooks');
});

function receiveOutside(headers: Record<string, string | string[] | undefined>, body: Buffer): void {
	const signature = sign(body, world.secrets.signingSecret);
	external.deliveries++;
	if (headers['x-service-signature'] === signature) external.verified++;
	external.received.add(String(headers['x-service-event-id']));
}

/** The workflows of the account, and which events each is to run. */
const WORKFLOWS: Array<{ parameters: INodeParameters; runs: (number: number) => boolean }> = [
	{ parameters: { options: { combineEvents: 'whenBusy' } }, runs: () => true },
	{ parameters: { events: ['message.received', 'message.status'] }, runs: () => true },
	{ parameters: { options: { combineEvents: 'perChat', silence: 0.5 } }, runs: () => true },
	{ parameters: { options: { messageTypes: 'image' } }, runs: (number) => number % 2 === 0 },
	{ parameters: { options: { chats: '905551112233' } }, runs: (number) => number % 3 === 0 },
];

/** So many events; each second one is an image, each third one of the chat that a workflow listens to. */
const newEvents = (prefix: string): LoadEvent[] =>
	Array.from({ length: EVENTS }, (_, number) => {
		const from = number % 3 === 0 ? '905551112233@c.us' : '905559998877@c.us';
		const chat = { id: from, name: 'Somebody', phone: phoneOfChat(from), type: 'individual' };
		return {
			eventId: `${prefix}-${number}`,
			body: messageBody({ from, type: number % 2 === 0 ? 'image' : 'chat' }, { chat }),
		};
	});

async function publish(index: number, credential: CredentialReference = world.credential): Promise<string> {
	const trigger = messagingChannelTrigger(WORKFLOWS[index]?.parameters ?? {}, credential);
	const url = `=${collectorUrl}/${index}/{{ [$json.event_id ?? $json.event_ids].flat().join() }}`;
	const collect = node(
		'Collect',
		'n8n-nodes-base.httpRequest',
		{ method: 'POST', url, options: {} },
		{ typeVersion: 4.2 },
	);
	const { id } = await world.n8n.api.createWorkflow(workflow(`Listens ${index}`, [trigger, collect]));
	ids.push(id);
	await world.n8n.api.activate(id);
	return id;
}

async function publishAll(): Promise<string[]> {
	const published: string[] = [];
	for (const index of WORKFLOWS.keys()) published.push(await publish(index));
	return published;
}

/** Has every event delivered twice, 50 at a time. The service delivers again what n8n did not accept. */
async function emit(all: LoadEvent[]): Promise<void> {
	await atATime(50, shuffled(all, 2), async ({ eventId, body }) => {
		await world.service.control.emitEvent({
			event: 'message.received',
			eventId,
			body: JSON.parse(body) as unknown,
		});
	});
}

/** Waits until the service has delivered everything, and no workflow runs any more. */
async function settle(): Promise<void> {
	await world.service.control.idle({ timeoutMs: 280_000 });
	for (const id of ids)
		await eventually(
			async () => await world.n8n.api.isRunning(id),
			(running) => !running,
		);
	const deliveries = await world.service.control.deliveries();
	expect(deliveries.filter(({ delivered, source }) => source === 'event' && !delivered)).toEqual([]);
}

/** What a workflow is to have run. */
const expected = (all: LoadEvent[], index: number) =>
	all.filter((_, number) => WORKFLOWS[index]?.runs(number)).map(({ eventId }) => eventId);

const missing = (all: LoadEvent[], index: number) =>
	expected(all, index).filter((eventId) => !runs[index]?.has(eventId));

/** Each of its events once, and no other. */
function expectExactly(all: LoadEvent[], index: number): void {
	const ran = runs[index] ?? new Map<string, number>();
	expect([...ran].filter(([, count]) => count > 1)).toEqual([]);
	expect([...ran.keys()].sort()).toEqual(expected(all, index).sort());
}

test('every workflow runs each of its events exactly once', async () => {
	await publishAll();
	const all = newEvents('plain');
	await emit(all);
	await settle();
	for (const index of WORKFLOWS.keys()) expectExactly(all, index);
});

test('the others miss nothing when the hub is unpublished in the middle', async () => {
	const [hub = ''] = await publishAll();
	const all = newEvents('hub');
	const emitted = emit(all);
	await eventually(
		() => runs[0]?.size ?? 0,
		(count) => count >= EVENTS / 4,
	);
	await world.n8n.api.deactivate(hub);
	await emitted;
	await settle();
	for (const index of [1, 2, 3, 4]) expectExactly(all, index);
	expect([...(runs[0] ?? [])].filter(([, count]) => count > 1)).toEqual([]);
});

test('n8n killed in the middle: nothing that was acknowledged is missing but what the kill cut off', async () => {
	await publishAll();
	const all = newEvents('kill');
	const emitted = emit(all);
	await eventually(
		() => runs[0]?.size ?? 0,
		(count) => count >= EVENTS / 4,
	);
	await world.n8n.kill();
	await world.n8n.restart();
	await emitted;
	await settle();
	const cutOff = [];
	for (const id of ids) {
		const executions = await world.n8n.api.executions(id);
		const killed = executions.filter(({ status }) => ['crashed', 'running'].includes(status));
		const events = await Promise.all(
			killed.map(async (one) => eventIdsOf(await world.n8n.api.execution(one.id), TRIGGER).length),
		);
		cutOff.push(events.reduce((sum, count) => sum + count, 0));
	}
	const missed = [...WORKFLOWS.keys()].map((index) => missing(all, index).length);
	console.log(`missing in each workflow: ${missed.join(', ')}; cut off by the kill: ${cutOff.join(', ')}`);
	for (const [index, count] of missed.entries()) expect(count).toBeLessThanOrEqual(cutOff[index] ?? 0);
});
