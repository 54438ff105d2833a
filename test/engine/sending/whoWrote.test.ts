import type { IDataObject } from 'n8n-workflow';

import { CONTINUES, person, useEngine } from '../../support/engine/engine';

const engine = useEngine();

const [ADA, BEN, EVE] = [person(1), person(2), person(3)] as const;
const GROUP = '120363025246125486@g.us';

/** A message in the chat of a person, so many hours ago. */
const message = (phone: string, hoursAgo: number, fromMe = false) => ({
	chatId: `${phone}@c.us`,
	body: 'Hi',
	fromMe,
	timestamp: Math.floor(engine.now() / 1000) - hoursAgo * 3600,
});

const seed = async (...messages: Array<ReturnType<typeof message>>) =>
	await engine.service.control.seed({ messages } as never);

const skipped = 'No message of theirs in the last 24 hours was found in the chat';

test('only people who wrote in that time get a message', async () => {
	await seed(message(ADA, 23), message(BEN, 25), message(EVE, 1, true));
	const to = [ADA, BEN, EVE, person(4), GROUP, `${ADA}@c.us`];

	const { output, hints } = await engine.run({
		items: to.map((each) => ({ to: each, message: 'Hello' })),
		options: { onlyIfWroteWithin: 24 },
	});

	expect(output.map(({ json }) => [json.outcome, json.reason])).toEqual([
		['queued', undefined],
		['skipped', skipped],
		['skipped', skipped],
		['skipped', skipped],
		['queued', undefined],
		['queued', undefined],
	]);
	expect((await engine.service.control.accepted()).map((each) => each.to).sort()).toEqual(
		[GROUP, `${ADA}@c.us`, `${ADA}@c.us`].sort(),
	);
	const reads = (await engine.requests('chat.getMessages')).map(({ path }) => path);
	expect(reads.filter((path) => path.includes('g.us'))).toEqual([]);
	expect(hints.map((hint) => hint.message)).toContainEqual(
		'Skipped recipients: 3. Their items in the output say why.',
	);
});

test.each<[what: string, seeds: object[]]>([
	['a reaction to our message', [{ type: 'reaction', body: '👍' }]],
	['a notice of the channel', [{ type: 'e2e_notification', body: '' }]],
])('%s is nothing that they wrote', async (_, seeds) => {
	await seed(...seeds.map((each) => ({ ...message(ADA, 1), ...each })));
	const options = { onlyIfWroteWithin: 24 };

	const { output } = await engine.run({ items: [{ to: ADA, message: 'Hello' }], options });

	expect(output.map(({ json }) => json.reason)).toEqual([skipped]);
	expect(await engine.accepted()).toEqual([]);
});

test('a file without a text is', async () => {
	const media = { bytes: 10, mimetype: 'image/png' };
	await seed({ ...message(ADA, 1), body: '', media } as never);
	const options = { onlyIfWroteWithin: 24 };

	await engine.run({ items: [{ to: ADA, message: 'Hello' }], options });

	expect(await engine.accepted()).toEqual(['Hello']);
});

test.each([`${BEN}@c.us`, GROUP])('what was written in another chat, %s, does not count', async (id) => {
	await seed({ ...message(BEN, 1), chatId: id });
	const body = { success: true, data: { id, name: 'Ada', phone: ADA } };
	await engine.service.control.addFault({ operationId: 'chat.resolve', kind: 'status', status: 200, body });
	const options = { onlyIfWroteWithin: 24 };

	const { output } = await engine.run({ items: [{ to: ADA, message: 'Hello' }], options });

	expect(output.map(({ json }) => json.reason)).toEqual([skipped]);
	expect(await engine.accepted()).toEqual([]);
});

test('the time is that of the service, which writes the times of messages', async () => {
	await seed(message(ADA, 23.5));
	await engine.shiftServiceClock(60 * 60 * 1000);
	const options = { onlyIfWroteWithin: 24 };

	const { output } = await engine.run({ items: [{ to: ADA, message: 'Hello' }], options });

	expect(output.map(({ json }) => json.reason)).toEqual([skipped]);
});

test('a chat that cannot be read fails the item, and nothing is sent', async () => {
	await seed(message(ADA, 1));
	await engine.service.control.addFault({ operationId: 'chat.getMessages', kind: 'status', status: 403 });
	const items = [{ to: ADA, message: 'Hello' }];

	const { output } = await engine.run({ items, options: { onlyIfWroteWithin: 24 }, node: CONTINUES });

	expect(output.map(({ json }) => [json.outcome, json.httpStatus])).toEqual([['not_sent', 403]]);
	expect(await engine.accepted()).toEqual([]);
});

test('a text that is not understood fails the item: nobody can tell whether they wrote', async () => {
	const timestamp = Math.floor(engine.now() / 1000) - 60;
	const data = [{ id: 'a', type: 'chat', from_me: false, timestamp, body: 42 }];
	const body = { success: true, data };
	const fault = { kind: 'status', status: 200, body, times: 'always' } as const;
	await engine.service.control.addFault({ operationId: 'chat.getMessages', ...fault });
	await seed(message(ADA, 1));
	const items = [{ to: ADA, message: 'Hello' }];

	const { output } = await engine.run({ items, options: { onlyIfWroteWithin: 24 }, node: CONTINUES });

	expect(output.map(({ json }) => [json.outcome, json.error])).toEqual([
		[
			'not_sent',
			expect.stringContaining("'message.body' in a form that is not understood: a number like 99"),
		],
	]);
});

test.each<[value: unknown, words: string]>([
	[0, 'is too small: 0'],
	[[], 'is empty'],
])('%j hours are refused', async (value, words) => {
	const items = [{ to: ADA, message: 'Hello', value } as IDataObject];
	const { error } = await engine.run({ items, options: { onlyIfWroteWithin: '={{ $json.value }}' } });

	expect(error?.message).toBe(`'Recipients: Only If They Wrote' ${words}`);
	expect(await engine.requests()).toEqual([]);
});
