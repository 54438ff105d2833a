import type { INode } from 'n8n-workflow';

import { cancel } from '../../../nodes/MessagingChannel/actions/broadcast/cancel';
import { sync } from '../../../nodes/MessagingChannel/actions/contact/sync';
import { validate } from '../../../nodes/MessagingChannel/actions/message/validate';
import { create } from '../../../nodes/MessagingChannel/actions/tag/create';
import { sendLogOf } from '../../../nodes/MessagingChannel/execution/sending/sendLog';
import { readTasks } from '../../../nodes/MessagingChannel/execution/tasks';
import type { ActionRun } from '../../../nodes/MessagingChannel/n8n/actionRun';
import type { Connection } from '../../../nodes/MessagingChannel/n8n/connect';
import type { Field, Operation } from '../../../nodes/MessagingChannel/operation/operation';
import { virtualClock } from '../../support/engine/clock';

const log = sendLogOf({ isTool: false, runIndex: 0, nodeData: {}, node: {} as INode }, 0);

/** A run of a node with these parameters, for one item unless `more` says otherwise. */
const runWith = (parameters: Record<string, unknown>, more: Partial<ActionRun> = {}) =>
	({
		items: [{ json: {} }],
		nodeKey: 'workflow node',
		twin: () => undefined,
		nodeData: {},
		timezone: 'UTC',
		isRetry: false,
		parametersOf: () => ({
			read: (name: string, fallback: unknown) => parameters[name] ?? fallback,
			isPartMissing: (name: string) => name === 'additionalFields.note',
		}),
		connect: async () => async () => await Promise.resolve({ client: {}, account: {} } as Connection),
		...more,
	}) as ActionRun;

test.each<[string, Operation, object, string | undefined]>([
	['a validation', validate, { message: 'Hello' }, undefined],
	['a sync of contacts', sync, { phones: '905551234567' }, undefined],
	['the end of a broadcast', cancel, { broadcastId: '17' }, '/messages/broadcast/17/cancel'],
	['a new tag', create, { name: 'VIP' }, '/tags'],
])('the key of %s, which keeps requests in order', async (_, operation, parameters, partitionKey) => {
	const [entry] = await readTasks({ run: runWith({ ...parameters }), operation, clock: virtualClock(), log });
	expect(entry).toMatchObject({ task: { request: {}, partitionKey } });
});

test('a published call cannot be corrected, whatever is set', async () => {
	const options = { endpointPath: '/other', bodyFields: { a: 1 } };
	const [entry] = await readTasks({
		run: runWith({ name: 'VIP', options }),
		operation: create,
		clock: virtualClock(),
		log,
	});
	expect(entry?.task?.request.endpoint).toBe(create.endpoint);
	expect(entry?.task?.request.bodyFields).toBeUndefined();
});

test('n8n can do other work after each 50 ms of reading items', async () => {
	let now = 1_000;
	let count = 0;
	const yieldedAfter: number[] = [];
	const clock = {
		...virtualClock(),
		elapsed: () => now,
		yield: async () => void (await Promise.resolve(yieldedAfter.push(count))),
	};
	const items = Array.from({ length: 6 }, () => ({ json: {} }));
	const read = () => {
		count++;
		now += 25;
		const isNot = () => false;
		const valueOf = (name: string) => (name === 'name' ? 'VIP' : undefined);
		return { read: valueOf, isPartMissing: isNot, garbledText: () => undefined, isFromModel: isNot };
	};

	expect(
		await readTasks({ run: runWith({}, { items, parametersOf: read }), operation: create, clock, log }),
	).toHaveLength(6);
	expect(yieldedAfter).toEqual([2, 4]);
});

test.each<[string, object, object]>([
	[
		'refused where it must be whole',
		{ mustBeWhole: true, api: [], toApi: (text: string) => ({ note: text }) },
		{ result: { error: { message: "'Note' has an expression that gives nothing" } } },
	],
	['accepted elsewhere', {}, { task: { request: { parameters: { name: 'VIP', note: 'Sale-' } } } }],
])('an optional text of which a part gives nothing is %s', async (_, how, expected) => {
	const note: Field = { displayName: 'Note', name: 'note', type: 'string', default: '', ...how };
	const run = runWith({ name: 'VIP', additionalFields: { note: 'Sale-' } });

	expect(
		await readTasks({ run, operation: { ...create, additionalFields: [note] }, clock: virtualClock(), log }),
	).toMatchObject([expected]);
});
