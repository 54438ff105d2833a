import { cancel } from '../../../nodes/MessagingChannel/actions/broadcast/cancel';
import { sync } from '../../../nodes/MessagingChannel/actions/contact/sync';
import { validate } from '../../../nodes/MessagingChannel/actions/message/validate';
import { create } from '../../../nodes/MessagingChannel/actions/tag/create';
import { readTasks } from '../../../nodes/MessagingChannel/execution/tasks';
import type { Operation } from '../../../nodes/MessagingChannel/operation/operation';
import { virtualClock } from '../../support/engine/clock';
import { contextOf } from './context';

/** The task of one item with these parameters. */
async function taskOf(operation: Operation, parameters: Record<string, unknown>) {
	const context = contextOf({
		getInputData: () => [{ json: {} }],
		getCredentials: async () =>
			await Promise.resolve({ baseUrl: 'https://service.example.com', apiKey: 'key' }),
		getNodeParameter: (name: string, _: number, fallback: unknown) => parameters[name] ?? fallback,
		getTimezone: () => 'UTC',
		getMode: () => 'manual',
		getWorkflow: () => ({ id: 'workflow' }),
		getNode: () => ({ id: 'node' }),
	});
	const [task] = await readTasks(context, operation, virtualClock());
	return task;
}

test.each<[string, Operation, object, string | undefined]>([
	['a validation', validate, { message: 'Hello' }, undefined],
	['a sync of contacts', sync, { phones: '905551234567' }, undefined],
	['the end of a broadcast', cancel, { broadcastId: '17' }, '/messages/broadcast/17/cancel'],
	['a new tag', create, { name: 'VIP' }, '/tags'],
])('the key of %s, which keeps requests in order', async (_, operation, parameters, partitionKey) => {
	expect(await taskOf(operation, { ...parameters })).toMatchObject({ request: {}, partitionKey });
});
