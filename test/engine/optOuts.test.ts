// cspell:ignore tagg
import type { IDataObject } from 'n8n-workflow';

import { create } from '../../nodes/MessagingChannel/actions/broadcast/create';
import type { AllItems } from '../../nodes/MessagingChannel/operation/operation';
import type { FaultEffect } from '../support/service/core/control';
import { CONTINUES, person, toEach, useEngine } from '../support/engine/engine';
import { stored } from '../support/engine/run';
import { createTriggerNode } from '../support/engine/triggerNode';
import { watchTogether } from '../support/engine/together';

const engine = useEngine();

const TAG = 'unsubscribed';
const SKIPS = { skipTags: [TAG] };

/** Gives people the tag. */
const optOut = async (phones: string[], tag = TAG) => {
	await engine.service.control.seed({
		tags: [{ name: tag }],
		contacts: phones.map((phone) => ({ phone, tags: ['vip', tag] })),
	});
};

const recipientsReached = async () =>
	(await engine.service.control.accepted()).map(({ to }) => to.replace(/@c\.us$/, ''));

const skipped = (to: string, item: number, reason = `The contact has the tag '${TAG}'`) => ({
	json: { skipped: true, reason, to, outcome: 'skipped' },
	pairedItem: { item },
});

const numbered = (count: number, from = 0) =>
	Array.from({ length: count }, (_, index) => person(from + index));

test('of many recipients, those who opted out get nothing, and each says why', async () => {
	const items = toEach(400);
	const out = items.filter((_, index) => index % 20 === 7).map(({ to }) => to);
	await optOut(out);

	const { output, error } = await engine.run({ items, options: SKIPS });

	expect(error).toBeUndefined();
	const reached = await recipientsReached();
	expect(reached).toHaveLength(380);
	expect(reached.filter((to) => out.includes(to))).toEqual([]);
	expect(output).toHaveLength(400);
	expect(output.filter(({ json }) => json.skipped)).toEqual(
		items.flatMap(({ to }, index) => (out.includes(to) ? [skipped(to, index)] : [])),
	);
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	// One page of 50, read once.
	expect((await engine.requests('contact.getAll')).map(({ query }) => query)).toEqual([
		{ tags: TAG, page: '1', limit: '50' },
	]);
});

test('the list is read page by page, before the first send', async () => {
	await optOut(numbered(120));

	await engine.run({ items: toEach(125), options: SKIPS });

	expect(await recipientsReached()).toHaveLength(5);
	const order = (await engine.requests()).map(({ operationId }) => operationId);
	expect(order).toEqual([
		...Array.from({ length: 3 }, () => 'contact.getAll'),
		...Array.from({ length: 5 }, () => 'message.send'),
	]);
});

test.each([0, 1, 50, 100, 'of the page'] as const)(
	'a total of the list that is too small, %s, does not cut it short',
	async (total) => {
		await optOut(numbered(120));
		await engine.service.control.configure({ listTotal: total });

		await engine.run({ items: toEach(125), options: SKIPS });

		expect(await recipientsReached()).toHaveLength(5);
	},
);

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
	expect((await engine.requests('contact.getAll')).map(({ query }) => query.tags)).toEqual([TAG, 'blocked']);
});

test('the lists of several tags keep to Max Concurrency', async () => {
	const skipTags = ['unsubscribed', 'blocked', 'moved'];
	for (const tag of skipTags) await optOut([], tag);
	const watch = watchTogether();

	await engine.run({ items: toEach(1), options: { skipTags, maxConcurrency: 1 }, watch });

	expect(await engine.requests('contact.getAll')).toHaveLength(3);
	expect(watch.most).toBe(1);
});

