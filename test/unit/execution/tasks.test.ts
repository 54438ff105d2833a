import { cancel } from '../../../nodes/MessagingChannel/actions/broadcast/cancel';
import { sync } from '../../../nodes/MessagingChannel/actions/contact/sync';
import { validate } from '../../../nodes/MessagingChannel/actions/message/validate';
import { create } from '../../../nodes/MessagingChannel/actions/tag/create';
import { readTasks } from '../../../nodes/MessagingChannel/execution/tasks';
import type { Field, Operation } from '../../../nodes/MessagingChannel/operation/operation';
import { virtualClock } from '../../support/engine/clock';
import { contextOf } from './context';

/** A node with these parameters, for one item unless `more` says otherwise. */
const nodeWith = (parameters: Record<string, unknown>, more: object = {}) =>
	contextOf({
		getInputData: () => [{ json: {} }],
		getCredentials: async () =>
			await Promise.resolve({ baseUrl: 'https://service.example.com', apiKey: 'key' }),
		getNodeParameter: (name: string, _: number, fallback: unknown) => parameters[name] ?? fallback,
		getTimezone: () => 'UTC',
		getMode: () => 'manual',
		getWorkflow: () => ({ id: 'workflow' }),
		getNode: () => ({ id: 'node' }),
		...more,
	});

test.each<[string, Operation, object, string | undefined]>([
	['a validation', validate, { message: 'Hello' }, undefined],
	['a sync of contacts', sync, { phones: '905551234567' }, undefined],
	['the end of a broadcast', cancel, { broadcastId: '17' }, '/messages/broadcast/17/cancel'],
	['a new tag', create, { name: 'VIP' }, '/tags'],
])('the key of %s, which keeps requests in order', async (_, operation, parameters, partitionKey) => {
	const [task] = await readTasks(nodeWith({ ...parameters }), operation, virtualClock());
	expect(task).toMatchObject({ request: {}, partitionKey });
});

test('n8n can do other work after each 50 ms of reading items', async () => {
	let now = 1_000;
	let read = 0;
	const yieldedAfter: number[] = [];
	const clock = {
		...virtualClock(),
		now: () => now,
		yield: async () => void (await Promise.resolve(yieldedAfter.push(read))),
	};
	const items = Array.from({ length: 6 }, () => ({ json: {} }));
	const context = nodeWith(
		{ name: 'VIP' },
		{
			getInputData: () => items,
			getTimezone: () => {
				read++;
				now += 25;
				return 'UTC';
			},
		},
	);

	expect(await readTasks(context, create, clock)).toHaveLength(6);
	expect(yieldedAfter).toEqual([2, 4]);
});

test.each<[string, object, object]>([
	[
		'refused where it must be whole',
		{ mustBeWhole: true, api: [], toApi: (text: string) => ({ note: text }) },
		{ error: { message: "'Note' has an expression that gives nothing" } },
	],
	['accepted elsewhere', {}, { request: { parameters: { name: 'VIP', note: 'Sale-' } } }],
])('an optional text of which a part gives nothing is %s', async (_, how, expected) => {
	const note: Field = { displayName: 'Note', name: 'note', type: 'string', default: '', ...how };
	const parameters = {
		name: 'VIP',
		additionalFields: { note: 'Sale-' },
		'additionalFields.note': '=Sale-{{ $json.nope }}',
	};
	const context = nodeWith(parameters, {
		getWorkflowDataProxy: () => ({ $json: {} }),
		evaluateExpression: () => undefined,
	});

	expect(await readTasks(context, { ...create, additionalFields: [note] }, virtualClock())).toMatchObject([
		expected,
	]);
});
