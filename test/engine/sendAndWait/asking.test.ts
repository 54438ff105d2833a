import type { RequestListener } from 'node:http';

import type { Fault } from '../../support/service/core/faults';
import { CONTINUES, person, useEngine } from '../../support/engine/engine';
import { waitingAt } from '../../support/engine/context';
import { stored, type RunOptions } from '../../support/engine/run';
import { close, createHttpServer, listen } from '../../support/localServer';

const engine = useEngine();

const asking: RunOptions = {
	operation: 'message:sendAndWait',
	items: [{}],
	parameters: { to: { __rl: true, mode: 'phone', value: person(1) }, message: 'Ship it?' },
};

const lost: Fault = { kind: 'status', status: 504, operationId: 'message.send' };

test('a question is sent with its links, and the execution waits for the answer', async () => {
	const { output, execution } = await engine.run(asking);

	expect(output).toEqual([{ json: expect.objectContaining({ queued: true }), pairedItem: { item: 0 } }]);
	expect(await engine.accepted()).toEqual([
		expect.stringMatching(/^Ship it\?\n\nApprove: http:\/\/n8n\.example\.com\S+approved=true\S+$/),
	]);
	expect(execution.waitTill).toBeInstanceOf(Date);
});

describe('what n8n answers at its own link before the question is sent', () => {
	const REFUSED = "'Message' cannot be answered, because n8n refuses the links that it signs itself";
	const page = (status: number, body: string): RequestListener => {
		return (_, response) => void response.writeHead(status).end(body);
	};

	test.each<[string, RequestListener, string | undefined]>([
		['401, for its signature', page(401, '<h1>Invalid Form Link</h1>'), REFUSED],
		['401, for its token', page(401, '{"error":"Invalid token"}'), REFUSED],
		['401, as a proxy that wants a password', page(401, '<h1>401 Authorization Required</h1>'), undefined],
		['nothing', (request) => void request.socket.destroy(), undefined],
	])('%s', async (_, respond, message) => {
		const server = createHttpServer(respond);
		const before = waitingAt.url;
		waitingAt.url = await listen(server);

		const { error, execution } = await engine.run(asking).finally(() => (waitingAt.url = before));
		await close(server);

		expect([error?.message, execution.waitTill !== undefined]).toEqual([message, message === undefined]);
		expect(await engine.accepted()).toHaveLength(message === undefined ? 1 : 0);
	});
});

test('a question is refused whose links would show a password of n8n to whoever gets it', async () => {
	const before = waitingAt.url;
	waitingAt.url = 'https://user:hidden-word@n8n.example.com/webhook-waiting';

	const { error } = await engine.run(asking).finally(() => (waitingAt.url = before));

	expect(error?.message).toBe(
		"'Message' cannot be sent, because its links would show the user name and the password in the URL of n8n",
	);
	expect(error?.description).not.toContain('hidden-word');
	expect(await engine.accepted()).toEqual([]);
});

test("a question is refused in n8n's Engine 2.0, where its links would be dead", async () => {
	const { error } = await engine.run({ ...asking, executionId: '01a3c5e7-9b1d-7f35-8a2c-4e6f81a3c5e7' });

	expect([error?.message, error?.description]).toEqual([
		"'Operation' cannot wait for a response in n8n's Engine 2.0",
		expect.stringMatching(/^Remove "engineType": "v2" from the settings of the workflow: .*\.$/),
	]);
	expect(await engine.accepted()).toEqual([]);
});

test('an ordinary send does not wait', async () => {
	const { execution } = await engine.run({ items: [{ to: person(1), message: 'Hello' }] });

	expect(execution.waitTill).toBeUndefined();
});

test.each([
	['was refused', { status: 400, when: 'before' }, 'not_sent'],
	['may have arrived', { status: 504, when: 'after' }, 'uncertain'],
] as const)(
	'the item of a question that %s says so, and whom it was for, and nothing waits',
	async (_, fault, outcome) => {
		await engine.spoilSend({ kind: 'status', ...fault });

		const { output, execution } = await engine.run({
			...asking,
			options: { afterAmbiguousSend: 'fail' },
			node: CONTINUES,
		});

		expect(output.map(({ json }) => json)).toMatchObject([{ to: person(1), outcome }]);
		expect(execution.waitTill).toBeUndefined();
	},
);

