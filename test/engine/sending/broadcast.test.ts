// cspell:ignore forbiddenword
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CONTINUES, person, useEngine } from '../../support/engine/engine';
import { stored, type RunOptions } from '../../support/engine/run';

const engine = useEngine();

const operation = 'broadcast:create';

const rows = (...phones: unknown[]): IDataObject[] => phones.map((phone) => ({ phone }) as IDataObject);

/** The node with a broadcast whose recipients come from rows. */
const broadcast = async (
	items: IDataObject[],
	{ parameters, ...more }: Partial<RunOptions> = {},
	recipientsFrom: INodeParameters = { recipientsFrom: 'allItems' },
) =>
	await engine.run({
		operation,
		items,
		parameters: {
			name: 'Sale',
			recipients: '={{ $json.phone }}',
			message: 'Hello',
			...recipientsFrom,
			...parameters,
		},
		...more,
	});

/** What the service was asked to broadcast, and to whom. */
const asked = async () => (await engine.requests('broadcast.create')).map(({ body }) => body as IDataObject);

const recipients = async () => (await asked()).map((body) => body.recipients);

const of = (...items: number[]) => items.map((item) => ({ item }));

test.each(['allItems', 'thisItem'])(
	'%s: a number is not in the list a second time with a 0 in place of its country code',
	async (recipientsFrom) => {
		const national = (number: number) => person(number).replace(/^90/, '0');
		const list = [national(1), `+${person(1)}`, national(2), person(3)];
		const items = recipientsFrom === 'allItems' ? rows(...list) : rows(list);

		const { output } = await broadcast(items, {}, { recipientsFrom });

		expect(await recipients()).toEqual([[person(1), national(2), person(3)]]);
		const reason = `The same person is in the list as ${person(1)}`;
		expect(output[1]?.json).toEqual({ skipped: true, to: national(1), outcome: 'skipped', reason });
		expect([output[1]?.pairedItem].flat()).toEqual(of(0));
	},
);

test('without such a number, the account is not read for its country', async () => {
	await broadcast(rows(person(1).replace(/^90/, '0'), person(2)));

	expect(await engine.requests('account.get')).toEqual([]);
});

