import type { IDataObject } from 'n8n-workflow';

import type { World } from '../world';
import { eventually } from './eventually';
import { installExample, whileActive } from './example';
import { rowsOf } from './tables';

const TABLE = 'Messaging example: deliveries';
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);

/** The example that keeps what became of each message. */
export function deliveryTracking(world: () => World): void {
	/** Sends a message from outside of n8n. */
	async function send(path: string, body: object): Promise<void> {
		const { baseUrl, apiKey } = world().service;
		const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
		const response = await fetch(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
		expect(response.status).toBe(202);
	}

	test('keeps one row for each message and reports each failure once', async () => {
		const { n8n, service } = world();
		await service.control.reset();
		const phone = { node: 'Tell a person', parameter: 'to.value', value: '+90 555 999 99 99' };
		const id = await installExample(world(), 'delivery-tracking', [phone]);
		expect((await n8n.api.run(id, 'Set up once')).error).toBeUndefined();

		await whileActive(world(), [id], async () => {
			await send('/messages/send', { to: '905551112231', message: 'Hello' });
			// The service fetches files from this machine only, and there is none at this address.
			await send('/messages/send-image', { to: '905551112232', media_url: `${service.origin}/nowhere.jpg` });
			const isComplete = (rows: IDataObject[]) => rows.length === 2 && rows[0]?.read_at && rows[1]?.failed_at;
			const rows = await eventually('Both rows are complete', async () => {
				const found = await rowsOf(world(), TABLE);
				return isComplete(found) && found;
			});
			expect(rows).toMatchObject([
				{ recipient: '905551112231@c.us', sent_at: time, delivered_at: time, read_at: time, failed_at: null },
				{ recipient: '905551112232@c.us', sent_at: null, delivered_at: null, failed_at: time },
			]);

			expect((await n8n.api.run(id, 'Every morning')).error).toBeUndefined();
			expect((await n8n.api.run(id, 'Every morning')).error).toBeUndefined();
			const told = (await service.control.accepted()).filter(({ to }) => to === '905559999999@c.us');
			expect(told.map(({ body }) => body)).toEqual(['1 message(s) did not arrive:\n905551112232@c.us']);
		});
		const executions = await n8n.api.executions(id);
		expect(executions.filter(({ status }) => status === 'error')).toEqual([]);
	});
}
