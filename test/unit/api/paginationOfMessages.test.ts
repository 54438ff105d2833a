import type { IDataObject } from 'n8n-workflow';

import { expected, read, records, type Answer } from './answering';

const NEWEST = 1_700_000_000;
const repeated = 'The service keeps returning the same page of the list';

/** Messages, newest first, so many of each second. */
const messages = (count: number, perSecond = 1): IDataObject[] =>
	Array.from({ length: count }, (_, index) => ({
		id: `message-${index}`,
		timestamp: NEWEST - Math.floor(index / perSecond),
	}));

/** One of so many messages has such a time. */
const withOdd = (count: number, timestamp: unknown) =>
	messages(count).map((message, index) =>
		index === 100 ? ({ id: 'notice', timestamp } as IDataObject) : message,
	);

type Change = (page: IDataObject[], call: number) => IDataObject[];

/**
 * A chat with the cursor as the spec has it: only messages older than it, in whole seconds.
 *
 * @param change what the service makes of each page
 */
const chat =
	(all: IDataObject[], change: Change = (page) => page, totalAt?: (call: number) => number): Answer =>
	({ before, limit }, call) => ({
		...(totalAt && { pagination: { total: totalAt(call) } }),
		data: change(
			all
				.filter(({ timestamp }) => before === undefined || Number(timestamp) * 1000 < Date.parse(before))
				.slice(0, limit),
			call,
		),
	});

/** A chat of a service that lists the messages of the cursor's own second, too. */
const inclusive =
	(all: IDataObject[], most = Infinity): Answer =>
	({ before, limit }) => ({
		data: all
			.filter(({ timestamp }) => before === undefined || Number(timestamp) * 1000 <= Date.parse(before))
			.slice(0, Math.min(Number(limit), most)),
	});

const atMost =
	(count: number): Change =>
	(page) =>
		page.slice(0, count);

/** 200 messages on each page, with such times. */
const same =
	(timestampAt: (call: number) => unknown): Answer =>
	(_, call) => ({ data: records(200).map((record) => ({ ...record, timestamp: timestampAt(call) })) });

const tooMany = (count: number) =>
	`The chat has more messages in one second, 2023-11-14T22:13:20.000Z, than one request returns: ${count}`;

test.each<[string, Answer, IDataObject[] | string, number]>([
	['are followed by their time', chat(messages(450)), messages(450), 5],
	[
		'of a chat that gets shorter are read once',
		chat(messages(450), undefined, (call) => 451 - call),
		messages(450),
		5,
	],
	['that do not fill a page, of one second', chat(messages(199, 200)), messages(199, 200), 2],
	['of which there is one', chat(messages(1)), messages(1), 2],
	['that share a second at the end of a page', chat(messages(300, 7)), messages(300, 7), 4],
	['of which one has null as its time', chat(withOdd(450, null)), withOdd(450, null), 5],
	['of which one has no time', chat(withOdd(450, undefined)), withOdd(450, undefined), 5],
	['on pages that hide their last', chat(messages(450), atMost(199)), messages(450), 5],
	[
		'on pages that hide their first, from the second on',
		chat(messages(450), (page, call) => page.slice(call > 1 ? 1 : 0)),
		messages(450),
		4,
	],
	['on pages of 100 at most', chat(messages(450), atMost(100)), messages(450), 7],
	['on pages of two at most', chat(messages(450), atMost(2)), messages(450), 451],
	[
		'on pages of any length',
		chat(messages(450), (page, call) => page.slice(0, [100, 7, 150, 2][call % 4])),
		messages(450),
		10,
	],
	['with those of the cursor itself', inclusive(messages(450)), messages(450), 5],
	['with those of the cursor itself, several of a second', inclusive(messages(450, 7)), messages(450, 7), 5],
	[
		'with those of the cursor itself, on pages that are cut off',
		inclusive(messages(250, 90), 100),
		repeated,
		3,
	],
	['of one second with those of the cursor itself', inclusive(messages(199, 200)), messages(199, 200), 2],
	['on short pages, with a total', chat(messages(90), atMost(40), () => 90), messages(90), 5],
	[
		'on short pages, with a total that they never reach',
		chat(messages(90), atMost(40), () => 91),
		'The list is incomplete: the service returned 90 of 91 records',
		5,
	],
	[
		'of which there are none although the total promises some',
		() => ({ data: [], pagination: { total: 5 } }),
		'The list is incomplete: the service returned 0 of 5 records',
		1,
	],
	[
		'on pages of one: behind it may be another one of its second',
		chat(messages(3), atMost(1)),
		tooMany(1),
		2,
	],
	['of which 150 are of one second, on pages of 100', chat(messages(151, 150), atMost(100)), tooMany(100), 2],
	['that are the same on every page, however old', same((call) => NEWEST + 1 - call), tooMany(200), 2],
	[
		'that repeat the time of the page before',
		(_, call) => ({
			data: records(200).map(({ id }) => ({ id: `${call}-${String(id)}`, timestamp: NEWEST })),
		}),
		repeated,
		2,
	],
	[
		'that are new on every page, at the same two times',
		(_, call) => ({
			data: records(200).map(({ id }) => ({
				id: `${call}-${String(id)}`,
				timestamp: NEWEST - (Number(id) % 2),
			})),
		}),
		repeated,
		2,
	],
	['without any time, on a short page', () => ({ data: records(3) }), records(3), 1],
])('the messages of a chat %s', async (_, answer, outcome, requests) => {
	const { found, asked } = await read(answer, 'cursor');

	expect(found).toEqual(expected(outcome));
	expect(asked).toHaveLength(requests);
	expect(asked.every(({ limit }) => limit === 200)).toBe(true);
	expect(asked[0]).not.toHaveProperty('before');
});

test.each([0, -1, 1e13, 'soon', undefined])(
	'a full page of messages from %j is an error, not a loop',
	async (timestamp) => {
		const { found, asked } = await read(
			same(() => timestamp),
			'cursor',
		);
		expect(found).toMatchObject({ code: 'unexpected_answer' });
		expect(asked).toHaveLength(1);
	},
);

test('a time that is not understood is an error on a short page, too', async () => {
	const { found } = await read(() => ({ data: [{ id: 1, timestamp: 'soon' }] }), 'cursor');
	expect(found).toMatchObject({ code: 'unexpected_answer' });
});

test('that one second has too many messages is no fault of the provider', async () => {
	expect((await read(chat(messages(3), atMost(1)), 'cursor')).found).toMatchObject({
		description: expect.not.stringContaining('provider') as string,
	});
});