describe('with Recipients From set to All Items', () => {
	test('all rows make one broadcast, which belongs to every row', async () => {
		const { output, error } = await broadcast(rows(person(1), `+${person(2)}`, `${person(3)}@c.us`));

		expect(error).toBeUndefined();
		expect(await asked()).toEqual([
			{ name: 'Sale', message: 'Hello', recipients: [person(1), person(2), `${person(3)}@c.us`] },
		]);
		expect(output).toEqual([{ json: expect.objectContaining({ total: 3 }), pairedItem: of(0, 1, 2) }]);
	});

	test('is refused with Execute Once, with which n8n gives the node the first row only', async () => {
		const { error } = await broadcast(rows(person(1)), { node: { executeOnce: true } });

		expect(error?.message).toBe("'Input' has only the first item, because 'Execute Once' is on");
		expect(await asked()).toEqual([]);
	});

	test('a person in several rows gets one message, and a group of that number its own', async () => {
		const number = '905551234567';
		const forms = ['+90 555 123 45 67', number, `${number}@c.us`, `${number}@g.us`, `${number}@g.us`];
		const { output } = await broadcast(rows(...forms));

		expect(await recipients()).toEqual([[number, `${number}@g.us`]]);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual([of(0, 1, 2, 3, 4)]);
		expect((await engine.service.control.broadcasts()).map(({ total }) => total)).toEqual([2]);
	});

	test('a row with a bad recipient stops the node before anything is sent, and is named', async () => {
		const { error, output } = await broadcast(rows(person(1), 'Ada', person(3)));

		const message = "'Recipients' is not a valid phone number: 'Ada'";
		expect(error).toMatchObject({ message, context: { itemIndex: 1 } });
		expect(output).toEqual([]);
		expect(await engine.requests()).toEqual([]);
	});

	test('rows with a bad recipient fail alone if the node continues on fail', async () => {
		const { output } = await broadcast(rows('Ada', person(1), '', person(3)), { node: CONTINUES });

		expect(await recipients()).toEqual([[person(1), person(3)]]);
		expect(output).toEqual([
			{ json: expect.objectContaining({ error: expect.stringContaining("'Ada'") }), pairedItem: { item: 0 } },
			{ json: expect.objectContaining({ total: 2 }), pairedItem: of(1, 3) },
			{ json: expect.objectContaining({ error: "'Recipients' is empty" }), pairedItem: { item: 2 } },
		]);
	});

	test.each([
		['Message', { message: '=Dear {{ $json.name }}' }, "'Dear Grace'"],
		['Body Fields', { options: { bodyFields: '={{ { text: $json.name } }}' } }, 'Grace'],
	])(
		'%s that is not the same in every item stops the node before anything is sent',
		async (label, { options, ...parameters }: INodeParameters, says) => {
			const items = ['Ada', 'Grace'].map((name, number) => ({ name, phone: person(number) }));

			const { error } = await broadcast(items, { parameters, options: options as INodeParameters });

			expect(error).toMatchObject({
				message: expect.stringContaining(`'${label}' differs from the previous items: `),
				description:
					'A broadcast sends the same content to all recipients. To send a different text for each item, use Message > Send or Template > Send.',
				context: { itemIndex: 1 },
			});
			expect(error?.message).toContain(says);
			expect(await engine.requests()).toEqual([]);
		},
	);

	test('the numbers of each row are read with the country of that row', async () => {
		const items = [
			{ phone: '0555 111 22 33', code: '90' },
			{ phone: '0151 12345678', code: '49' },
		];
		const { error } = await broadcast(items, { options: { defaultCountryCode: '={{ $json.code }}' } });

		expect(error).toBeUndefined();
		expect(await recipients()).toEqual([['905551112233', '4915112345678']]);
	});

	test('an item of another account stops the node before anything is sent', async () => {
		const { apiKey: key } = await engine.service.control.createKey({ permissions: ['messages:send'] });
		const { apiKey: other } = await engine.service.control.createKey({ permissions: ['messages:send'] });
		const credential = { baseUrl: engine.service.baseUrl, apiKey: '={{ $json.key }}' };
		const items = [key, other, key].map((one, number) => ({ key: one, phone: person(number) }));
		const message = "'Credential' is for a different account than in the previous items";

		const { error } = await broadcast(items, { credential });
		expect(error).toMatchObject({
			message,
			description: 'A request can use only one account. Run the items of each account separately.',
			context: { itemIndex: 1 },
		});
		expect(await engine.requests()).toEqual([]);

		const { output } = await broadcast(items, { credential, node: CONTINUES });
		expect(output.map(({ json, pairedItem }) => [json.error, pairedItem])).toEqual([
			[undefined, of(0, 2)],
			[message, { item: 1 }],
		]);
		expect(await recipients()).toEqual([[person(0), person(2)]]);
		const [{ headers } = { headers: {} }] = await engine.requests('broadcast.create');
		expect(headers).toMatchObject({ authorization: `Bearer ${key}` });
	});

	test('a broadcast that the service refuses fails once, for all its rows', async () => {
		const refused = rows(person(1), person(2));
		const parameters = { message: 'a forbiddenword' };
		const { output } = await broadcast(refused, { parameters, node: CONTINUES });

		expect(output).toEqual([
			{ json: expect.objectContaining({ code: 'content_blocked' }), pairedItem: of(0, 1) },
		]);
		const toError = await broadcast(refused, { parameters, node: { onError: 'continueErrorOutput' } });
		expect(toError.output.map(({ error }) => error?.message)).toEqual([
			'The service blocked the message because of its content policy',
		]);
		const { error } = await broadcast(refused, { parameters });
		expect(error).toMatchObject({ httpCode: '400' });
		expect(error?.context.itemIndex).toBeUndefined();
	});
});

describe('run again', () => {
	const items = rows(person(1), person(2), person(3));
	const spoil = async (when: 'before' | 'after') =>
		await engine.service.control.addFault({ operationId: 'broadcast.create', kind: 'reset', when });

	test.each(['before', 'after'] as const)(
		'a broadcast that nobody confirmed is not made again (connection lost %s it was taken)',
		async (when) => {
			await spoil(when);
			const first = await broadcast(items);
			expect(first.error?.message).toContain('may have been made');

			const second = await broadcast(items, { execution: stored(first.execution), executionId: '2' });

			expect(second.error?.message).toContain('may have been made');
			expect(await asked()).toHaveLength(1);
		},
	);

	test('a created broadcast is not created again once a row before it is valid', async () => {
		const { execution } = await broadcast([...rows('Ada'), ...items], { node: CONTINUES });

		const again = await broadcast([...rows(person(9)), ...items], { node: CONTINUES, execution });

		expect(again.output.map(({ json, pairedItem }) => [json.already_sent, pairedItem])).toEqual([
			[true, of(0, 1, 2, 3)],
		]);
		expect(await asked()).toHaveLength(1);
	});
});

describe('with Recipients From set to This Item, as it is without a choice', () => {
	test('each row makes a broadcast of its own, and a hint says so', async () => {
		const { output, hints } = await broadcast(rows(person(1), person(2), person(3)), {}, {});

		expect(await recipients()).toEqual([[person(1)], [person(2)], [person(3)]]);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(of(0, 1, 2));
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^3 broadcasts were created, one for each item/),
		]);
	});
});
