import { CONTINUES, person, toEach, useEngine } from '../support/engine/engine';
import { newKeyRow } from '../support/engine/keyRow';

const engine = useEngine();

const same = (count: number) => toEach(count).map(({ to }) => ({ to, message: 'Sale today' }));

test('more than 50 sends of one text get the advice to use a broadcast', async () => {
	const { hints } = await engine.run({ items: same(51) });

	expect(hints).toEqual([
		{
			type: 'info',
			location: 'outputPane',
			message:
				'51 messages with the same text were sent one by one. Use Broadcast > Create to pace them and protect your number from being blocked.',
		},
	]);
});

test('50 sends of one text, and many of different texts, get no hint', async () => {
	expect((await engine.run({ items: same(50) })).hints).toEqual([]);
	expect((await engine.run({ items: toEach(60) })).hints).toEqual([]);
});

test('two broadcasts to one recipient each get the advice to create one', async () => {
	const broadcasts = async (count: number) =>
		await engine.run({
			operation: 'broadcast:create',
			items: toEach(count),
			parameters: { name: 'Sale', recipients: '={{ [$json.to] }}', message: 'Sale today' },
		});

	expect((await broadcasts(1)).hints).toEqual([]);
	expect((await broadcasts(2)).hints).toMatchObject([
		{ type: 'warning', message: expect.stringMatching(/^2 broadcasts were created with one recipient each/) },
	]);
});

test('skipped recipients are counted, and do not count as sent', async () => {
	const items = same(60);
	await engine.service.control.seed({
		tags: [{ name: 'unsubscribed' }],
		contacts: items.slice(0, 10).map(({ to }) => ({ phone: to, tags: ['unsubscribed'] })),
	});
	const options = { skipTags: ['unsubscribed'] };

	const { hints } = await engine.run({ items, options });
	expect(hints.map(({ message }) => message)).toEqual([
		'Skipped recipients: 10. Their items in the output say why.',
	]);
});

test('what was sent before is counted, and does not count as sent again', async () => {
	const items = same(60);
	const options = { requestId: '={{ $json.to }}' };
	const row = newKeyRow();
	await engine.run({ items, options, row, node: { id: 'first' } });

	const { hints } = await engine.run({ items, options, row, node: { id: 'second' } });

	expect(hints).toEqual([
		{
			type: 'info',
			location: 'outputPane',
			message: "Sent before: 60. They were not sent again. Their items have 'already_sent: true'.",
		},
	]);
});

test('items that share an ID although they differ are counted, and do not count as sent before', async () => {
	const items = [...toEach(3), ...toEach(1)];
	const shared = async (requestId: string) =>
		(await engine.run({ items, options: { requestId } })).hints.map(({ message }) => message);

	expect(await shared('march')).toEqual([
		"Shared Request ID: 2. These items were not sent, because an item before them has the same 'Request ID'. Their recipients or contents differ, so give each item an ID of its own.",
		"Sent before: 1. They were not sent again. Their items have 'already_sent: true'.",
	]);
	expect(await engine.accepted()).toEqual(['Hello 0']);
	expect(await shared('={{ $json.to }}')).toEqual([
		"Sent before: 1. They were not sent again. Their items have 'already_sent: true'.",
	]);
});

test('two files for one person that share an ID are counted, as the second was not sent', async () => {
	const { hints } = await engine.run({
		operation: 'media:sendDocument',
		items: ['bill.pdf', 'offer.pdf'].map((name) => ({ to: person(0), name })),
		binary: { data: { mimeType: 'application/pdf', data: Buffer.from('%PDF').toString('base64') } },
		parameters: {
			to: { __rl: true, mode: 'phone', value: '={{ $json.to }}' },
			additionalFields: { filename: '={{ $json.name }}' },
		},
		options: { requestId: '={{ $json.to }}' },
	});

	expect(hints.map(({ message }) => message)).toEqual([expect.stringContaining('Shared Request ID: 1.')]);
});

