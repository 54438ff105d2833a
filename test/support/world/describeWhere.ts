import type { N8nApi } from '../n8n/api';
import { n8nVersion, underTest, type Capability } from '../n8n/version';

/** The node that n8n makes of the action for the review of an agent's tools. */
export const REVIEW_NODE = 'n8n-nodes-messaging-channel.messagingChannelHitlTool';

/**
 * Tests of what not every n8n has.
 *
 * @param lacking the test of what is there instead, which also sees that it is really missing
 */
export function describeWhere(capability: Capability, tests: () => void, lacking: () => void): void {
	if (underTest.has.includes(capability)) describe(`with ${capability}`, tests);
	else describe(`n8n ${n8nVersion} has no ${capability}:`, lacking);
}

/** Sees that nobody can review what an agent wants to do. */
export function lacksHumanReview(api: () => N8nApi): void {
	test('there is no node for it', async () => {
		await expect(api().nodeType(REVIEW_NODE)).rejects.toThrow();
	});
}

/** The node that calls an Agent of n8n's own. */
export const MESSAGE_AN_AGENT = 'n8n-nodes-base.messageAnAgent';

/** Sees that n8n has no Agents of its own. */
export function lacksOwnAgents(api: () => N8nApi): void {
	test('there is no node for them', async () => {
		await expect(api().nodeType(MESSAGE_AN_AGENT)).rejects.toThrow();
	});
}

/** Sees that no node can create a data table. */
export function lacksTableCreation(api: () => N8nApi): void {
	test('its node knows only the rows of a table', async () => {
		const { properties } = await api().nodeType('n8n-nodes-base.dataTable');
		const resources = properties
			.filter(({ name }) => name === 'operation')
			.flatMap(({ displayOptions }) => displayOptions?.show?.resource ?? []);
		expect(resources).toEqual(['row']);
	});
}
