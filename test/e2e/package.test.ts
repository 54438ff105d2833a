import { startN8n, type N8n } from '../support/n8n/instance';
import { describeWhere, lacksHumanReview, REVIEW_NODE } from '../support/world/describeWhere';

describe('n8n with the package installed', () => {
	let n8n: N8n;

	beforeAll(async () => {
		n8n = await startN8n({ editor: true });
	});

	afterAll(async () => await n8n?.stop());

	test('offers both nodes, and the action as a tool for agents', async () => {
		const names = (await n8n.api.nodeTypes()).map(({ name }) => name);
		expect(names).toEqual(
			expect.arrayContaining([
				'n8n-nodes-messaging-channel.messagingChannel',
				'n8n-nodes-messaging-channel.messagingChannelTool',
				'n8n-nodes-messaging-channel.messagingChannelTrigger',
			]),
		);
	});

	describeWhere(
		'humanReview',
		() => {
			test('is offered the action for it', async () => {
				const type = (await n8n.api.nodeTypes()).find(({ name }) => name === REVIEW_NODE);
				const named = (name: string) => (type?.properties ?? []).filter((property) => property.name === name);
				expect(type?.outputs).toEqual([expect.objectContaining({ type: 'ai_tool' })]);
				expect(named('resource')).toEqual([expect.objectContaining({ type: 'hidden', default: 'message' })]);
				expect(named('operation')[0]).toMatchObject({ type: 'hidden', default: 'sendAndWait' });
				expect(named('responseType')).toEqual([
					expect.objectContaining({ type: 'hidden', default: 'approval' }),
				]);
				expect(named('approvalOptions')).toHaveLength(1);
			});
		},
		() => lacksHumanReview(() => n8n.api),
	);

	test('shows the fields of an operation before its first run', async () => {
		const path = 'n8n-nodes-messaging-channel.messagingChannel/1.0.0/message/send.json';
		const response = await fetch(`${n8n.url}/schemas/${path}`);
		expect(await response.json()).toMatchObject({ properties: { queued: {}, job_id: {}, to: {} } });
	});
});
