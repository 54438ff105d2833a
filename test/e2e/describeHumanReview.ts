import type { N8nApi } from '../n8n/api';
import { n8nVersion, underTest } from '../n8n/version';

/** The node that n8n makes of the action for the review of an agent's tools. */
export const REVIEW_NODE = 'n8n-nodes-messaging-channel.messagingChannelHitlTool';

/** Tests of that review. In an n8n that does not have it yet, one test sees that it is really not there. */
export function describeHumanReview(api: () => N8nApi, tests: () => void): void {
	if (underTest.humanReview) return describe('a person who reviews what an agent wants to do', tests);

	test(`n8n ${n8nVersion} lets nobody review what an agent wants to do`, async () => {
		await expect(api().nodeType(REVIEW_NODE)).rejects.toThrow();
	});
}
