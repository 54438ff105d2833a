import type { IDataObject } from 'n8n-workflow';

import { person, useEngine } from '../../support/engine/engine';
import { optingOut, skipped, SKIPS } from '../../support/engine/suppressionList';

const engine = useEngine();
const { optOut } = optingOut(engine);

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
