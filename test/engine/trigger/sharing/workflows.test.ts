import {
	requestHeader,
	REQUEST_HEADER,
} from '../../../../nodes/MessagingChannel/trigger/sharing/internalRequest';
import type { Subscriber } from '../../../../nodes/MessagingChannel/webhook/subscribers';
import { messageBody, type Trigger } from '../../../support/engine/trigger';
import { eventually } from '../../../support/poll';
import { idsOf, MINUTE, useSharing } from './sharing';

const sharing = useSharing();
const { place, time, receiver, publish, pair, config, secret, urlOf, subscriberOf } = sharing;
const { register, deliver, die, deleteCredential } = sharing;

describe('several workflows', () => {
	test('get the events that each of them wants', async () => {
		const all = await publish();
		const statuses = await publish({ events: ['message.status'] });
		const groups = await publish({ options: { chatType: 'group', timeoutSeconds: 40 } });

		expect(await config()).toMatchObject({
			events: ['message.received', 'message.status'],
			timeout_seconds: 40,
		});
		expect(await deliver('message')).toBe(200);
		const group = messageBody({}, { chat: { id: 'a@g.us', type: 'group' } });
		expect(await deliver('group', { body: group })).toBe(200);
		const status = JSON.stringify({ event: 'message.status', account_id: 'account-1', status: 'read' });
		expect(await deliver('status', { event: 'message.status', body: status })).toBe(200);

		expect([all, statuses, groups].map(idsOf)).toEqual([['message', 'group'], ['status'], ['group']]);
	});

	test.each([
		['in the order', [0, 1, 2]],
		['against the order', [2, 1, 0]],
		['in some order', [1, 2, 0]],
	])('that are unpublished %s of their publication leave the others working', async (_, order) => {
		const triggers = [await publish(), await publish(), await publish({ events: ['message.sent'] })];
		const wanting = (left: Trigger[]) => left.filter((trigger) => trigger !== triggers[2]);
		const left = [...triggers];
		for (const index of order) {
			const [unpublished] = left.splice(left.indexOf(triggers[index] as Trigger), 1);
			await unpublished?.deactivate();
			const id = `without-${index}`;
			expect((await config())?.is_active).toBe(left.length > 0);
			if (left.length === 0) continue;
			expect(await deliver(id)).toBe(200);
			for (const trigger of triggers)
				expect(idsOf(trigger).includes(id)).toBe(wanting(left).includes(trigger));
		}
	});

	test('lose nothing while n8n has taken the hub’s URL away and not yet called `delete`', async () => {
		await place.service.control.setRedelivery({ maxAttempts: 10, backoffMs: 50 });
		const [hub, other] = await pair();
		await place.service.control.addFault({ operationId: 'webhook.get', kind: 'delay', ms: 200 });
		await place.service.control.clearRequests();

		const left = hub.deactivate();
		const { eventId } = await place.service.control.incomingMessage({ from: '905551112233' });
		await left;
		await place.service.control.idle();

		const [delivery] = await place.service.control.deliveries({ eventId });
		expect(delivery?.attempts.map(({ status }) => status)).toEqual(expect.arrayContaining([404, 200]));
		expect([hub, other].map(idsOf)).toEqual([[], [eventId]]);
	});
});

describe('a workflow that', () => {
	test('refuses gets no redelivery, and an execution of its own says so', async () => {
		const [hub, other] = await pair();
		other.credential.signingSecret = 'an-old-secret';
		time.skip(2 * MINUTE);

		for (let count = 1; count <= 5; count++) expect(await deliver(`event-${count}`)).toBe(200);

		expect(idsOf(hub)).toHaveLength(5);
		expect(hub.log).toContainEqual(expect.stringContaining(`${urlOf(other)}: it refuses the event`));
		expect(other.taken).toEqual([
			{
				json: { report: expect.objectContaining({ message: expect.stringMatching(/^Events are rejected/) }) },
			},
		]);
	});

	test.each([
		['the hub', 0],
		['another one', 1],
	])('fails has the event delivered again, and nobody runs it twice (%s)', async (_, failing) => {
		const triggers = [await publish(), await publish(), await publish()];
		triggers[failing]?.answers.push(500);

		expect(await deliver()).toBe(failing === 0 ? 500 : 503);
		expect(triggers.map((trigger) => idsOf(trigger).length)).toEqual(
			triggers.map((_trigger, index) => (index === failing ? 0 : 1)),
		);
		expect(await deliver()).toBe(200);
		expect(triggers.map(idsOf)).toEqual([['event'], ['event'], ['event']]);
	});

	test('is absent has events delivered again for five minutes, and gets them when it is back', async () => {
		const [hub, other] = await pair();
		await die(other);

		for (const [minutes, status] of [
			[0, 503],
			[40, 503],
			[1.5, 503],
			[1.5, 503],
			[1.5, 503],
			[0.5, 200],
			[1, 200],
		] as const) {
			time.skip(minutes * MINUTE);
			expect(await deliver(`${time.skippedMs}`)).toBe(status);
		}
		expect(hub.log.at(-1)).toContain(`${urlOf(other)}: nothing has responded there for five minutes`);

		await other.activate('init');
		expect(await deliver('back')).toBe(200);
		await eventually(
			() => idsOf(other),
			(ids) => ids.includes('back'),
		);
		other.answers.push(500);
		expect(await deliver('again')).toBe(503);
	});

	test('refuses with a new secret has the event delivered again, because the secret will sign it', async () => {
		const [hub, other] = await pair();
		time.skip(2 * MINUTE);
		// Only the hub reads the old secret, and keeps it.
		const body = messageBody();
		const mark = requestHeader('event', Buffer.from(body), await secret(), Date.now());
		expect(await deliver('before', { body, headers: { [REQUEST_HEADER]: mark } })).toBe(200);
		for (const { credential } of [hub, other]) credential.signingSecret = 'the-new-secret';

		expect(await deliver()).toBe(503);
		// The hub cannot tell any more that its secret is an old one.
		deleteCredential(hub);
		expect(await deliver('unread')).toBe(503);
	});

	test.each<[string, Subscriber['kind'], number | null, number]>([
		['an n8n that starts, which responds 200 to everything', 'workflow', 200, 503],
		['a workflow that has ended', 'workflow', 404, 503],
		['a proxy that refuses', 'workflow', 403, 200],
		['another system', 'external', 200, 200],
		['another system that refuses', 'external', 401, 200],
		['another system that fails', 'external', 500, 503],
		['another system that is absent', 'external', 404, 503],
		['a test that has it', 'test', 200, 200],
		['a test that refuses', 'test', 401, 200],
		['a test that fails', 'test', 500, 200],
		['a test that is absent', 'test', 404, 200],
		['a test that never responds', 'test', null, 200],
	])('is %s (%s, %s): the service gets %i', async (_, kind, answer, status) => {
		const hub = await publish();
		const { url, received } = await receiver(answer);
		await register(subscriberOf(hub), { ...subscriberOf(hub), url, kind });

		const begun = Date.now();
		expect(await deliver()).toBe(status);
		expect(Date.now() - begun).toBeLessThan(10_000);
		await eventually(
			() => received,
			({ length }) => length === 1,
		);
		expect(idsOf(hub)).toEqual(['event']);
		// The user of a test sees it.
		expect(hub.log).toHaveLength(kind === 'test' || (kind === 'external' && answer === 200) ? 0 : 1);
	});
});
