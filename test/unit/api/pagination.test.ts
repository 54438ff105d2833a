import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { hasNextPage } from '../../../nodes/MessagingChannel/api/pagination';
import { expected, read, records, type Answer, type Asked } from './answering';

const cut = (all: IDataObject[], { page, limit }: Asked, most = limit) =>
	all.slice((page - 1) * limit, (page - 1) * limit + Math.min(limit, most));

/** So many records, in the pages that are asked for; `pagination` is told with each. */
const listed =
	(count: number, pagination: object = {}, most?: number): Answer =>
	(asked) => ({ data: cut(records(count), asked, most), pagination });

/** As the service of the API spec: it tells its total and its page size, which has a maximum. */
const asInSpec =
	(count: number, most = Infinity): Answer =>
	({ page, limit }) => {
		const size = Math.min(limit, most);
		const data = cut(records(count), { page, limit: size });
		return { success: true, data, pagination: { page, limit: size, total: count } };
	};

/** Its records change meanwhile: with each request, one more of the first is gone, up to so many. */
const shrinking =
	(count: number, mostRemoved: number): Answer =>
	(asked, call) => {
		const left = records(count).slice(Math.min(mostRemoved, call - 1));
		return { data: cut(left, asked), pagination: { limit: asked.limit, total: left.length } };
	};

/** Pages with these records or ids, one after the other, and then empty ones. */
const inTurn =
	(pagination: object, ...pages: Array<Array<number | IDataObject>>): Answer =>
	(_, call) => ({
		data: (pages[call - 1] ?? []).map((one) => (typeof one === 'number' ? { id: one } : one)),
		pagination,
	});

const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const incomplete = (found: number, total: number) =>
	`The list is incomplete: the service returned ${found} of ${total} records`;
const repeated = 'The service keeps returning the same page of the list';

/** The pages in the order in which they were asked for, as `1 2 3 of 50`. */
const shown = (asked: Asked[]) =>
	asked.reduce((text, { page, limit }, index) => {
		const next = asked[index + 1]?.limit === limit ? '' : ` of ${limit}`;
		return `${text}${index > 0 && asked[index - 1]?.limit !== limit ? ',' : ''} ${page}${next}`.trim();
	}, '');

const hidden = [
	{ phone: '', name: 'Ada' },
	{ phone: '', name: 'Grace' },
];
const half = { limit: 50, total: 60 };

