import express from 'express';
import {
	createServer,
	request,
	type ClientRequest,
	type IncomingMessage,
	type Server,
	type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';

import { createResponseGate } from '../../../nodes/MessagingChannel/n8n/responseGate';
import { close, listen } from '../../support/localServer';
import { eventually } from '../../support/poll';
import { collectGarbage } from '../usedBytes';

let server: Server;
let url: string;
let received: Promise<express.Response>;

beforeEach(async () => {
	received = new Promise((resolve) => {
		server = createServer(express().use((_, response) => resolve(response)));
	});
	url = await listen(server);
});
afterEach(async () => await close(server));

/** A request that n8n has not answered yet. */
async function deliver(): Promise<{
	sender: ClientRequest;
	response: express.Response;
	answered: Promise<IncomingMessage>;
}> {
	const sender = request(url, { method: 'POST' });
	sender.on('error', () => undefined);
	const answered = new Promise<IncomingMessage>((resolve) => sender.on('response', resolve));
	sender.end();
	return { sender, response: await received, answered };
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
const wasAccepted = async (response: ServerResponse) =>
	await new Promise<boolean>((resolve) => createResponseGate(response).onAcceptance(resolve));

test.each([
	[200, true],
	[299, true],
	[300, false],
	[403, false],
	[503, false],
])('n8n answered %i to a sender that waits, and that counts as accepted: %s', async (status, expected) => {
	const { response } = await deliver();
	const acceptance = wasAccepted(response);
	answer(response, status);
	expect(await acceptance).toBe(expected);
});

test.each([
	[200, true],
	[503, false],
])(
	'n8n answered %i to a sender that has disconnected, also before anybody asked',
	async (status, expected) => {
		const delivery = await deliver();
		const acceptance = wasAccepted(delivery.response);
		await hangUp(delivery);
		answer(delivery.response, status);
		expect([await acceptance, await wasAccepted(delivery.response)]).toEqual([expected, expected]);
	},
);

test('until n8n has answered, the acceptance is open, whether or not the sender waits', async () => {
	jest.useFakeTimers({ advanceTimers: true });
	const delivery = await deliver();
	const settled = jest.fn();
	createResponseGate(delivery.response).onAcceptance(settled);
	await jest.advanceTimersByTimeAsync(3_600_000);
	await hangUp(delivery);
	await jest.advanceTimersByTimeAsync(3_600_000);
	expect(settled).not.toHaveBeenCalled();

	answer(delivery.response, 200);
	jest.useRealTimers();
	expect(settled.mock.calls).toEqual([[true]]);
});

test('a response that n8n abandons counts as not accepted, and one that it has sent is told once', async () => {
	const [settled, sent] = [jest.fn(), jest.fn()];
	// Nobody holds the response, as in n8n once an execution was stopped before its turn.
	const abandon = (done: (wasAccepted: boolean) => void, isSent: boolean) => {
		const response = {
			statusCode: 200,
			writableEnded: false,
			end: () => undefined,
			removeHeader: () => undefined,
		};
		createResponseGate(response).onAcceptance(done);
		if (isSent) response.end();
	};
	abandon(sent, true);
	abandon(settled, false);
	await eventually(
		() => {
			collectGarbage();
			return settled.mock.calls;
		},
		({ length }) => length > 0,
	);
	expect([settled.mock.calls, sent.mock.calls]).toEqual([[[false]], [[true]]]);
});

describe('a response that is held', () => {
	/** Holds a response that somebody sends at once. */
	const hold = async (send: (response: express.Response) => void) => {
		let settle: (accepted: boolean) => void = () => {};
		const delivery = await deliver();
		delivery.response.setHeader('X-Kept', '1');
		createResponseGate(delivery.response).holdFor(new Promise((resolve) => (settle = resolve)));
		send(delivery.response);
		return { ...delivery, settle };
	};
	const sendJson = (response: express.Response) => void response.status(200).json({ message: 'taken' });

	test.each<[string, number, boolean, number, string]>([
		['an accepted 200', 200, true, 200, '{"message":"x"}'],
		['a 200 that others did not accept', 200, false, 503, ''],
		['a 500 that others did not accept', 500, false, 500, '{"message":"x"}'],
		['a 401 that others did not accept', 401, false, 401, '{"message":"x"}'],
	])('%s', async (_, status, isAccepted, expected, body) => {
		const { answered, settle } = await hold(
			(response) => void response.status(status).json({ message: 'x' }),
		);
		settle(isAccepted);
		const answer = await answered;
		expect([answer.statusCode, await text(answer)]).toEqual([expected, body]);
		expect(answer.headers['x-kept']).toBe('1');
		for (const header of ['content-length', 'content-type', 'etag'])
			expect([header, header in answer.headers]).toEqual([header, body !== '']);
	});

	test('is sent only when the others have responded', async () => {
		const { answered, response, settle } = await hold(sendJson);
		const sent = jest.fn();
		void answered.then(sent);
		await new Promise((resolve) => setTimeout(resolve, 50));
		expect([sent.mock.calls.length, response.writableEnded]).toEqual([0, false]);
		settle(true);
		expect(await text(await answered)).toBe('{"message":"taken"}');
	});

	test.each([true, false])('ends when the client has disconnected (accepted: %s)', async (isAccepted) => {
		const delivery = await hold(sendJson);
		await hangUp(delivery);
		delivery.settle(isAccepted);
		await eventually(
			() => delivery.response.writableEnded,
			(ended) => ended,
		);
	});

	test('counts as accepted by n8n itself at once, whatever the others respond', async () => {
		const delivery = await deliver();
		let settle: (accepted: boolean) => void = () => {};
		const gate = createResponseGate(delivery.response);
		gate.holdFor(new Promise((resolve) => (settle = resolve)));
		const settled = jest.fn();
		gate.onAcceptance(settled);
		sendJson(delivery.response);
		expect(settled.mock.calls).toEqual([[true]]);
		settle(false);
		expect((await delivery.answered).statusCode).toBe(503);
	});
});
