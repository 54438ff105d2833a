import { eventually } from '../support/poll';
import { callerOf, startReceiver, useService, type Receiver } from '../support/service/testing';

const service = useService();
let receiver: Receiver;
const call = callerOf(() => service);
const to = '905551112233';

beforeAll(async () => {
	receiver = await startReceiver();
});
beforeEach(async () => {
	await service.control.setSendDelay({ minMs: 0, maxMs: 0 });
	receiver.received.length = 0;
	receiver.answers.length = 0;
});
afterAll(async () => await receiver.stop());

const bodies = async (chatId: string) => (await service.control.messages({ chatId })).map(({ body }) => body);

describe('the send queue', () => {
	test('grows while it is held, then sends by priority', async () => {
		await service.control.holdQueue();
		for (const [message, priority] of Object.entries({ third: 3, first: 1, second: 2 })) {
			await call('POST', '/messages/send', { to, message, priority });
		}
		const { body } = await call('GET', '/messages/queue');
		expect(body.data).toEqual({ waiting: 3, active: 0, failed: 0, delayed: 0 });
		expect(await bodies(to)).toEqual([]);
		await service.control.releaseQueue();
		await service.control.idle();
		expect(await bodies(to)).toEqual(['first', 'second', 'third']);
	});

	test('a synchronous send answers 200 once the message is in the chat', async () => {
		const answer = await call('POST', '/messages/send', { to, message: 'now', sync: true });
		expect(answer).toMatchObject({ status: 200, body: { queued: false, status: 'sent' } });
		expect(await bodies(to)).toEqual(['now']);
		expect((await call('GET', `/contacts/${to}`)).status).toBe(200);
	});

	test('loses what was sent while messages get lost', async () => {
		await service.control.configure({ losesMessages: true });
		const answer = await call('POST', '/messages/send', { to, message: 'lost' });
		expect(answer.status).toBe(202);
		await service.control.configure({ losesMessages: false });
		await call('POST', '/messages/send', { to, message: 'not lost' });
		await service.control.idle();
		expect(await bodies(to)).toEqual(['not lost']);
		expect(await service.control.accepted()).toHaveLength(2);
	});

	test('notes what was taken, in order', async () => {
		const { body } = await call('POST', '/messages/send', { to, message: 'one' });
		await call('POST', '/messages/send', { to: 'nobody', message: 'two' });
		const accepted = await service.control.accepted();
		expect(accepted).toMatchObject([
			{ order: 1, operationId: 'message.send', to: `${to}@c.us`, body: 'one', jobId: body.job_id },
		]);
	});

	test('a medium whose URL cannot be fetched is taken, and fails later', async () => {
		const answer = await call('POST', '/messages/send-media', { to, media_url: 'http://127.0.0.1:1/a.png' });
		expect(answer.status).toBe(202);
		const { failed } = await eventually(service.control.queue, (queue) => queue.failed === 1);
		expect(failed).toBe(1);
	});
});

test.each([
	['sub-types', ['message.sent', 'message.delivered', 'message.read']],
	['message.status', ['message.sent', 'message.status', 'message.status']],
] as const)('status events follow a send, told as %s', async (statusEvents, expected) => {
	await service.control.configure({ statusEvents });
	await call('POST', '/webhooks', { url: receiver.url });
	const { body } = await call('POST', '/messages/send', { to, message: 'hello' });
	await service.control.idle();
	const events = receiver.received.map(({ body: raw }) => JSON.parse(raw.toString()) as object);
	expect(events).toHaveLength(3);
	const told = receiver.received.map(({ headers }) => headers['x-service-event']);
	expect([...told].sort()).toEqual([...expected].sort());
	for (const status of ['sent', 'delivered', 'read']) {
		expect(events).toContainEqual(
			expect.objectContaining({
				account_id: 'account-1',
				job_id: body.job_id,
				chat: { id: `${to}@c.us`, name: to, phone: to, type: 'individual' },
				message: expect.objectContaining({ body: 'hello', from_me: true, status }) as object,
			}),
		);
	}
});

