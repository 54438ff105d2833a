import type { INodeParameters } from 'n8n-workflow';
import { once } from 'node:events';
import { request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { brotliCompressSync } from 'node:zlib';

import { underTest } from '../support/n8n/version';
import { messagingChannelTrigger, node, workflow } from '../support/n8n/workflow';
import { poll } from '../support/poll';
import { sign } from '../support/service/core/signature';
import {
	activateTrigger,
	deliver,
	executionsAfterPause,
	messageBody,
	receivedTexts,
	removeTrigger,
	TRIGGER,
	untilRemembered,
} from '../support/world/triggerWorld';
import { startWorld, type World } from '../support/world/world';

let world: World;
let id: string;
const ALL_EVENTS = [
	'connection.connected',
	'connection.disconnected',
	'message.received',
	'message.sent',
	'message.status',
];

beforeAll(async () => {
	world = await startWorld();
});
afterAll(async () => await world?.stop());
afterEach(async () => void (world && (await removeTrigger(world, id))));

/** So many executions, and no more; n8n 1.x stores one a moment after the answer to its event. */
const expectStarted = async (expected: number) => {
	await world.n8n.api.waitForExecutions(id, expected);
	expect(await executionsAfterPause(world, id)).toHaveLength(expected);
};

const listen = async (options: INodeParameters = {}, events: string[] = ALL_EVENTS) => {
	id = await activateTrigger(world, { events, options });
};

test('a filter with an expression counts while n8n polls', async () => {
	const [wanted, other] = ['905551112233', '905551114455'];
	const options = { chats: `={{ ['${wanted}'].join() }}` };
	const parameters = { events: ['message.received'], listen: 'poll', pollInterval: 5, options };
	id = await activateTrigger(world, parameters);
	for (const body of ['First', 'Second']) {
		await world.service.control.incomingMessage({ from: other, body: 'Not wanted' });
		await world.service.control.incomingMessage({ from: wanted, body });
		await world.n8n.api.waitForExecutions(id, body === 'First' ? 1 : 2);
	}
	expect((await receivedTexts(world, id, 2)).sort()).toEqual(['First', 'Second']);
});

test('media are attached without delaying the answer', async () => {
	const image = Buffer.from('not really a picture').toString('base64');
	await listen({ downloadMedia: true });
	const { control } = world.service;
	await control.addFault({ operationId: 'media.downloadFromMessage', kind: 'hold' });
	const { eventId } = await world.service.control.incomingMessage({
		from: '905551112233',
		body: 'a picture',
		media: { mimetype: 'image/png', filename: 'picture.png', base64: image },
	});
	await control.idle();
	const [delivery] = await control.deliveries({ eventId });
	expect(delivery?.attempts.map(({ status }) => status)).toEqual([200]);
	await control.clearFaults();

	const [execution] = await world.n8n.api.waitForExecutions(id, 1);
	const [item] = execution?.items(TRIGGER) ?? [];
	expect(item?.json).toMatchObject({ event_id: eventId, message: { body: 'a picture' } });
	expect(item?.binary?.data).toMatchObject({
		mimeType: 'image/png',
		fileName: expect.stringContaining('picture.png'),
	});
	const binary = item?.binary?.data;
	if (!binary) throw new Error('There is no file');
	expect((await world.n8n.api.download(binary)).toString('base64')).toBe(image);
});

interface OddDelivery {
	method?: string;
	body?: string | Buffer;
	headers?: OutgoingHttpHeaders;
}
let ids = 0;
/** What the service's own delivery cannot be made to be: a request of any shape. */
const odd = async ({ method = 'POST', body = '', headers }: OddDelivery) => {
	const { config, secret } = await world.service.control.webhook();
	ids += 1;
	// n8n can answer and cut the connection before it has all of a body: a pooled socket fails then where nobody listens.
	const outgoing = request(config?.url ?? '', {
		method,
		agent: false,
		headers: {
			'Content-Type': 'application/json',
			'Content-Length': Buffer.byteLength(body),
			'X-Service-Signature': sign(body, secret),
			'X-Service-Timestamp': Math.floor(Date.now() / 1000),
			'X-Service-Event': 'message.received',
			'X-Service-Event-Id': `odd-${ids}`,
			'X-Service-Account-Id': 'account-1',
			...headers,
		},
	});
	outgoing.on('error', () => undefined).end(body);
	const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
	await text(response).catch(() => '');
	return { status: response.statusCode };
};
const deep = (levels: number) =>
	`{"event":"message.received","deep":${'['.repeat(levels)}${']'.repeat(levels)}}`;

/** Each with what n8n or the trigger says to it. */
const BAD: Array<[string, () => OddDelivery, number]> = [
	['with another method', () => ({ method: 'PUT', body: messageBody() }), 404],
	['without a body', () => ({}), 400],
	['of JSON that is none', () => ({ body: '{"event":' }), 422],
	[
		'packed with Brotli',
		() => ({ body: brotliCompressSync(messageBody()), headers: { 'Content-Encoding': 'br' } }),
		422,
	],
	[
		'in a charset that Node.js does not know',
		() => ({ body: messageBody(), headers: { 'Content-Type': 'application/json; charset=iso-8859-1' } }),
		422,
	],
	['nested very deeply', () => ({ body: deep(200_000) }), 400],
	['as plain text', () => ({ body: messageBody(), headers: { 'Content-Type': 'text/plain' } }), 415],
	[
		'as a form',
		() => ({ body: 'a=1', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }),
		415,
	],
	[
		'as a form with files',
		() => ({
			body: '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n',
			headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
		}),
		415,
	],
	[
		'with two signatures',
		() => ({ body: messageBody(), headers: { 'X-Service-Signature': ['a'.repeat(64), 'b'.repeat(64)] } }),
		401,
	],
];

test('a bad delivery is refused, starts nothing and breaks nothing', async () => {
	await listen();
	const answers: Array<[string, number | undefined]> = [];
	for (const [name, delivery] of BAD) answers.push([name, (await odd(delivery())).status]);
	expect(answers).toEqual(BAD.map(([name, , status]) => [name, status]));
	await expectStarted(0);
	expect((await odd({ body: messageBody() })).status).toBe(200);
	await expectStarted(1);
});

test('behind the trigger there is nothing for Respond to Webhook to respond to: the service has its answer', async () => {
	const respond = node('Respond', 'n8n-nodes-base.respondToWebhook', {}, { typeVersion: 1.4 });
	const trigger = messagingChannelTrigger({ events: ['message.received'] }, world.credential);
	({ id } = await world.n8n.api.createWorkflow(workflow('Responds', [trigger, respond])));
	await world.n8n.api.activate(id);
	expect(await deliver(world)).toMatchObject({ status: 200 });
	const [execution] = await world.n8n.api.waitForExecutions(id, 1);
	expect(execution?.nodeError('Respond')?.message).toBe('No Webhook node found in the workflow');
});

test('events that can no longer be verified fail an execution, once an hour, which starts the error workflow', async () => {
	const errorTrigger = node('Error Trigger', 'n8n-nodes-base.errorTrigger');
	const { api } = world.n8n;
	const { id: errorWorkflow } = await api.createWorkflow(workflow('Tells somebody', [errorTrigger]));
	if (underTest.publishesSubworkflows) await api.activate(errorWorkflow);
	// In the second in which n8n finds a credential changed, it refuses nothing permanently.
	const unchanged = await api.createCredential('messagingChannelApi', 'Unchanged', world.secrets);
	const definition = workflow('Listens', [
		messagingChannelTrigger({ events: ALL_EVENTS }, unchanged),
		node('Goes on', 'n8n-nodes-base.noOp'),
	]);
	const settings = { ...definition.settings, errorWorkflow };
	({ id } = await api.createWorkflow({ ...definition, settings }));
	await api.activate(id);
	const refused = async () => {
		const delivery = { body: messageBody(), signature: 'other-key', times: 20 } as const;
		const attempts = await world.service.control.deliver(delivery);
		const answer = { status: 401, responseBody: '{"error":"invalid_signature"}' };
		expect(attempts).toMatchObject(Array(20).fill(answer));
	};

	await refused();

	const [failed] = await api.waitForExecutions(id, 1);
	expect(failed?.status).toBe('error');
	expect(failed?.error?.message).toContain("the 'Signing Secret' in the credential does not match");
	expect(failed?.items('Goes on')).toEqual([]);
	expect(JSON.stringify(failed?.raw)).not.toContain('Hello');
	const [told] = await api.waitForExecutions(errorWorkflow, 1);
	expect(told?.items('Error Trigger')[0]?.json).toMatchObject({
		execution: { id: failed?.id, error: { message: failed?.error?.message } },
		workflow: { id },
	});

	expect(await deliver(world)).toMatchObject({ status: 200 });
	await refused();

	await expectStarted(2);
	expect(await executionsAfterPause(world, errorWorkflow)).toHaveLength(1);
	await removeTrigger(world, errorWorkflow);
});

test('with Per Chat, messages that wait start their execution when the workflow is unpublished', async () => {
	const silence = 10;
	/** Whether it was before the silence was over, for which a busy machine may need another try. */
	const isStartedEarly = async () => {
		await listen({ combineEvents: 'perChat', silence });
		const begunAt = performance.now();
		const waiting = deliver(world, { body: messageBody({ body: 'Hello' }) });
		const earlier = await executionsAfterPause(world, id);

		await world.n8n.api.deactivate(id);

		expect(await waiting).toMatchObject({ status: 200 });
		const isEarly = performance.now() - begunAt < (silence - 1) * 1000;
		const [execution] = await world.n8n.api.waitForExecutions(id, 1);
		expect(execution?.items(TRIGGER).map(({ json }) => json.text)).toEqual(['Hello']);
		return isEarly && earlier.length === 0;
	};
	await poll(isStartedEarly, {
		timeoutMs: 300_000,
		failure: 'the execution started only when the silence was over',
	});
});

test('an event that was taken before n8n was restarted does not run again', async () => {
	await listen();
	const delivery = { body: messageBody(), eventId: 'before-restart' };
	expect(await deliver(world, delivery)).toMatchObject({ status: 200 });
	await world.n8n.api.waitForExecutions(id, 1);
	await untilRemembered(world, id, 1);
	await world.n8n.kill();
	await world.n8n.restart();
	expect(await deliver(world, delivery)).toMatchObject({ status: 200 });
	expect(await deliver(world, { ...delivery, eventId: 'replayed-after-restart' })).toMatchObject({
		status: 200,
	});
	expect(await deliver(world)).toMatchObject({ status: 200 });
	const executions = await world.n8n.api.waitForExecutions(id, 3);
	// n8n offers no way to know it earlier, so the second run exists; it ends at the trigger, without items.
	expect(executions.map((execution) => execution.items(TRIGGER).length)).toEqual([1, 0, 1]);
	await expectStarted(3);
});
