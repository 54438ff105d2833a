import { underTest } from '../../support/n8n/version';
import { node, workflow } from '../../support/n8n/workflow';
import { eventually } from '../../support/poll';
import type { World } from '../../support/world/world';
import { installExample, whileActive } from './example';

/** The examples that share the one webhook of an account among several workflows. */
export function oneTrigger(world: () => World): void {
	test('starts the workflow that wants an event, whatever becomes of the others', async () => {
		const { n8n, service } = world();
		const messages = await installExample(world(), 'one-trigger-messages');
		const reports = await installExample(world(), 'one-trigger-delivery-reports');
		const { id: connection } = await n8n.api.createWorkflow(
			workflow('Fails', [
				node(
					'Event',
					'n8n-nodes-base.executeWorkflowTrigger',
					{ inputSource: 'passthrough' },
					{ typeVersion: 1.1 },
				),
				node('Fails', 'n8n-nodes-base.stopAndError', { errorMessage: 'On purpose' }),
			]),
		);
		const chosen = Object.entries({ messages, 'delivery reports': reports, connection });
		const trigger = await installExample(
			world(),
			'one-trigger-many-workflows',
			chosen.map(([name, value]) => ({ node: `Start: ${name}`, parameter: 'workflowId.value', value })),
		);

		const started = underTest.publishesSubworkflows ? [messages, reports, connection] : [];
		await whileActive(world(), [...started, trigger], async () => {
			await service.control.setAccount({ status: 'disconnected' });
			await n8n.api.waitForExecutions(connection, 1);
			await service.control.setAccount({ status: 'connected' });
			await service.control.incomingMessage({ from: '905551112231', chatName: 'Ada' });
			await eventually(
				async () => await service.control.deliveries({ event: 'message.read' }),
				([read]) => read?.delivered === true,
			);
			expect(await n8n.api.waitForExecutions(messages, 1)).toMatchObject([{ status: 'success' }]);
			expect(await n8n.api.waitForExecutions(connection, 2)).toMatchObject([
				{ status: 'error' },
				{ status: 'error' },
			]);
			const reported = await n8n.api.waitForExecutions(reports, 3);
			expect(reported.map((execution) => execution.items('Report')[0]?.json.status).sort()).toEqual([
				'delivered',
				'read',
				'sent',
			]);
			const events = await n8n.api.waitForExecutions(trigger, 6);
			expect(events.map(({ status }) => status)).toEqual(events.map(() => 'success'));
		});
		expect((await service.control.accepted()).map(({ to, body }) => `${to} ${body}`)).toEqual([
			'905551112231@c.us Thank you, Ada. We have got your message.',
		]);
	});
}
