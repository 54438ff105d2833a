import type { World } from '../../support/world/world';
import { installExample } from './example';
import { enterRows, rowsOf } from './tables';

const TABLE = 'Messaging example: orders';

/** The example that notifies customers about the rows of a table. */
export function orderNotifications(world: () => World): void {
	test('sends each new row once and writes down what became of it', async () => {
		const { n8n, service } = world();
		await service.control.seed({
			templates: [
				{ name: 'order_update', content: 'Dear {{name}}, order {{order}} ({{total}}) is on its way.' },
			],
		});
		const id = await installExample(world(), 'order-notifications');
		const run = async (start: string) => {
			const execution = await n8n.api.run(id, start);
			expect(execution.error).toBeUndefined();
		};
		await run('Set up once');
		const sample = { order_number: 'A-1001', customer: 'Ada', total: '49.90 EUR' };
		expect(await rowsOf(world(), TABLE)).toMatchObject([{ ...sample, status: 'sample' }]);
		await enterRows(world(), TABLE, [
			{ ...sample, order_number: 'A-1', phone: '+90 555 111 22 31', status: 'new' },
			{ ...sample, order_number: 'A-2', phone: 'unknown', status: 'new' },
			{ ...sample, order_number: 'A-3', phone: '+90 555 111 22 33', status: 'new' },
		]);

		await run('Every 5 minutes');
		await run('Every 5 minutes');

		expect(await service.control.accepted()).toMatchObject([
			{ to: '905551112231@c.us', body: 'Dear Ada, order A-1 (49.90 EUR) is on its way.' },
			{ to: '905551112233@c.us', body: 'Dear Ada, order A-3 (49.90 EUR) is on its way.' },
		]);
		expect(await rowsOf(world(), TABLE)).toMatchObject([
			{ order_number: 'A-1001', status: 'sample' },
			{ order_number: 'A-1', status: 'notified', note: expect.stringMatching(/^job-/) },
			{ order_number: 'A-2', status: 'failed', note: expect.stringContaining("'unknown'") },
			{ order_number: 'A-3', status: 'notified', note: expect.stringMatching(/^job-/) },
		]);
	});

	test('sends no order twice when two runs meet', async () => {
		const { n8n, service } = world();
		await service.control.seed({
			templates: [{ name: 'order_update', content: '{{name}} {{order}} {{total}}' }],
		});
		const id = await installExample(world(), 'order-notifications');
		const rows = Array.from({ length: 20 }, (_, index) => ({
			order_number: `B-${index}`,
			customer: 'Ada',
			phone: '905551112231',
			total: '1',
			status: 'new',
		}));
		await n8n.api.run(id, 'Set up once');
		await enterRows(world(), TABLE, rows);
		await Promise.all([1, 2, 3].map(async () => await n8n.api.run(id, 'Every 5 minutes')));
		const texts = (await service.control.accepted()).map(({ body }) => body);
		expect(texts.sort()).toEqual(rows.map(({ order_number }) => `Ada ${order_number} 1`).sort());
	});
}
