import type { IDataObject, INode } from 'n8n-workflow';

import {
	receiverReport,
	reportError,
	reportItem,
	unverifiedReport,
} from '../../../../nodes/MessagingChannel/trigger/delivery/reports';
import { NOW } from '../deliveries';

const node = { name: 'Listens' } as INode;
const receiver = 'https://crm.example.com/events';

test.each([
	[
		'refuses',
		`The receiver at ${receiver} refuses the events that this workflow forwards to it`,
		'Your workflows still receive all events. Check that system, for example its signing secret.',
	],
	[
		'blocked',
		`The requests of n8n to its workflow at ${receiver} are blocked, so that workflow misses events`,
		"A proxy or a firewall in front of n8n responds in the workflow's place. Let it pass the requests of n8n itself.",
	],
	[
		'fails',
		`The receiver at ${receiver} does not respond as it should, so the service sends events again and again`,
		'Workflows and systems that respond still receive all events. Check the one that does not.',
	],
] as const)('the user reads what to do about a receiver (%s)', (trouble, message, advice) => {
	const { json } = reportItem(receiverReport(trouble, receiver, NOW));
	expect(reportError(node, json)).toMatchObject({
		message,
		description: `This has been happening since at least 2030-01-31T09:00:00.000Z. ${advice} If the receiver no longer exists, unpublish the workflows of this account, run Webhook > Delete, and publish them again. This message appears at most once an hour.`,
		node,
	});
});

const report = unverifiedReport(NOW, 'signature');

test.each<[string, IDataObject | undefined]>([
	['an event with the same field', { event_id: 'event-1', report }],
	['no message', { report: { description: 'Try again.' } }],
	['no description', { report: { message: 'It failed' } }],
	['another report', { report: 'All is well' }],
	['nothing', {}],
	['no item', undefined],
])('%s is no report', (_, json) => {
	expect(reportError(node, json)).toBeUndefined();
});

describe('an execution that tells of deliveries that cannot be verified', () => {
	test('says since when, and what to do', () => {
		const error = reportError(node, reportItem(unverifiedReport(NOW, 'signature')).json);
		expect(error?.message).toBe(
			"Events are rejected because the 'Signing Secret' in the credential does not match their signature",
		);
		expect(error?.description).toBe(
			'No event has been verified since 2030-01-31T09:00:00.000Z. The secret was probably rotated. If another credential for this account still works, select it in this node. Otherwise, run Webhook > Rotate Secret and paste the new secret into every credential for this account. If events still start this workflow, someone else sent the rejected requests, and you can ignore this. This message appears at most once an hour.',
		);
	});

	test('says that n8n cannot read the credential', () => {
		const error = reportError(node, reportItem(unverifiedReport(NOW, 'credential')).json);
		expect(error?.message).toBe('No messages arrive because n8n cannot read the credential of the trigger');
		expect(error?.description).toContain('Select another credential for this account in this node');
	});

	test('says that the service refuses the API key', () => {
		const error = reportError(node, reportItem(unverifiedReport(NOW, 'key')).json);
		expect(error?.message).toBe(
			'No messages arrive because the service refuses the API key in the credential of the trigger',
		);
		expect(error?.description).toMatch(
			/^This has been happening since 2030.* lacks one of the permissions 'chats:read' and 'messages:read'\..* proxy /,
		);
	});
});