test('several items are refused before anybody is asked', async () => {
	const { error } = await engine.run({ ...asking, items: [{}, {}] });

	expect(error).toMatchObject({
		message: "'Input' has 2 items, but the workflow can wait for only one response at a time",
		description: expect.stringMatching(
			/^Add a Loop Over Items node before this one, or turn on 'Execute Once'/,
		),
	});
	expect(await engine.requests()).toEqual([]);
});

test('a time limit that has passed is refused before anybody is asked', async () => {
	const limitWaitTime = { values: { limitType: 'atSpecifiedTime', maxDateAndTime: '2020-01-01T00:00:00' } };
	const { error } = await engine.run({ ...asking, options: { limitWaitTime } });

	expect(error).toMatchObject({
		message: "'Limit Wait Time' was over before the message could be sent",
		description: 'Enter a longer time or a later date.',
	});
	expect(await engine.requests()).toEqual([]);
});

/** The question, with a limit so many seconds from now. */
const limitedTo = (seconds: number): RunOptions => {
	const maxDateAndTime = new Date(engine.now() + seconds * 1000).toISOString();
	return {
		...asking,
		options: { limitWaitTime: { values: { limitType: 'atSpecifiedTime', maxDateAndTime } } },
	};
};

describe('a time limit that passes before the question is sent', () => {
	const refusal = { message: "'Limit Wait Time' was over before the message could be sent" };

	test('while it waits for the rate limit refuses it', async () => {
		const headers = { 'Retry-After': '100', 'X-RateLimit-Reset': '' };
		await engine.service.control.addFault({ ...lost, status: 429, times: 1, headers });

		const { error, execution } = await engine.run(limitedTo(60));

		expect(error).toMatchObject(refusal);
		expect(await engine.accepted()).toEqual([]);
		expect(execution.waitTill).toBeUndefined();
	});

	test('again leaves it uncertain, if it may have been sent', async () => {
		const asked = { ...limitedTo(5), node: CONTINUES };
		await engine.service.control.addFault(lost);
		const first = await engine.run(asked);

		const second = await engine.run({ ...asked, execution: stored(first.execution) });

		expect(first.clock.passedMs).toBeGreaterThan(5000);
		expect(second.output[0]?.json.ambiguous).toBe(true);
	});

	test('while it waits for the timer of an earlier question refuses it', async () => {
		const asked = limitedTo(60);
		const { execution } = await engine.run(asked);

		const { error } = await engine.run({ ...asked, execution, runIndex: 1 });

		expect(error).toMatchObject(refusal);
		expect(await engine.requests('message.send')).toHaveLength(1);
	});
});

test.each([
	['approval', { approved: false, timedOut: true }],
	['freeText', { timedOut: true }],
])('without an answer in time, no earlier answer of the input is put out: %s', async (responseType, data) => {
	const items = [{ data: { approved: true } }];
	const { execution } = await engine.run({
		...asking,
		items,
		parameters: { ...asking.parameters, responseType },
	});

	expect(execution.executionData?.nodeExecutionStack[0]?.data.main).toEqual([[{ json: { data } }]]);
});

test('another try of the same execution does not ask again, a later execution does', async () => {
	await engine.service.control.addFault(lost);
	const { execution } = await engine.run(asking);

	const again = await engine.run({ ...asking, execution });
	expect(again.error?.message).toContain('may have been sent');
	expect(await engine.requests('message.send')).toHaveLength(1);

	const later = await engine.run({ ...asking, execution, executionId: '2' });
	expect(later.error).toBeUndefined();
	expect(await engine.requests('message.send')).toHaveLength(2);
	expect(await engine.accepted()).toEqual([expect.stringContaining('/2')]);
});

describe('the next question of an execution', () => {
	test('is sent five seconds after the earlier deadline, because n8n keeps the timer for it', async () => {
		const { execution } = await engine.run(limitedTo(70));

		const { clock } = await engine.run({ ...asking, execution, runIndex: 1 });

		expect(clock.waits).toEqual([75_000]);
	});

	test('is sent at once when n8n cannot have set the timer yet', async () => {
		const { execution } = await engine.run(limitedTo(120));

		const { clock } = await engine.run({ ...asking, execution, runIndex: 1 });

		expect(clock.waits).toEqual([]);
	});
});