test('a list that could not be read in time for one item is read for another that may wait', async () => {
	await optOut([]);
	await engine.service.control.addFault({
		operationId: 'contact.getAll',
		kind: 'status',
		status: 429,
		headers: { 'Retry-After': '20', 'X-RateLimit-Reset': '' },
	});

	const { output } = await engine.run({
		items: toEach(2).map((item, index) => ({ ...item, wait: index * 300 })),
		options: { ...SKIPS, maxRateLimitWait: '={{ $json.wait }}' },
		node: CONTINUES,
	});

	expect(output.map(({ json }) => json.code ?? json.queued)).toEqual(['rate_limit_exceeded', true]);
});

test('the tag of a contact decides, also when the service does not filter by tags', async () => {
	const data = [
		{ phone: person(0), tags: ['Unsubscribed '] },
		{ phone: person(1), tags: ['vip'] },
		{ phone: person(2) },
		{ phone: person(3), tags: [{ name: TAG }] },
		// Another letter, whose upper case is that of i.
		{ phone: person(4), tags: [TAG.replace('i', 'ı')] },
	];
	await engine.service.control.addFault({
		operationId: 'contact.getAll',
		kind: 'status',
		status: 200,
		body: { success: true, data, pagination: { page: 1, limit: 50, total: data.length } },
	});

	const { output } = await engine.run({ items: toEach(6), options: SKIPS });

	expect(output.map(({ json }) => json.skipped)).toEqual([true, undefined, true, true, undefined, undefined]);
	expect(await recipientsReached()).toEqual([person(1), person(4), person(5)]);
});

const contactsOf = (...data: object[]) => ({
	success: true,
	data,
	pagination: { page: 1, limit: 50, total: String(data.length) },
});

test('numbers as numbers, and a total as text, are read', async () => {
	const body = contactsOf({ phone: Number(person(1)), tags: [TAG] }, { phone: null, tags: ['vip'] });
	await engine.service.control.addFault({ operationId: 'contact.getAll', kind: 'status', status: 200, body });

	await engine.run({ items: toEach(3), options: SKIPS });

	expect(await recipientsReached()).toEqual([person(0), person(2)]);
});

test('the number of a contact counts without its punctuation', async () => {
	await engine.service.control.addFault({
		operationId: 'contact.getAll',
		kind: 'status',
		status: 200,
		body: {
			success: true,
			data: [{ phone: '+90 (555) 123-45-67', tags: [TAG] }],
			pagination: { page: 1, limit: 50, total: 1 },
		},
	});

	const { output } = await engine.run({ items: [{ to: '905551234567', message: 'Hello' }], options: SKIPS });

	expect(output).toEqual([skipped('905551234567', 0)]);
});

test.each([
	['a chat ID', '905551234567', '905551234567@c.us', undefined],
	['a chat ID with a +', '905551234567', '+905551234567@c.us', undefined],
	['a number with fewer digits', '12025550123', '+12025550123', undefined],
	['a contact with the 0 after its code', '9005551234567', '905551234567', undefined],
	[
		'an ID that hides the number',
		'905551234567',
		'1234567890@lid',
		'The chat ID does not show the phone number',
	],
	['a number with dashes as an ID', '4915112345678', '49-151-1234-5678@c.us', undefined],
	[
		'a number with a leading 0',
		'905551234567',
		'0555 123 45 67',
		'The number has no country code, and ends like',
	],
	[
		'a Brazilian number with a leading 0 and the 9',
		'5511987654321',
		'011 98765 4321',
		'The number has no country code, and ends like',
	],
	['a Brazilian number with the 9', '551187654321', '5511987654321', undefined],
	['a Brazilian number without the 9', '5511987654321', '551187654321', undefined],
	['a Mexican number with the 1', '525512345678', '5215512345678', undefined],
	['an Argentine number without the 9', '5491123456789', '541123456789', undefined],
])('%s is the same person as a contact', async (_, contact, to, reason = 'The contact has the tag') => {
	await optOut([contact]);

	const { output } = await engine.run({ items: [{ to, message: 'Hello' }], options: SKIPS });

	expect(output).toEqual([
		{
			...skipped(to.replaceAll(/^\+(?!.*@)| /g, ''), 0, expect.stringContaining(reason) as string),
		},
	]);
	expect(await engine.accepted()).toEqual([]);
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
		'chats that were found by number',
		async () => {
			for (const chat of HIDDEN) await findChats('chat:resolve', chat);
		},
	],
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
		'contact.getAll',
		'message.send',
	]);
});

