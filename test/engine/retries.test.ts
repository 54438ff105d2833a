import { createServer } from 'node:net';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { close, listen } from '../support/localServer';
import type { Seed } from '../support/service/core/control';
import { person, useEngine } from '../support/engine/engine';

const engine = useEngine();

interface Asked {
	operation: string;
	item?: IDataObject;
	parameters?: INodeParameters;
	seed?: Seed;
}

const phone = { __rl: true, mode: 'phone', value: person(1) };

/** Calls that the service may get twice without harm. */
const idempotent: Asked[] = [
	{ operation: 'account:get' },
	{ operation: 'contact:update', parameters: { phone, updateFields: { name: 'Ada' } } },
	{ operation: 'contact:delete', parameters: { phone } },
	{ operation: 'message:validate', parameters: { message: 'Hello' } },
	{ operation: 'contact:sync', parameters: { phones: person(1) } },
	{
		operation: 'webhook:set',
		parameters: { url: 'https://example.com/events', events: ['message.received'] },
	},
];

/** Calls of which two are one too many. */
const once: Asked[] = [
	{ operation: 'message:send', item: { to: person(1), message: 'Hello' } },
	{
		operation: 'template:send',
		parameters: { to: phone, templateId: { __rl: true, mode: 'name', value: 'greeting' } },
		seed: { templates: [{ name: 'greeting', content: 'Hello' }] },
	},
	{
		operation: 'media:sendImage',
		parameters: { to: phone, mediaSource: 'url', mediaUrl: 'https://example.com/cat.png' },
	},
	{ operation: 'tag:create', parameters: { name: 'VIP' } },
	{ operation: 'group:create', parameters: { name: 'Team' } },
	{ operation: 'template:create', parameters: { name: 'greeting', content: 'Hello' } },
	{ operation: 'webhook:rotateSecret' },
];

const idOf = ({ operation }: Asked) => operation.replace(':', '.');

const ask = async ({ operation, item = {}, parameters, seed }: Asked, options: INodeParameters = {}) => {
	await engine.service.control.seed({ contacts: [{ phone: person(1) }], ...seed });
	// A fault may show only after the call did its work.
	const known = { ...options, ...(operation === 'message:send' ? { afterAmbiguousSend: 'fail' } : {}) };
	return await engine.run({ operation, items: [item], parameters, options: known });
};

const arrived = async (asked: Asked) => (await engine.requests(idOf(asked))).length;

// After which other answers a call may be repeated stands in a table of unit tests.
test.each(idempotent)('$operation is repeated after 500, with pauses of 1, 2 and 4 s', async (asked) => {
	await engine.service.control.addFault({ kind: 'status', status: 500, operationId: idOf(asked), times: 3 });

	const { error, output, clock } = await ask(asked);

	expect(error).toBeUndefined();
	expect(output).toHaveLength(1);
	expect(await arrived(asked)).toBe(4);
	expect(clock.waits).toEqual([1000, 2000, 4000]);
});

describe.each(once)('$operation', (asked) => {
	test('is not repeated after a connection that breaks', async () => {
		const fault = { kind: 'reset', when: 'after', operationId: idOf(asked), times: 'always' } as const;
		await engine.service.control.addFault(fault);

		const { error, clock } = await ask(asked);

		expect(error).toBeDefined();
		expect(await arrived(asked)).toBe(1);
		expect(clock.waits).toEqual([]);
	});

	test('is repeated after 429, because the service did not accept it', async () => {
		await engine.service.control.addFault({
			kind: 'status',
			status: 429,
			headers: { 'X-RateLimit-Reset': '' },
			operationId: idOf(asked),
			times: 2,
		});

		const { error } = await ask(asked);

		expect(error).toBeUndefined();
		expect(await arrived(asked)).toBe(3);
	});
});

/** The address of a port where nobody listens. */
async function closedAddress(): Promise<string> {
	const server = createServer();
	const address = await listen(server);
	await close(server);
	return address;
}

test('a send whose connection is refused is repeated, since it cannot have reached the service', async () => {
	const baseUrl = await closedAddress();

	const { error, clock } = await engine.run({
		items: [{ to: person(1), message: 'Hello' }],
		credential: { baseUrl, apiKey: 'key' },
	});

	expect(clock.waits).toEqual([1000, 2000, 4000]);
	expect(error?.message).toBe('The connection to the service was refused');
	expect(error?.description).toContain("Check the 'Base URL' in the credential");
});

test('a send is not repeated once a byte of it was written', async () => {
	let connections = 0;
	const server = createServer((socket) => {
		connections++;
		socket.once('data', () => socket.resetAndDestroy());
		socket.on('error', () => {});
	});
	const baseUrl = await listen(server);

	const { error } = await engine.run({
		items: [{ to: person(1), message: 'Hello' }],
		options: { afterAmbiguousSend: 'fail' },
		credential: { baseUrl, apiKey: 'key' },
	});
	await close(server);

	expect(connections).toBe(1);
	expect(error?.message).toContain('it may have been sent');
});
