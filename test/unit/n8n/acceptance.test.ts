import { EventEmitter } from 'node:events';
import { createServer, request, type ClientRequest, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { onAcceptance } from '../../../nodes/MessagingChannel/n8n/acceptance';
import { eventually } from '../../support/service/testing';

let server: Server;
let received: Promise<ServerResponse>;

beforeEach(async () => {
	received = new Promise((resolve) => {
		server = createServer((_, response) => resolve(response));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
});

/** A request that n8n has not answered yet. */
async function deliver(): Promise<{ sender: ClientRequest; response: ServerResponse }> {
	const { port } = server.address() as AddressInfo;
	const sender = request({ port, host: '127.0.0.1', method: 'POST' }, (answer) => answer.resume());
	sender.on('error', () => undefined);
	sender.end();
	return { sender, response: await received };
}

const hangUp = async ({ sender, response }: Awaited<ReturnType<typeof deliver>>) => {
	const closed = new Promise((resolve) => response.once('close', resolve));
	sender.destroy();
	await closed;
};

const answer = (response: ServerResponse, status: number) => {
	response.statusCode = status;
	response.end('{}');
};

/** Resolves to the first that is told. */
const isTaken = async (response: ServerResponse) =>
	await new Promise<boolean>((resolve) => onAcceptance(response, resolve));

describe.each([
	[200, true],
	[403, false],
	[500, false],
	[503, false],
])('n8n answered %i', (status, expected) => {
	test('to a sender that waits', async () => {
		const { response } = await deliver();
		const outcome = isTaken(response);
		answer(response, status);
		expect(await outcome).toBe(expected);
	});

	test('to a sender that has disconnected', async () => {
		const delivery = await deliver();
		const outcome = isTaken(delivery.response);
		await hangUp(delivery);
		answer(delivery.response, status);
		expect(await outcome).toBe(expected);
	});

	test('before anybody asked', async () => {
		const delivery = await deliver();
		await hangUp(delivery);
		answer(delivery.response, status);
		expect(await isTaken(delivery.response)).toBe(expected);
	});
});

test('until n8n has answered, the outcome is open, whether or not the sender waits', async () => {
	jest.useFakeTimers({ advanceTimers: true });
	const delivery = await deliver();
	const settled = jest.fn();
	onAcceptance(delivery.response, settled);
	await jest.advanceTimersByTimeAsync(3_600_000);
	await hangUp(delivery);
	await jest.advanceTimersByTimeAsync(3_600_000);
	expect(settled).not.toHaveBeenCalled();

	answer(delivery.response, 200);
	jest.useRealTimers();
	expect(settled.mock.calls).toEqual([[true]]);
});

test('a response that n8n abandons counts as not accepted', async () => {
	setFlagsFromString('--expose-gc');
	const collectGarbage = runInNewContext('gc') as () => void;
	const settled = jest.fn();
	// Nobody holds the response, as in n8n once an execution was stopped before its turn.
	const abandon = () =>
		onAcceptance(Object.assign(new EventEmitter(), { statusCode: 200, writableEnded: false }), settled);
	abandon();
	await eventually(
		() => {
			collectGarbage();
			return settled.mock.calls;
		},
		({ length }) => length > 0,
	);
	expect(settled.mock.calls).toEqual([[false]]);
});
