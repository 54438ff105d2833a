import { CONTINUES, person, toEach, useEngine } from '../../support/engine/engine';
import { optingOut, skipped, SKIPS, TAG } from '../../support/engine/suppressionList';
import { stored } from '../../support/engine/run';
import { createTriggerNode } from '../../support/engine/triggerNode';
import type { FaultEffect } from '../../support/service/core/faults';

const engine = useEngine();
const { optOut } = optingOut(engine);
const recipientsReached = async () =>
	(await engine.service.control.accepted()).map(({ to }) => to.replace(/@c\.us$/, ''));

test('of many recipients, those who opted out get nothing, and each says why', async () => {
	const items = toEach(400);
	const out = items.filter((_, index) => index % 5 === 2).map(({ to }) => to);
	await optOut(out);

	const { output, error } = await engine.run({ items, options: SKIPS });

	expect(error).toBeUndefined();
	const reached = await recipientsReached();
	expect(reached).toHaveLength(320);
	expect(reached.filter((to) => out.includes(to))).toEqual([]);
	expect(output).toHaveLength(400);
	expect(output.filter(({ json }) => json.skipped)).toEqual(
		items.flatMap(({ to }, index) => (out.includes(to) ? [skipped(to, index)] : [])),
	);
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	// The list is read once, as a whole, before the first send.
	expect((await engine.requests()).slice(0, 4).map(({ operationId, query }) => [operationId, query])).toEqual(
		[
			['contact.getAll', { tags: TAG, page: '1', limit: '50' }],
			['contact.getAll', { tags: TAG, page: '2', limit: '50' }],
			['message.send', {}],
			['message.send', {}],
		],
	);
	expect(await engine.requests('contact.getAll')).toHaveLength(2);
});

test('a contact with one of several tags is skipped, and each tag has its own request', async () => {
	await optOut([person(1)]);
	await optOut([person(2)], 'blocked');

	const { output } = await engine.run({
		items: toEach(4),
		options: { skipTags: 'unsubscribed, blocked' },
	});

	expect(await recipientsReached()).toEqual([person(0), person(3)]);
	expect(output.map(({ json }) => json.reason)).toEqual([
		undefined,
		`The contact has the tag '${TAG}'`,
		"The contact has the tag 'blocked'",
		undefined,
	]);
	expect((await engine.requests('contact.getAll')).map(({ query }) => query.tags)).toEqual([
		...[TAG, TAG],
		...['blocked', 'blocked'],
	]);
});

/** People whose chat IDs hide their numbers, as the service names them. */
const HIDDEN = [1, 2].map((index) => ({ id: `1234567${index}@lid`, name: 'Ada', phone: person(index) }));

const findChats = async (operation: string, data: object) => {
	const operationId = operation.replace(':', '.');
	const body = { success: true, data } as never;
	await engine.service.control.addFault({ operationId, kind: 'status', status: 200, body });
	const phone = { __rl: true, mode: 'phone', value: `+${person(1)}` };
	await engine.run({ operation, items: [{}], parameters: { phone, returnAll: true } });
};

test.each<[string, () => Promise<void>]>([
	['a list of chats', async () => await findChats('chat:getAll', HIDDEN)],
	[
		'the events of a trigger',
		async () => {
			const trigger = createTriggerNode({
				parameters: { events: ['message.received'] },
				credential: () => ({ ...engine.account, signingSecret: 'secret' }),
				n8nUrl: 'http://localhost',
			});
			await trigger.execute(HIDDEN.map((chat) => ({ json: { event: 'message.received', chat } })));
		},
	],
])('an ID that hides the number is compared by it, after %s named both', async (_, name) => {
	await optOut([person(1)]);
	await name();
	await engine.service.control.clearRequests();
	const items = [...HIDDEN, { id: '12345673@lid' }].map(({ id }) => ({ to: id, message: 'Hello' }));

	const { output } = await engine.run({ items, options: SKIPS });

	expect(output.map(({ json, pairedItem }) => [json.outcome, json.reason, pairedItem])).toEqual([
		['skipped', `The contact has the tag '${TAG}'`, { item: 0 }],
		['queued', undefined, { item: 1 }],
		['skipped', expect.stringContaining('The chat ID does not show the phone number'), { item: 2 }],
	]);
	expect((await engine.requests()).map(({ operationId }) => operationId)).toEqual([
		...['contact.getAll', 'contact.getAll'],
		'message.send',
	]);
});

describe('when the list cannot be read as a whole, nothing is sent', () => {
	const page = (total: unknown): FaultEffect => ({
		kind: 'status',
		status: 200,
		body: {
			success: true,
			data: [{ phone: person(0), tags: [TAG] }],
			...(total === undefined ? {} : { pagination: { page: 1, limit: 50, total } }),
		},
	});

	test.each<[string, FaultEffect, string]>([
		['it fails', { kind: 'status', status: 500 }, 'could not process the request'],
		['the key may not read contacts', { kind: 'status', status: 403, error: 'forbidden' }, "'chats:read'"],
		['it has fewer contacts than the service says', page(3), 'the same page of the list'],
		['the service does not say how many there are', page(undefined), 'does not say how many'],
	])('%s', async (_, fault, why) => {
		await optOut([person(0)]);
		await engine.service.control.addFault({ operationId: 'contact.getAll', times: 'always', ...fault });

		const { output } = await engine.run({ items: toEach(30), options: SKIPS, node: CONTINUES });

		expect(await engine.requests('message.send')).toEqual([]);
		expect(output).toHaveLength(30);
		for (const { json } of output) {
			expect(`${String(json.error)} ${String(json.description)}`).toContain(why);
			expect(json.error).toMatch(
				`The message was not sent, because the contacts with the tag '${TAG}' could not all be read`,
			);
			expect(json).not.toHaveProperty('ambiguous');
		}
	});

	test.each(['unsubscribe', 'Unsubscribed'])('there is no tag %s', async (tag) => {
		await optOut([person(0)]);

		const { error } = await engine.run({ items: toEach(3), options: { skipTags: [tag] } });

		expect(error?.message).toBe(`The message was not sent, because there is no tag '${tag}' in this account`);
		expect(error?.description).toContain('Tag > Create');
		expect(await engine.requests('message.send')).toEqual([]);
	});
});

test('a retry does not skip, and does not send again, what was sent before somebody opted out', async () => {
	const items = toEach(3);
	await optOut([person(1)]);
	const refused = { kind: 'status', status: 400, error: 'content_blocked' } as const;
	await engine.spoilSend({ ...refused, bodyHas: { to: person(2) } });
	const first = await engine.run({ items, options: { ...SKIPS, maxConcurrency: 1 }, node: CONTINUES });
	expect(first.output[2]?.json.code).toBe('content_blocked');
	await optOut([person(0)]);

	const { output } = await engine.run({ items, options: SKIPS, execution: stored(first.execution) });

	expect(output.map(({ json }) => [json.already_sent, json.skipped])).toEqual([
		[true, undefined],
		[undefined, true],
		[undefined, undefined],
	]);
	expect(await recipientsReached()).toEqual([person(0), person(2)]);
});

test('of a long text, a person who opted out gets no part', async () => {
	await optOut([person(0)]);

	const { output } = await engine.run({
		items: [0, 1].map((number) => ({
			to: person(number),
			message: 'First sentence. Second sentence. Third sentence.',
		})),
		options: { ...SKIPS, splitLongText: 20 },
	});

	expect(output[0]).toEqual(skipped(person(0), 0));
	expect(await recipientsReached()).toEqual([person(1), person(1), person(1)]);
});
