import type { INodeParameters } from 'n8n-workflow';

import { person, useEngine } from '../../support/engine/engine';
import { byPhone } from '../../support/operations/parameters';

const engine = useEngine();

type Asked = [operation: string, parameters: INodeParameters, options?: INodeParameters];

const to = byPhone(person(1));

const idOf = (operation: string) => operation.replace(':', '.');

const ask = async ([operation, parameters, options = {}]: Asked) =>
	await engine.run({ operation, items: [{}], parameters, options });

const arrived = async (operation: string) => (await engine.requests(idOf(operation))).length;

// After which other answers a call may be repeated stands in a table of unit tests.
test.each<Asked>([
	['account:get', {}],
	['message:validate', { message: 'Hello' }],
	['contact:sync', { phones: person(1) }],
	['webhook:set', { url: 'https://example.com/events', events: ['message.received'] }],
])('%s is repeated after 500, with pauses of 1, 2 and 4 s', async (...asked) => {
	const [operation] = asked;
	const operationId = idOf(operation);
	await engine.service.control.addFault({ kind: 'status', status: 500, operationId, times: 3 });

	const { error, output, clock } = await ask(asked);

	expect(error).toBeUndefined();
	expect(output).toHaveLength(1);
	expect(await arrived(operation)).toBe(4);
	expect(clock.waits).toEqual([1000, 2000, 4000]);
});

describe.each<Asked>([
	['message:send', { to, message: 'Hello' }, { afterAmbiguousSend: 'fail' }],
	['media:sendImage', { to, mediaSource: 'url', mediaUrl: 'https://example.com/cat.png' }],
	['tag:create', { name: 'VIP' }],
])('%s', (...asked) => {
	const [operation] = asked;
	const operationId = idOf(operation);

	test('is not repeated after a connection that breaks', async () => {
		await engine.service.control.addFault({ kind: 'reset', when: 'after', operationId, times: 'always' });

		const { error, clock } = await ask(asked);

		expect(error).toBeDefined();
		expect(await arrived(operation)).toBe(1);
		expect(clock.waits).toEqual([]);
	});

	test('is repeated after 429, because the service did not accept it', async () => {
		const headers = { 'X-RateLimit-Reset': '' };
		await engine.service.control.addFault({ kind: 'status', status: 429, headers, operationId, times: 2 });

		const { error } = await ask(asked);

		expect(error).toBeUndefined();
		expect(await arrived(operation)).toBe(3);
	});
});

test('a send whose connection is refused is repeated, since it cannot have reached the service', async () => {
	const { error, clock } = await engine.run({
		items: [{ to: person(1), message: 'Hello' }],
		credential: { baseUrl: 'http://127.0.0.1:9', apiKey: 'key' },
	});

	expect(clock.waits).toEqual([1000, 2000, 4000]);
	expect(error?.message).toBe('The connection to the service was refused');
	expect(error?.description).toContain("Check the 'Base URL' in the credential");
});