test('a number with a leading 0 is compared with all contacts whose last digits are the same', async () => {
	await optOut(['491511234567', '905551234567']);

	const { output } = await engine.run({ items: [{ to: '05551234567', message: 'Hello' }], options: SKIPS });

	expect(output).toEqual([
		skipped('05551234567', 0, expect.stringContaining('has no country code') as string),
	]);
});

test.each([
	['a number with the same last digits', '905551234567', '+491511234567'],
	['a number with which that of a contact ends', '905551234567', '+5551234567'],
	['a group whose ID begins with the number', '905551234567', '905551234567@g.us'],
	['a number with a leading 0 and another operator', '905551234567', '0545 123 45 67'],
	['a Brazilian number with a leading 0 and another area code', '5521987654321', '011 98765 4321'],
	['a number that ends like a Brazilian one without the 9', '15511987654321', '+1551187654321'],
	['a number that begins like a Brazilian one without the 9', '55119876543210', '+5511876543210'],
	['a number that ends like a Mexican one without the 1', '15215512345678', '+1525512345678'],
	['a number that begins like a Mexican one without the 1', '52155123456789', '+5255123456789'],
	['a number that ends like an Argentine one without the 9', '15491123456789', '+1541123456789'],
	['a number that begins like an Argentine one without the 9', '54911234567890', '+5411234567890'],
])('%s gets the message', async (_, contact, to) => {
	await optOut([contact]);

	const { output } = await engine.run({ items: [{ to, message: 'Hello' }], options: SKIPS });

	expect(output[0]?.json).not.toHaveProperty('skipped');
	expect(await engine.accepted()).toEqual(['Hello']);
});

test('the default country code comes before the comparison', async () => {
	await optOut(['905551234567']);

	const { output } = await engine.run({
		items: [{ to: '5551234567', message: 'Hello' }],
		options: { ...SKIPS, defaultCountryCode: '90' },
	});

	expect(output).toEqual([skipped('905551234567', 0)]);
});

