import type { IDataObject } from 'n8n-workflow';

import { person, useEngine } from '../support/engine/engine';
import { stored } from '../support/engine/run';

const engine = useEngine();

const people = [1, 2, 3].map((number) => person(number));

const schedule = async () => {
	const scheduled = await engine.run({
		operation: 'scheduledMessage:create',
		items: people.map((to) => ({ to })),
		parameters: {
			to: { __rl: true, mode: 'phone', value: '={{ $json.to }}' },
			message: 'Hello',
			scheduledAt: '2099-01-01T00:00:00Z',
		},
	});
	return scheduled.output.map(({ json }) => ({ key: json.id }));
};

const broadcast = async () => {
	const created = await engine.run({
		operation: 'broadcast:create',
		items: people.map((_, number) => ({ number })),
		parameters: {
			name: '={{ $json.number }}',
			recipients: people.join(),
			message: 'Hello',
			delayBetweenMessages: 100,
		},
	});
	return created.output.map(({ json }) => ({ key: json.id }));
};

const NOT_CONFIRMED =
	'An earlier attempt was not confirmed and may have succeeded. Check the status before you run again.';

const byKey = '={{ $json.key }}';

const byPhone = { __rl: true, mode: 'phone', value: byKey };

const operations: Array<[string, string, () => Promise<IDataObject[]>, IDataObject]> = [
	['scheduledMessage:cancel', 'scheduledMessageId', schedule, { status: 'cancelled' }],
	['broadcast:cancel', 'broadcastId', broadcast, { status: 'cancelled' }],
	['contact:delete', 'phone', async () => people.map((key) => ({ key })), { deleted: true }],
];

describe.each(operations)('%s', (operation, field, itemsToEnd, outcome) => {
	const operationId = operation.replace(':', '.');
	const parameters = { [field]: field === 'phone' ? byPhone : byKey };

	beforeEach(async () => {
		await engine.service.control.seed({ contacts: people.map((phone) => ({ phone })) });
	});

	test('is not made again by the next try, which goes on with the other items', async () => {
		const items = await itemsToEnd();
		await engine.service.control.addFault({ kind: 'status', status: 403, operationId, skip: 1 });
		const first = await engine.run({ operation, items, parameters, options: { maxConcurrency: 1 } });

		const second = await engine.run({ operation, items, parameters, execution: stored(first.execution) });

		expect(first.error?.httpCode).toBe('403');
		expect(second.error).toBeUndefined();
		expect(second.output).toMatchObject(items.map((_, item) => ({ json: outcome, pairedItem: { item } })));
		expect((await engine.requests(operationId)).map(({ status }) => status)).toEqual([200, 403, 200, 200]);
	});
});

test('an agent that deletes a contact again is told that there is none', async () => {
	await engine.service.control.seed({ contacts: [{ phone: person(1) }] });
	const call = {
		operation: 'contact:delete',
		items: [{}],
		parameters: { phone: { __rl: true, mode: 'phone', value: person(1) } },
		node: { type: 'n8n-nodes-messaging-channel.messagingChannelTool' },
	};
	const { execution } = await engine.run(call);

	const { error } = await engine.run({ ...call, execution, runIndex: 1 });

	expect(error?.message).toBe('No contact with this phone number in this account');
});

/** The cancellation of a scheduled message, of which the service does the first one without a response. */
const lostCancellation = async () => {
	const items: IDataObject[] = (await schedule()).slice(0, 1);
	const operationId = 'scheduledMessage.cancel';
	await engine.service.control.addFault({ kind: 'reset', when: 'after', operationId });
	return {
		operation: 'scheduledMessage:cancel',
		items,
		parameters: { scheduledMessageId: byKey },
		options: { maxAttempts: 1 },
	};
};

test('a cancellation that is refused by a later try says that an earlier one may have succeeded', async () => {
	const cancel = await lostCancellation();
	const first = await engine.run(cancel);

	const second = await engine.run({ ...cancel, execution: stored(first.execution) });
	const third = await engine.run({ ...cancel, execution: stored(second.execution) });

	expect(first.error?.description).not.toContain(NOT_CONFIRMED);
	for (const { error } of [second, third]) expect(error?.description).toContain(NOT_CONFIRMED);
});

test('a contact that the service does not know is unknown to the next try, too', async () => {
	const deletion = {
		operation: 'contact:delete',
		items: [{ key: person(9) }],
		parameters: { phone: byPhone },
	};
	const { execution } = await engine.run(deletion);

	const { error } = await engine.run({ ...deletion, execution: stored(execution) });

	expect(error?.message).toBe('No contact with this phone number in this account');
});
