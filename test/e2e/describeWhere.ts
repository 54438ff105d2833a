import type { N8nApi } from '../n8n/api';
import { n8nVersion, underTest, type Capability } from '../n8n/version';

/** The node that n8n makes of the action for the review of an agent's tools. */
export const REVIEW_NODE = 'n8n-nodes-messaging-channel.messagingChannelHitlTool';

const isThere: Record<Capability, (api: N8nApi) => Promise<boolean>> = {
	humanReview: async ({ nodeType }) =>
		await nodeType(REVIEW_NODE).then(
			() => true,
			() => false,
		),
	tableCreation: async ({ nodeType }) => {
		const { properties } = await nodeType('n8n-nodes-base.dataTable');
		return properties.some(
			({ name, displayOptions }) => name === 'operation' && displayOptions?.show?.resource?.includes('table'),
		);
	},
};

/** Tests of what not every n8n has. In one without it, a single test sees that it is really not there. */
export function describeWhere(capability: Capability, api: () => N8nApi, tests: () => void): void {
	if (underTest.has.includes(capability)) return describe(`with ${capability}`, tests);

	test(`n8n ${n8nVersion} has no ${capability}`, async () => {
		expect(await isThere[capability](api())).toBe(false);
	});
}