describe('templates', () => {
	test('are filled, by id or by name, and miss no placeholder', async () => {
		const created = await call('POST', '/templates', { name: 'hi', content: 'Hi {{name}}, {{ greeting }}' });
		expect(created).toMatchObject({
			status: 201,
			body: { data: { category: 'general', language: 'tr', variables: ['name', 'greeting'] } },
		});
		const { id } = created.body.data as { id: string };
		const variables = { name: 'Ada', greeting: 'welcome' };
		for (const by of [{ template_id: id }, { template_name: 'hi' }]) {
			expect((await call('POST', '/messages/send-template', { to, ...by, variables })).status).toBe(202);
		}
		const missing = await call('POST', '/messages/send-template', {
			to,
			template_id: id,
			variables: { name: 'Ada' },
		});
		expect(missing).toMatchObject({ status: 400, body: { error: 'validation_error' } });
		await service.control.idle();
		expect(await bodies(to)).toEqual(['Hi Ada, welcome', 'Hi Ada, welcome']);
		expect((await call('DELETE', `/templates/${id}`)).status).toBe(200);
		expect((await call('GET', `/templates/${id}`)).status).toBe(404);
	});
});

test('a scheduled message is sent when its time has come, unless it is cancelled', async () => {
	const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
	const make = async (message: string) => {
		const { body } = await call('POST', '/messages/schedule', { to, message, scheduled_at });
		return (body.data as { id: string }).id;
	};
	const [kept, cancelled] = [await make('kept'), await make('cancelled')];
	expect((await call('PUT', `/messages/scheduled/${kept}`, { message: 'changed' })).status).toBe(200);
	expect(await call('DELETE', `/messages/scheduled/${cancelled}`)).toMatchObject({
		body: { data: { status: 'cancelled' } },
	});
	await service.control.setClock({ offsetMs: 3_700_000 });
	await eventually(
		() => call('GET', '/messages/scheduled?status=sent'),
		({ body }) => (body.pagination as { total: number }).total === 1,
	);
	await service.control.idle();
	expect(await bodies(to)).toEqual(['changed']);
	expect((await call('DELETE', `/messages/scheduled/${kept}`)).status).toBe(400);
});

test('a broadcast reaches each recipient as often as listed and tells its progress', async () => {
	const recipients = ['905551110001', '0555 111 0001', '905551110002'];
	const created = await call('POST', '/messages/broadcast', {
		name: 'news',
		recipients,
		message: 'News',
		delay_between_messages: 0,
	});
	expect(created.status).toBe(201);
	const { id } = created.body.data as { id: string };
	await service.control.idle();
	const { body } = await call('GET', `/messages/broadcast/${id}/progress`);
	expect(body.data).toEqual({ id, status: 'completed', total: 3, sent: 3, failed: 0, pending: 0 });
	expect((await call('POST', `/messages/broadcast/${id}/cancel`)).status).toBe(400);
	expect((await service.control.accepted()).map(({ to }) => to)).toEqual(
		['905551110001', '905551110001', '905551110002'].map((phone) => `${phone}@c.us`),
	);
});

test('auto-replies, groups and contacts can be made, read, changed and removed', async () => {
	const rule = { name: 'a', trigger_type: 'keyword', trigger_value: 'hi', reply: 'hello' };
	const { body: made } = await call('POST', '/auto-replies', rule);
	const { id } = made.data as { id: string };
	expect(made.data).toEqual({ ...rule, id, is_active: true });
	await call('PUT', `/auto-replies/${id}`, { is_active: false });
	expect((await call('GET', '/auto-replies')).body.data).toMatchObject([{ id, is_active: false }]);
	expect((await call('GET', `/auto-replies/${id}`)).status).toBe(200);
	await call('DELETE', `/auto-replies/${id}`);
	expect((await call('GET', `/auto-replies/${id}`)).status).toBe(404);

	expect((await call('POST', '/groups', { name: 'g', color: '#00ff00' })).status).toBe(201);
	expect((await call('GET', '/groups')).body.data).toMatchObject([{ name: 'g' }]);

	await service.control.seed({ contacts: [{ phone: to, name: 'Ada' }] });
	const { body } = await call('PUT', '/contacts/+90%20555%20111%2022%2033', { tags: ['vip'] });
	expect(body.data).toMatchObject({ phone: to, name: 'Ada', tags: ['vip'] });
	expect((await call('DELETE', `/contacts/${to}`)).status).toBe(200);
	expect((await call('DELETE', `/contacts/${to}`)).status).toBe(404);
});