describe('a list that gets shorter while it is read', () => {
	/** Takes the tag from a contact on the first page, before the second page is read. */
	const optIn = async (times: number) => {
		const phones = numbered(100);
		await optOut(phones);
		return await engine.run({
			items: toEach(101),
			options: SKIPS,
			node: CONTINUES,
			transport: async ({ url, qs }, send) => {
				if (url.endsWith('/contacts') && (qs as IDataObject).page === 2 && times-- > 0) {
					await engine.service.control.seed({ contacts: [{ phone: String(phones.shift()), tags: ['vip'] }] });
				}
				return await send();
			},
		});
	};

	test('is read again, so that nobody is overlooked', async () => {
		const { output } = await optIn(1);

		expect(await recipientsReached()).toEqual([person(0), person(100)]);
		expect(output.filter(({ json }) => json.skipped)).toHaveLength(99);
	});

	test('again and again: nothing is sent', async () => {
		const { output } = await optIn(Infinity);

		expect(await engine.requests('message.send')).toEqual([]);
		const pages = (await engine.requests('contact.getAll')).map(({ query }) => query.page);
		expect(pages).toEqual(['1', '2', '1', '2', '1', '2']);
		expect(output).toHaveLength(101);
		for (const { json } of output) {
			expect(json).toMatchObject({
				error: `The message was not sent, because the contacts with the tag '${TAG}' could not all be read`,
				description: expect.stringMatching(/^The list changed each time it was read\. Run again/),
			});
		}
	});
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
		['the service says "many"', page('many'), 'does not say how many'],
		[
			'it has a contact whose number is hidden',
			{ kind: 'status', status: 200, body: contactsOf({ phone: null, tags: [TAG] }) },
			"The service sends 'contact.phone' in a form that is not understood: null",
		],
		[
			'it has a contact with a number that is none',
			{ kind: 'status', status: 200, body: contactsOf({ phone: 'Ada', tags: [TAG] }) },
			"The service sends 'contact.phone' in a form that is not understood: a text like 'aaa'",
		],
		['it is no list', { kind: 'html' }, 'The message was not sent'],
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

test('everybody gets the message while nobody has the tag', async () => {
	await optOut([]);

	const { output, error } = await engine.run({ items: toEach(3), options: SKIPS });

	expect(error).toBeUndefined();
	expect(output.map(({ json }) => json.queued)).toEqual([true, true, true]);
});

test.each(['={{ $json.missing }}', '={{ null }}'])(
	'tags from %s are refused before anything is sent',
	async (skipTags) => {
		await optOut([person(0)]);

		const { error } = await engine.run({ items: toEach(1), options: { skipTags } });

		expect(error?.message).toBe("'Skip Contacts With Tags' has an expression that gives nothing");
		expect(await engine.requests()).toEqual([]);
	},
);

test('nothing is sent when one of several tags comes from a misspelled field', async () => {
	await optOut([person(0)]);
	await optOut([person(1)], 'blocked');

	const { error } = await engine.run({
		items: toEach(3).map((item) => ({ ...item, tag: TAG })),
		options: { skipTags: '={{ $json.tags }}, blocked' },
	});

	expect(error?.message).toBe("'Skip Contacts With Tags' has an expression that gives nothing");
	expect(await recipientsReached()).toEqual([]);
});

test.each(['', [], '={{ [] }}'])('with the tags %j, nobody is skipped', async (skipTags) => {
	await optOut([person(0)]);

	const { error } = await engine.run({ items: toEach(1), options: { skipTags } });

	expect(error).toBeUndefined();
	expect(await recipientsReached()).toEqual([person(0)]);
});

test('a tag with a comma is refused before anything is sent', async () => {
	const { error } = await engine.run({ items: toEach(1), options: { skipTags: ['a, b'] } });

	expect(error?.message).toContain("'Skip Contacts With Tags' contains a tag with a comma");
	expect(await engine.requests()).toEqual([]);
});

test('a long run reads the list again, so that those who opt out meanwhile get nothing', async () => {
	await optOut([person(0)]);
	await engine.service.control.setRateLimit({ limit: 10, windowSeconds: 60 });
	const items = toEach(100);
	let answered = 0;
	const { output } = await engine.run({
		items,
		options: { ...SKIPS, maxConcurrency: 1, maxRateLimitWait: 3600 },
		watch: {
			answered: () => {
				answered += 1;
				if (answered === 20) void optOut([person(99)]);
			},
		},
	});

	expect(output.filter(({ json }) => json.skipped)).toEqual([skipped(person(0), 0), skipped(person(99), 99)]);
	const reads = await engine.requests('contact.getAll');
	// The run takes at least 10 minutes.
	expect(reads.length).toBeGreaterThanOrEqual(2);
	expect(reads.length).toBeLessThanOrEqual(4);
});

test('a retry does not skip, and does not send again, what was sent before somebody opted out', async () => {
	const items = toEach(3);
	await optOut([person(1)]);
	await engine.service.control.addFault({
		operationId: 'message.send',
		bodyHas: { to: person(2) },
		kind: 'status',
		status: 400,
		error: 'content_blocked',
	});
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

describe('a broadcast', () => {
	const broadcast = async (items: IDataObject[], recipientsFrom: string) =>
		await engine.run({
			operation: 'broadcast:create',
			items,
			parameters: { name: 'Sale', recipients: '={{ $json.phones }}', message: 'Hello', recipientsFrom },
			options: SKIPS,
		});
	const asked = async () =>
		(await engine.requests('broadcast.create')).map(({ body }) => (body as IDataObject).recipients);

	test('of all items leaves out who opted out, and names the items that have them', async () => {
		await optOut([person(1), person(3)]);

		const { output } = await broadcast(
			[
				{ phones: [person(0), person(1)] },
				{ phones: `${person(1)}@c.us` },
				{ phones: [person(2), person(3)] },
			],
			'allItems',
		);

		expect(await asked()).toEqual([[person(0), person(2)]]);
		const all = [{ item: 0 }, { item: 1 }, { item: 2 }];
		expect(output).toEqual([
			{ json: expect.objectContaining({ total: 2 }), pairedItem: all },
			{ json: skipped(person(1), 0).json, pairedItem: [{ item: 0 }, { item: 1 }] },
			{ json: skipped(person(3), 0).json, pairedItem: [{ item: 2 }] },
		]);
	});

	test('of many items finds the items of a skipped recipient without looking at all of them', async () => {
		const compared = jest.spyOn(create.allItems as AllItems, 'keyOf');
		const items = toEach(500).map(({ to }) => ({ phones: to }));
		await optOut(numbered(250));

		const { output } = await broadcast(items, 'allItems');

		expect(output.slice(1)).toEqual(
			numbered(250).map((to, item) => ({ ...skipped(to, item), pairedItem: [{ item }] })),
		);
		expect(compared.mock.calls.length).toBeLessThan(5 * items.length);
		compared.mockRestore();
	});

	test('of one item whose recipients have all opted out is not created', async () => {
		await optOut([person(1), person(2)]);

		const { output } = await broadcast(
			[{ phones: [person(1), person(2)] }, { phones: [person(3)] }],
			'thisItem',
		);

		expect(await asked()).toEqual([[person(3)]]);
		expect(output).toEqual([
			skipped(person(1), 0),
			skipped(person(2), 0),
			{ json: expect.objectContaining({ total: 1 }), pairedItem: { item: 1 } },
		]);
	});
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

test('media and templates are skipped too', async () => {
	await optOut([person(1)]);
	await engine.service.control.seed({ templates: [{ name: 'hello', content: 'Hello' }] });
	const parameters = { to: { __rl: true, mode: 'phone', value: person(1) } };

	const media = await engine.run({
		operation: 'media:sendImage',
		items: [{}],
		parameters: { ...parameters, mediaSource: 'url', mediaUrl: 'https://example.com/a.jpg' },
		options: SKIPS,
	});
	const template = await engine.run({
		operation: 'template:send',
		items: [{}],
		parameters: { ...parameters, templateId: { __rl: true, mode: 'name', value: 'hello' } },
		options: SKIPS,
	});

	expect(media.output).toEqual([skipped(person(1), 0)]);
	expect(template.output).toEqual([skipped(person(1), 0)]);
	expect(await engine.accepted()).toEqual([]);
});

test.each(['recipients', 'to'])(
	'Body Fields may not add recipients in %s, who could not be skipped',
	async (name) => {
		await optOut([person(1)]);
		const bodyFields = JSON.stringify({ [name]: [person(0), person(1)] });
		const broadcast = {
			operation: 'broadcast:create',
			items: [{}],
			parameters: { name: 'Sale', recipients: person(0), message: 'Sale today' },
		};

		const { error } = await engine.run({ ...broadcast, options: { ...SKIPS, bodyFields } });

		expect(error).toMatchObject({
			message: `'Body Fields' has recipients in '${name}', which 'Skip Contacts With Tags' cannot check`,
			description: expect.stringContaining("remove 'Skip Contacts With Tags'"),
		});
		expect(await engine.requests()).toEqual([]);
	},
);

test('Body Fields without recipients can be used while contacts are skipped', async () => {
	await optOut([person(1)]);

	await engine.run({
		operation: 'broadcast:create',
		items: [{}],
		parameters: { name: 'Sale', recipients: [0, 1].map(person).join(', '), message: 'Sale today' },
		options: { ...SKIPS, bodyFields: '{ "message": "Sale tomorrow" }' },
	});

	expect((await engine.requests('broadcast.create')).map(({ body }) => body)).toEqual([
		expect.objectContaining({ recipients: [person(0)], message: 'Sale tomorrow' }),
	]);
});
