import type { IDataObject, INode } from 'n8n-workflow';

import {
	isReceiverProblem,
	receiverError,
} from '../../../../nodes/MessagingChannel/trigger/delivery/receiverProblem';

const node = { name: 'Listens' } as INode;
const receiver = 'https://crm.example.com/events';
const since = '2030-01-31T09:00:00.000Z';

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
])('the user reads what to do about a receiver (%s)', (problem, message, advice) => {
	expect(receiverError(node, { receiver, problem, since })).toMatchObject({
		message,
		description: `It has been so since ${since} or before. ${advice} If the receiver no longer exists, unpublish the workflows of this account, run Webhook > Delete, and publish them again. This message appears at most once an hour.`,
		node,
	});
});

test.each<[string, IDataObject | undefined]>([
	['an event with the same fields', { event_id: 'event-1', receiver, problem: 'fails', since }],
	['another problem', { receiver, problem: 'other', since }],
	['a problem of Object', { receiver, problem: 'constructor', since }],
	['nobody', { problem: 'fails', since }],
	['no time', { receiver, problem: 'fails' }],
	['nothing', {}],
	['no item', undefined],
])('%s is no problem of a receiver', (_, json) => {
	expect(receiverError(node, json)).toBeUndefined();
	expect(isReceiverProblem(json)).toBe(json?.event_id !== undefined);
});