test('what is uncertain is counted, and what was refused is not', async () => {
	const items = toEach(4);
	const spoil = async (message: string, status: number) =>
		await engine.service.control.addFault({
			operationId: 'message.send',
			bodyHas: { message },
			kind: 'status',
			status,
		});
	await spoil('Hello 1', 504);
	await spoil('Hello 2', 504);
	await spoil('Hello 3', 400);

	const { hints, output } = await engine.run({ items, node: CONTINUES });

	expect(output.map(({ json }) => json.ambiguous)).toEqual([undefined, true, true, undefined]);
	expect(hints.slice(1)).toEqual([
		{
			type: 'warning',
			location: 'outputPane',
			message:
				"Uncertain: 2. These may or may not have been sent. Their items have 'ambiguous: true' and say what to do.",
		},
	]);
});

test('what was refused does not count as sent', async () => {
	await engine.service.control.addFault({
		operationId: 'message.send',
		kind: 'status',
		status: 400,
		times: 'always',
	});

	const { hints } = await engine.run({ items: same(60), node: CONTINUES });

	expect(hints.map(({ message }) => message)).toEqual([
		'None of 60 was sent: The service rejected a value in this request.',
	]);
});

test('a wait for the rate limit is told, and a short one is not', async () => {
	await engine.service.control.setRateLimit({ limit: 10, windowSeconds: 60 });
	const { hints, clock } = await engine.run({ items: toEach(25) });

	expect(hints).toHaveLength(1);
	const [, seconds] = /^The node waited (\d+) seconds for the rate limit/.exec(hints[0]?.message ?? '') ?? [];
	expect(Math.abs(Number(seconds) * 1000 - clock.passedMs)).toBeLessThan(2000);

	await engine.reset();
	await engine.service.control.setRateLimit({ limit: 10, windowSeconds: 2 });
	expect((await engine.run({ items: toEach(15) })).hints).toEqual([]);
});

test('reads get no hint', async () => {
	const items = Array.from({ length: 60 }, () => ({}));
	const phone = { __rl: true, mode: 'phone', value: person(1) };

	const { hints } = await engine.run({ operation: 'contact:check', items, parameters: { phone } });

	expect(hints).toEqual([]);
});

test('two messages that share an ID and differ only in Body Fields are counted, as the second was not sent', async () => {
	const { hints } = await engine.run({
		operation: 'scheduledMessage:create',
		items: ['See you at 9', 'See you at 10'].map((text) => ({ text })),
		parameters: {
			to: { __rl: true, mode: 'phone', value: person(0) },
			message: 'Hello',
			scheduledAt: new Date(engine.now() + 3_600_000).toISOString(),
		},
		options: { requestId: 'tomorrow', bodyFields: '={{ { message: $json.text } }}' },
	});

	expect(hints.map(({ message }) => message)).toEqual([expect.stringContaining('Shared Request ID: 1.')]);
});

test('two accounts that use the same ID do not share it', async () => {
	const createKey = async () =>
		(await engine.service.control.createKey({ permissions: ['messages:send'] })).apiKey;
	const items = [await createKey(), await createKey()].map((key, item) => ({ ...toEach(2)[item], key }));
	const run = async (id: string) =>
		await engine.run({
			items,
			options: { requestId: 'march' },
			credential: { baseUrl: engine.service.baseUrl, apiKey: '={{ $json.key }}' },
			row,
			node: { id },
		});
	const row = newKeyRow();
	expect((await run('first')).hints).toEqual([]);

	expect((await run('second')).hints.map(({ message }) => message)).toEqual([
		"Sent before: 2. They were not sent again. Their items have 'already_sent: true'.",
	]);
});

test('a run that failed whole says so first, with the reasons', async () => {
	const { hints } = await engine.run({
		items: toEach(3),
		options: { skipTags: ['unsubscribed'] },
		node: CONTINUES,
	});

	expect(hints).toEqual([
		{
			type: 'warning',
			location: 'outputPane',
			message:
				"None of 3 was sent: The message was not sent, because there is no tag 'unsubscribed' in this account.",
		},
	]);
});

test('items that failed are counted among all', async () => {
	const items = [...toEach(2), { to: 'nobody', message: 'Hello' }];

	const { hints } = await engine.run({ items, node: CONTINUES });

	expect(hints[0]?.message).toBe("Not sent: 1 of 3: 'To' is not a valid phone number: 'nobody'.");
});