/** A list, what is found in it, and the pages that are read for that. */
const wholeLists: Array<[string, Answer, IDataObject[] | string, string]> = [
	['is read to its end, and no further', asInSpec(120), records(120), '1 2 3 of 50'],
	['within a page is looked at once more', asInSpec(3), records(3), '1 2 of 50'],
	['that ends with a full page is read to the empty one', asInSpec(100), records(100), '1 2 3 of 50'],
	['without a total ends with an empty page', listed(100), records(100), '1 2 3 of 50'],
	[
		'of which each total is its first page',
		listed(120, { limit: 50, total: 50 }),
		records(120),
		'1 2 3 4 of 50',
	],
	[
		'of which each total is its first two pages',
		listed(120, { limit: 50, total: 100 }),
		records(120),
		'1 2 3 4 of 50',
	],
	...[0, null, undefined, 'many', 20.5, -1, 1].map((total): [string, Answer, IDataObject[], string] => [
		`with the total ${total}, which says nothing, and short pages`,
		listed(95, { total }, 20),
		records(95),
		'1 of 50, 1 2 3 4 5 6 of 20',
	]),
	['that is the same short page each time', () => ({ data: records(3) }), records(3), '1 of 50, 1 2 of 3'],
	['that is null', () => ({ success: true, data: null }), [], '1 of 50'],
	['in smaller pages than asked for', asInSpec(45, 20), records(45), '1 2 3 of 50'],
	[
		'in smaller pages that it does not tell of',
		listed(45, { total: 45 }, 20),
		records(45),
		'1 of 50, 1 2 3 of 20',
	],
	[
		'has a record that moved to the next page once, in its newest form',
		inTurn({ total: 3 }, [1, { id: 2, name: 'old' }], [{ id: 2, name: 'new' }, 3]),
		[{ id: 1 }, { id: 2, name: 'new' }, { id: 3 }],
		'1 of 50, 1 of 2',
	],
	['that ends before its total', listed(2, { total: 9 }), incomplete(2, 9), '1 of 50, 1 2 1 2 of 2'],
	[
		'of pages of different lengths',
		({ page }) => ({
			data: records(60).slice([0, 20, 25, 45, 48][page - 1] ?? 60, [20, 25, 45, 48][page - 1]),
			pagination: { limit: 50, total: 60 },
		}),
		records(60),
		'1 of 50, 1 2 3 4 5 of 20',
	],
	[
		'whose last page comes for every later one',
		({ page, limit }) => ({
			data: cut(records(60), { page: Math.min(page, 2), limit }),
			pagination: { limit: 50, total: 90 },
		}),
		incomplete(60, 90),
		'1 2 1 2 3 1 2 3 of 50',
	],
	[
		'whose second page moves on while it is read again',
		inTurn({ limit: 3, total: 6 }, [1, 2, 3], [3], [1, 2, 3], [3, 1, 2], [4, 5, 6]),
		[1, 2, 3, 4, 5, 6].map((id) => ({ id })),
		'1 2 of 50, 1 2 3 of 3',
	],
	[
		'that shrank is not read past its empty page',
		inTurn({ limit: 3, total: 12 }, [1, 2, 3], [4, 5, 6], [7, 8, 9], [], [1, 2, 3], [], [1, 2, 3], []),
		incomplete(9, 12),
		'1 2 3 4 of 50, 1 2 1 2 of 3',
	],
	[
		'that repeats a full page',
		() => ({ data: records(50), pagination: { total: 500 } }),
		repeated,
		'1 2 of 50',
	],
	['whose total is a text', listed(3, { limit: '50', total: '3' }), records(3), '1 2 of 50'],
	...[{ limit: '2', total: 'many' }, { limit: 0, total: '70.0' }, { limit: -1 }].map(
		(pagination): [string, Answer, IDataObject[], string] => [
			`with the odd ${JSON.stringify(pagination)}`,
			listed(70, pagination),
			records(70),
			'1 2 3 of 50',
		],
	),
	[
		'that lost records while it was read, three times',
		({ page }) => ({ data: page === 1 ? records(50) : [{ id: 99 }], pagination: half }),
		incomplete(51, 60),
		'1 2 1 2 3 1 2 3 of 50',
	],
	[
		'that lacks the last record of its total each time',
		listed(120, { limit: 50, total: 121 }),
		incomplete(120, 121),
		'1 2 3 1 2 3 4 1 2 3 4 of 50',
	],
	[
		'that grew at its front while it was read',
		inTurn({ limit: 50, total: 120 }, ids(0, 50), ids(50, 60), ids(60, 110), ids(0, 50), [
			...ids(50, 60),
			...ids(110, 120),
		]),
		records(120),
		'1 2 1 2 3 of 50',
	],
	['of which a record is empty', () => ({ data: [{}, { id: 1 }] }), [{}, { id: 1 }], '1 of 50, 1 2 of 2'],
	[
		'of contacts, which their phone numbers tell apart',
		() => ({ data: [{ phone: '1' }, { phone: '1' }, { phone: '2' }] }),
		[{ phone: '1' }, { phone: '2' }],
		'1 of 50, 1 2 of 3',
	],
	[
		'of records without an ID, which all they have tells apart',
		() => ({ data: [{ a: 1 }, { a: 1 }, { a: 2 }] }),
		[{ a: 1 }, { a: 2 }],
		'1 of 50, 1 2 of 3',
	],
	[
		'of contacts whose numbers are hidden',
		() => ({ data: hidden, pagination: { limit: 50, total: 2 } }),
		hidden,
		'1 2 of 50',
	],
	[
		'whose total tells only what is left',
		(asked) => ({
			data: cut(records(120), asked),
			pagination: { limit: 50, total: 120 - (asked.page - 1) * 50 },
		}),
		records(120),
		'1 2 3 4 of 50',
	],
	[
		'that got shorter than what was found is read again',
		(asked, call) => {
			const left = records(51).slice(call > 1 ? 2 : 0);
			return { data: cut(left, asked), pagination: { limit: 50, total: left.length } };
		},
		records(51).slice(2),
		'1 2 1 2 of 50',
	],
	[
		'that shrinks each time',
		shrinking(120, Infinity),
		'The list changed each time it was read',
		'1 2 3 1 2 3 1 2 3 of 50',
	],
];

test.each(wholeLists)('a list in pages %s', async (_, answer, outcome, pages) => {
	const { found, asked } = await read(answer, 'page');

	expect(found).toEqual(expected(outcome));
	expect(shown(asked)).toBe(pages);
});

test.each<[string, Answer, number, IDataObject[], string]>([
	['within a page', asInSpec(3), 50, records(3), '1 of 50'],
	['of more than is wanted', asInSpec(120), 7, records(7), '1 of 7'],
	['in smaller pages than asked for', asInSpec(45, 20), 30, records(30), '1 2 of 30'],
	['that ends before its total', listed(2, { total: 9 }), 8, records(2), '1 of 8, 1 2 1 2 of 2'],
	['that shrinks once is read again', shrinking(120, 1), 80, records(120).slice(1, 81), '1 2 1 2 of 50'],
])('up to a limit, a list %s', async (_, answer, limit, outcome, pages) => {
	const { found, asked } = await read(answer, 'page', limit);

	expect(found).toEqual(outcome);
	expect(shown(asked)).toBe(pages);
});

test('up to a limit, a list that shrinks each time has as many records as it can', async () => {
	expect((await read(shrinking(120, Infinity), 'page', 80)).found).toHaveLength(80);
});

