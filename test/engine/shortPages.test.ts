import type { INodeParameters } from 'n8n-workflow';

import { person, useEngine } from '../support/engine/engine';

const engine = useEngine();

const phones = Array.from({ length: 100 }, (_, number) => person(number));
const inOrder = { sortBy: 'phone', sortOrder: 'asc' };

const list = async (parameters: INodeParameters) =>
	await engine.run({ operation: 'contact:getAll', items: [{}], parameters, options: inOrder });

const asked = async () =>
	(await engine.requests('contact.getAll')).map(({ query: { page, limit } }) => [
		Number(page),
		Number(limit),
	]);

beforeEach(async () => {
	await engine.service.control.seed({ contacts: phones.map((phone) => ({ phone })) });
});

test.each([
	['follow each other', false],
	['leave records out between them', true],
])('Return All returns every contact though the pages are shorter than they say and %s', async (_, skips) => {
	await engine.service.control.configure({ shortPages: { length: 20, skips } });

	const { output, error } = await list({ returnAll: true });

	expect(error).toBeUndefined();
	expect(output.map(({ json, pairedItem }) => [json.phone, pairedItem])).toEqual(
		phones.map((phone) => [phone, { item: 0 }]),
	);
	// The first page shows how long they are; then the list is read from its beginning.
	expect(await asked()).toEqual([[1, 50], ...[1, 2, 3, 4, 5].map((page) => [page, 20])]);
});

describe('a service that keeps records back', () => {
	/** It tells 100, and has nothing after its first page. */
	const keepBack = async () => {
		const data = phones.slice(0, 20).map((phone) => ({ phone, name: '', tags: [], is_channel_user: true }));
		const body = (records: object[]) => ({
			success: true,
			data: records,
			pagination: { page: 1, limit: 50, total: 100 },
		});
		const fault = { kind: 'status', status: 200, operationId: 'contact.getAll', times: 'always' } as const;
		for (let pass = 0; pass < 3; pass++) {
			await engine.service.control.addFault({ ...fault, times: 1, body: body(data) });
			if (pass > 0) await engine.service.control.addFault({ ...fault, times: 1, body: body([]) });
		}
	};

	test('makes Return All an error that says how many there are', async () => {
		await keepBack();

		const { output, error } = await list({ returnAll: true });

		expect(output).toEqual([]);
		expect(error).toMatchObject({
			message: 'The list is incomplete: the service returned 20 of 100 records',
			description:
				"Run again. If the list is still incomplete, turn off 'Return All' and set a 'Limit' to get the available records, and report this to the provider of the service.",
			context: { itemIndex: 0 },
		});
	});

	test('still gives what there is up to a Limit', async () => {
		await keepBack();

		const { output, error } = await list({ returnAll: false, limit: 50 });

		expect(error).toBeUndefined();
		expect(output.map(({ json }) => json.phone)).toEqual(phones.slice(0, 20));
	});
});
