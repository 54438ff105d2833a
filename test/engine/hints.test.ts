import { CONTINUES, toEach, useEngine } from '../support/engine/engine';
import { newKeyRow } from '../support/engine/keyRow';

const engine = useEngine();

const same = (count: number) => toEach(count).map(({ to }) => ({ to, message: 'Sale today' }));

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

	expect(hints.map(({ message }) => message)).toEqual([
		"Sent before: 60. They were not sent again. Their items have 'already_sent: true'.",
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
	expect(hints.map(({ message }) => message)).toEqual([
		'Not sent: 1 of 4: The service rejected a value in this request.',
		"Uncertain: 2. These may or may not have been sent. Their items have 'ambiguous: true' and say what to do.",
	]);
});

test('a wait for the rate limit is told', async () => {
	await engine.service.control.setRateLimit({ limit: 10, windowSeconds: 60 });
	const { hints, clock } = await engine.run({ items: toEach(25) });

	expect(hints).toHaveLength(1);
	const [, seconds] = /^The node waited (\d+) seconds for the rate limit/.exec(hints[0]?.message ?? '') ?? [];
	expect(Math.abs(Number(seconds) * 1000 - clock.passedMs)).toBeLessThan(2000);
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

test('a request that failed for all items counts each of them', async () => {
	await engine.service.control.addFault({ operationId: 'broadcast.create', kind: 'status', status: 400 });

	const { hints } = await engine.run({
		operation: 'broadcast:create',
		items: toEach(200),
		parameters: {
			name: 'Sale',
			recipientsFrom: 'allItems',
			recipients: '={{ $json.to }}',
			message: 'Hello',
			delayBetweenMessages: 0,
		},
		node: CONTINUES,
	});

	expect(hints.map(({ message }) => message)).toEqual([
		'None of 200 was sent: The service rejected a value in this request.',
	]);
});
