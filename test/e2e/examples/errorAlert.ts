import { messagingChannel, messagingChannelTrigger, workflow } from '../../support/n8n/workflow';
import type { World } from '../../support/world/world';
import { installExample, whileActive } from './example';

/** The example that tells a person when a workflow fails. */
export function errorAlert(world: () => World): void {
	const phone = { node: 'Tell a person', parameter: 'to.value', value: '+90 555 999 99 99' };

	/** A workflow that fails with every message that arrives. */
	async function failingWorkflow(errorWorkflow: string): Promise<string> {
		const { n8n, credential } = world();
		const definition = workflow('Orders', [
			messagingChannelTrigger({ events: ['message.received'] }, credential),
			messagingChannel(
				'Customer',
				{
					resource: 'contact',
					operation: 'get',
					phone: { __rl: true, mode: 'phone', value: '905551112299' },
				},
				credential,
			),
		]);
		const settings = { ...definition.settings, errorWorkflow };
		const { id } = await n8n.api.createWorkflow({ ...definition, settings });
		return id;
	}

	test('tells which workflow failed, where, why and what to do, once an hour', async () => {
		const { n8n, service } = world();
		const hour = new Date().getHours();
		const alert = await installExample(world(), 'error-alert', [phone]);
		const failing = await failingWorkflow(alert);
		await whileActive(world(), [alert, failing], async () => {
			for (const count of [1, 2, 3]) {
				await service.control.incomingMessage({ from: '905551112231' });
				await n8n.api.waitForExecutions(alert, count);
			}
			const executions = await n8n.api.waitForExecutions(alert, 3);
			expect(executions.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
		});
		const reports = (await service.control.accepted()).map(({ to, body }) => `${to} ${body}`);
		for (const report of reports) {
			expect(report).toMatch(
				/^905559999999@c\.us The workflow "Orders" failed at "Customer": No contact with this phone number in this account\nCheck the number, or add the contact with Contact > Sync Numbers\. The service said: ".+"\nhttp\S+\/executions\/\d+$/,
			);
		}
		// Should the clock strike meanwhile, there may be one for each of the two hours.
		expect(reports.length).toBeGreaterThan(0);
		expect(reports.length).toBeLessThanOrEqual(new Date().getHours() === hour ? 1 : 2);
	});

	test('does not report itself when the report cannot be sent', async () => {
		const { n8n, service } = world();
		const alert = await installExample(world(), 'error-alert', [phone]);
		const failing = await failingWorkflow(alert);
		await whileActive(world(), [alert, failing], async () => {
			await service.control.setAccount({ status: 'disconnected' });
			await service.control.incomingMessage({ from: '905551112231' });
			expect(await n8n.api.waitForExecutions(alert, 1)).toMatchObject([{ status: 'error' }]);
		});
		expect(await n8n.api.executions(alert)).toHaveLength(1);
		expect(await service.control.accepted()).toEqual([]);
	});
}