test('a list without pages is one call, cut to the limit, and one in pages keeps its filters', async () => {
	expect(await read(() => ({ success: true, data: records(5) }), 'none', 3)).toEqual({
		found: records(3),
		asked: [{ search: 'a' }],
	});
	expect((await read(asInSpec(3), 'page', 7)).asked).toEqual([{ search: 'a', page: 1, limit: 7 }]);
});

test('a list whose total is that of each page is read to its end although the pages lack records', async () => {
	const { found } = await read((asked) => {
		const data = cut(records(120), asked, 49);
		return { data, pagination: { limit: asked.limit, total: data.length } };
	}, 'page');

	expect(found).toHaveLength(120);
	expect(found).toEqual(expect.arrayContaining(records(120)));
});

test('a list that always has something new is an error in the end', async () => {
	const { found, asked } = await read(
		({ page }) => ({ data: [{ id: page }], pagination: { limit: 1 } }),
		'page',
	);

	expect(found).toEqual(expected('The list has no end: the node stopped reading after page 10000'));
	expect(asked).toHaveLength(10_000);
});

test.each([
	['nothing', { success: true }, 'nothing'],
	['its pages alone', { success: true, pagination: { page: 1, limit: 50, total: 0 } }, 'nothing'],
	['a text', { success: true, data: 'none' }, "a text like 'aaaa'"],
	['an empty record', { success: true, data: {} }, 'an object'],
])('a list of which the answer has %s is told, and no Base URL is blamed', async (_, answer, kind) => {
	for (const pagination of ['none', 'page', 'cursor'] as const) {
		const { found } = await read(() => answer, pagination);
		expect(found).toEqual(expected(`The service sends 'data' in a form that is not understood: ${kind}`));
	}
	expect((await read(() => ({ pagination: {} }), 'page')).found).toEqual(
		expected('The response is not in the format of the messaging service'),
	);
});

test.each<[string, Answer, string]>([
	['in a record', () => ({ data: { items: records(2) } }), 'an object'],
	['beside success', () => ({ items: records(2) }), 'nothing'],
	['in a record that is new with each page', ({ page }) => ({ data: { items: [], page } }), 'an object'],
])('a list with pages that is %s is told, and not followed', async (_, answer, kind) => {
	for (const pagination of ['page', 'cursor'] as const) {
		const { found, asked } = await read((...given) => ({ success: true, ...answer(...given) }), pagination);
		expect(found).toEqual(expected(`The service sends 'data' in a form that is not understood: ${kind}`));
		expect(asked).toHaveLength(1);
	}
});

test.each([
	['IDs that no number is exact enough for', { id: 2 ** 60 }, { id: 2 ** 60 }],
	['no IDs', {}, {}],
])('messages to one phone number with %s are told apart', async (_, one, other) => {
	const phone = '905551234567';
	const data = [
		{ ...one, phone, message: 'First' },
		{ ...other, phone, message: 'Second' },
	];
	const answer: Answer = ({ page }) => ({ success: true, data: page === 1 ? data : [] });
	expect((await read(answer, 'page', 50, '/messages/scheduled')).found).toEqual(data);
});

test.each<[object, number, number, boolean]>([
	[{ total: 120 }, 50, 100, true],
	[{ total: '120' }, 50, 100, true],
	[{ total: 120 }, 20, 120, false],
	[{ limit: 50, total: 45 }, 20, 20, true],
	[{ total: 120 }, 0, 50, false],
	...[null, 'many'].flatMap((total): Array<[object, number, number, boolean]> => [
		[{ total, limit: null }, 50, 100, true],
		[{ total, limit: '20' }, 20, 40, true],
		[{ total, limit: '50' }, 20, 120, false],
	]),
])(
	'a list with %j has a page after one of %d records, %d in all: %s',
	(pagination, count, found, expected) => {
		expect(hasNextPage({ pagination }, count, found)).toBe(expected);
	},
);

test('one record counts as a list, whatever else it has', async () => {
	const data = { id: 1, more: {} };
	expect((await read(() => ({ success: true, data }), 'none')).found).toEqual([data]);
});

test.each<[string, Answer]>([
	['Run again. If it happens again, report this to the provider of the service.', listed(2, { total: 9 })],
	['Report this to the provider of the service.', () => ({ data: records(50), pagination: { total: 500 } })],
])('what to do: %s', async (description, answer) => {
	expect((await read(answer, 'page')).found).toMatchObject({ description, httpStatus: null });
});

test('a list is whole, in order and without doubles, whatever the sizes', async () => {
	const sizes = [
		fc.nat({ max: 130 }),
		fc.integer({ min: 1, max: 60 }),
		fc.integer({ min: 1, max: 150 }),
	] as const;
	await fc.assert(
		fc.asyncProperty(...sizes, async (count, most, limit) => {
			expect((await read(asInSpec(count, most), 'page', limit)).found).toEqual(
				records(Math.min(count, limit)),
			);
		}),
	);
});
