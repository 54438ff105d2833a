import { EventEmitter } from 'node:events';

import { isTaken, type WatchedResponse } from '../../../nodes/MessagingChannel/trigger/outcome';

class Answer extends EventEmitter implements WatchedResponse {
	statusCode = 200;

	closed = false;

	writableEnded = false;
}

test.each([
	[200, true],
	[500, false],
	[503, false],
])('n8n answered %i: %s', async (status, expected) => {
	const response = new Answer();
	const outcome = isTaken(response);
	Object.assign(response, { statusCode: status, writableEnded: true });
	response.emit('close');
	expect(await outcome).toBe(expected);
});

test.each([
	[200, true],
	[500, false],
])('the sender hung up, and n8n answered %i to nobody: %s', async (status, expected) => {
	const response = new Answer();
	const outcome = isTaken(response);
	response.emit('close');
	await new Promise((resolve) => setTimeout(resolve, 150));
	Object.assign(response, { statusCode: status, writableEnded: true });
	expect(await outcome).toBe(expected);
});

test.each([
	[200, true],
	[500, false],
])(
	'the sender had hung up before n8n was handed the event, and n8n answered %i: %s',
	async (status, expected) => {
		const response = new Answer();
		Object.assign(response, { closed: true, statusCode: status, writableEnded: true });
		expect(await isTaken(response)).toBe(expected);
	},
);

test('an answer that never comes counts as not taken, after two minutes', async () => {
	jest.useFakeTimers();
	const response = new Answer();
	const settled = jest.fn();
	void isTaken(response).then(settled);
	response.emit('close');
	await jest.advanceTimersByTimeAsync(119_950);
	expect(settled).not.toHaveBeenCalled();
	await jest.advanceTimersByTimeAsync(100);
	jest.useRealTimers();
	expect(settled).toHaveBeenCalledWith(false);
});

test('as long as the sender waits for the answer, so does the watch', async () => {
	jest.useFakeTimers();
	const response = new Answer();
	const outcome = isTaken(response);
	await jest.advanceTimersByTimeAsync(150_000);
	jest.useRealTimers();
	Object.assign(response, { writableEnded: true });
	response.emit('close');
	expect(await outcome).toBe(true);
});
