import { eventually } from '../../support/service/testing';
import type { World } from '../../support/world/world';
import { emptyService } from './emptyService';
import { installExample, whileActive } from './example';
import { rowsOf } from './tables';

const TABLE = 'Messaging example: deliveries';
const read = Array.from({ length: 10 }, (_, index) => String(905551112230 + index));
const failed = '905551112250@c.us';
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
const names = ['sent_at', 'delivered_at', 'read_at', 'failed_at', 'other_at', 'reported_at'];
const noTimes = Object.fromEntries(names.map((name) => [name, null]));
const readTimes = { sent_at: time, delivered_at: time, read_at: time };
const failedTimes = { failed_at: time };

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
		await emptyService(world());
		const phone = { node: 'Tell a person', parameter: 'to.value', value: '+90 555 999 99 99' };
		const id = await installExample(world(), 'delivery-tracking', [phone]);
		expect((await n8n.api.run(id, 'Set up once')).error).toBeUndefined();

		await whileActive(world(), [id], async () => {
			for (const to of read) await send('/messages/send', { to, message: 'Hello' });
			// The service fetches files from this machine only, and there is none at this address.
			await send('/messages/send-image', { to: '905551112250', media_url: `${service.origin}/nowhere.jpg` });
			const rows = await eventually(
				async () => await rowsOf(world(), TABLE),
				(found) => found.length > read.length && found.every((row) => row.read_at ?? row.failed_at),
			);
			expect(rows.map(({ recipient }) => String(recipient).slice(0, 12)).sort()).toEqual([
				...read,
				'905551112250',
			]);
			for (const { recipient, message_id, ...row } of rows) {
				expect(message_id).toContain(recipient);
				expect(row).toEqual({ ...noTimes, ...(recipient === failed ? failedTimes : readTimes) });
			}

			expect((await n8n.api.run(id, 'Every morning')).error).toBeUndefined();
			expect((await n8n.api.run(id, 'Every morning')).error).toBeUndefined();
			const told = (await service.control.accepted()).filter(({ to }) => to === '905559999999@c.us');
			expect(told.map(({ body }) => body)).toEqual(['1 message(s) did not arrive:\n905551112250@c.us']);
		});
		const executions = await n8n.api.executions(id);
		expect(executions.filter(({ status }) => status === 'error')).toEqual([]);
	});
}
