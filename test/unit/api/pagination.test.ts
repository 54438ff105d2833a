import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../../../nodes/MessagingChannel/api/apiRequest';
import type { Client } from '../../../nodes/MessagingChannel/api/client';
import type { ResponseBody } from '../../../nodes/MessagingChannel/api/records';
import { listRecords, type Pagination } from '../../../nodes/MessagingChannel/api/pagination';

const request: ApiRequest = {
	endpoint: { method: 'GET', path: '/contacts', permission: 'chats:read' },
	parameters: { search: 'a' },
};

/** A client that answers by what it is asked for, and keeps that. */
function answering(answerTo: (parameters: Record<string, unknown>) => ResponseBody) {
	const asked: Array<Record<string, unknown>> = [];
	const client: Client = {
		call: async ({ parameters = {} }) => {
			asked.push(parameters);
			if (asked.length > 10_001) throw new Error('It reads on and on.');
			return await Promise.resolve(answerTo(parameters));
		},
		download: async () => await Promise.reject(new Error('Not for lists.')),
	};
	return { client, asked };
}

const records = (count: number): IDataObject[] => Array.from({ length: count }, (_, id) => ({ id }));

/** The page of a list as the service cuts it, never more than `most` records. */
const pageOf = (all: IDataObject[], most = Infinity, withTotal = true) =>
	answering(({ page, limit }) => {
		const size = Math.min(Number(limit), most);
		const data = all.slice((Number(page) - 1) * size, Number(page) * size);
		return {
			success: true,
			data,
			...(withTotal ? { pagination: { page, limit: size, total: all.length } } : {}),
		};
	});

const list = async ({ client }: { client: Client }, pagination: Pagination, limit = Infinity) =>
	await listRecords(client, request, pagination, limit);

describe('a list without pages', () => {
	test('is one call, cut to the limit', async () => {
		const service = answering(() => ({ success: true, data: records(5) }));
		expect(await list(service, 'none', 3)).toEqual(records(3));
		expect(service.asked).toEqual([{ search: 'a' }]);
	});
});

describe('a list in pages', () => {
	test('is followed to its end, and no further', async () => {
		const service = pageOf(records(120));
		expect(await list(service, 'page')).toEqual(records(120));
		expect(service.asked).toEqual([1, 2, 3].map((page) => ({ search: 'a', page, limit: 50 })));
	});

	test.each([50, 100])(
		'whose total %i is as small as its first full pages is followed to its end',
		async (total) => {
			const all = records(120);
			const service = answering(({ page }) => ({
				data: all.slice((Number(page) - 1) * 50, Number(page) * 50),
				pagination: { page, limit: 50, total },
			}));
			expect(await list(service, 'page')).toEqual(all);
		},
	);

	test('whose total is that of each page is followed to its end although the pages lack records', async () => {
		const all = records(120);
		const service = answering(({ page, limit }) => {
			const start = (Number(page) - 1) * Number(limit);
			const data = all.slice(start, start + Math.min(Number(limit), 49));
			return { data, pagination: { page, limit, total: data.length } };
		});
		const found = await list(service, 'page');
		expect(found).toHaveLength(all.length);
		expect(found).toEqual(expect.arrayContaining(all));
	});

	test('within a page is looked at once more if all of it is wanted, and once up to a limit', async () => {
		const [all, some] = [pageOf(records(3)), pageOf(records(3))];
		expect(await list(all, 'page')).toEqual(records(3));
		expect(all.asked.map(({ page }) => page)).toEqual([1, 2]);
		expect(await list(some, 'page', 50)).toEqual(records(3));
		expect(some.asked).toHaveLength(1);
	});

	test('that ends with a full page is followed to the empty one, whose total is then believed', async () => {
		const service = pageOf(records(100));
		expect(await list(service, 'page')).toEqual(records(100));
		expect(service.asked).toHaveLength(3);
	});

	test.each([0, null, undefined, 'many', 20.5, -1, 1])(
		'with the total %j, which says nothing, is followed past its short pages, and their gaps are filled',
		async (total) => {
			const all = records(95);
			const service = answering(({ page, limit }) => {
				const start = (Number(page) - 1) * Number(limit);
				return {
					data: all.slice(start, start + Math.min(Number(limit), 20)),
					pagination: { page, limit, total },
				};
			});
			expect(await list(service, 'page')).toEqual(all);
			expect(service.asked.map(({ page, limit }) => [page, limit])).toEqual([
				[1, 50],
				...[1, 2, 3, 4, 5, 6].map((page) => [page, 20]),
			]);
		},
	);

	test('that has no total, and every page of which is the same short one, ends', async () => {
		const service = answering(() => ({ data: records(3) }));
		expect(await list(service, 'page')).toEqual(records(3));
		expect(service.asked.map(({ page, limit }) => [page, limit])).toEqual([
			[1, 50],
			[1, 3],
			[2, 3],
		]);
	});

	test('that is null has no records', async () => {
		expect(
			await list(
				answering(() => ({ success: true, data: null })),
				'page',
			),
		).toEqual([]);
	});

	test('asks for no more than is wanted', async () => {
		const service = pageOf(records(120));
		expect(await list(service, 'page', 7)).toEqual(records(7));
		expect(service.asked).toEqual([{ search: 'a', page: 1, limit: 7 }]);
	});

	test('of a service that gives smaller pages than asked for is whole', async () => {
		const service = pageOf(records(45), 20);
		expect(await list(service, 'page')).toEqual(records(45));
		expect(service.asked.map(({ limit }) => limit)).toEqual([50, 50, 50]);
		expect(await list(pageOf(records(45), 20), 'page', 30)).toEqual(records(30));
	});

	test('of a service that does not say that its pages are smaller is read in such pages', async () => {
		const all = records(45);
		const service = answering(({ page, limit }) => {
			const start = (Number(page) - 1) * Number(limit);
			return { data: all.slice(start, start + Math.min(Number(limit), 20)), pagination: { total: 45 } };
		});
		expect(await list(service, 'page')).toEqual(all);
		expect(service.asked.map(({ limit }) => limit)).toEqual([50, 20, 20, 20]);
	});

	test('without a total and with a full last page ends with an empty one', async () => {
		expect(await list(pageOf(records(100), Infinity, false), 'page')).toEqual(records(100));
	});

	test('has a record that moved from one page to the next only once, in its newest form', async () => {
		const pages: ResponseBody[] = [
			{ data: [{ id: 1 }, { id: 2, name: 'old' }], pagination: { total: 3 } },
			{ data: [{ id: 2, name: 'new' }, { id: 3 }], pagination: { total: 3 } },
		];
		const service = answering(() => pages.shift() ?? {});
		expect(await list(service, 'page')).toEqual([{ id: 1 }, { id: 2, name: 'new' }, { id: 3 }]);
	});

	test('that ends with an empty page although the total promises more is incomplete', async () => {
		const service = answering(({ page }) => ({
			data: page === 1 ? records(2) : [],
			pagination: { total: 9 },
		}));
		await expect(list(service, 'page')).rejects.toMatchObject({
			message: 'The list is incomplete: the service returned 2 of 9 records',
			code: 'unexpected_answer',
			httpStatus: null,
		});
		expect(await list(service, 'page', 8)).toEqual(records(2));
	});

	test('of pages of different lengths is followed past the short ones when the total tells more', async () => {
		const all = records(60);
		const starts = [0, 20, 25, 45, 48, 60];
		const service = answering(({ page, limit }) => ({
			data: all.slice(starts[Number(page) - 1], starts[Number(page)]),
			pagination: { limit, total: 60 },
		}));
		expect(await list(service, 'page')).toEqual(all);
		expect(service.asked.map(({ page }) => page)).toEqual([1, 1, 2, 3, 4, 5]);
	});

	test('whose last page is given for every later one is incomplete, not a loop', async () => {
		const all = records(60);
		const service = answering(({ page }) => ({
			data: page === 1 ? all.slice(0, 50) : all.slice(50),
			pagination: { limit: 50, total: 90 },
		}));
		await expect(list(service, 'page')).rejects.toThrow('the service returned 60 of 90 records');
		expect(service.asked.map(({ page }) => page)).toEqual([1, 2, 1, 2, 3, 1, 2, 3]);
	});

	/** A service whose list changes while it is read: these pages, one after the other, and then empty ones. */
	const changing = (total: number, ...pages: number[][]) =>
		answering(() => ({
			data: (pages.shift() ?? []).map((id) => ({ id })),
			pagination: { limit: 3, total },
		}));

	test('whose second page moved on while it was read again is read on', async () => {
		const service = changing(6, [1, 2, 3], [3], [1, 2, 3], [3, 1, 2], [4, 5, 6]);
		expect(await list(service, 'page')).toHaveLength(6);
	});

	test('that shrank is not read past its empty page', async () => {
		const service = changing(12, [1, 2, 3], [4, 5, 6], [7, 8, 9], [], [1, 2, 3], [], [1, 2, 3], []);
		await expect(list(service, 'page')).rejects.toThrow('the service returned 9 of 12 records');
		expect(service.asked.map(({ page }) => page)).toEqual([1, 2, 3, 4, 1, 2, 1, 2]);
	});

	test('that gives the same page again and again is an error, not a loop', async () => {
		const service = answering(() => ({ data: records(50), pagination: { total: 500 } }));
		await expect(list(service, 'page')).rejects.toThrow(/keeps returning the same page of the list/);
		expect(service.asked).toHaveLength(2);
	});

	test('that always has something new is an error in the end', async () => {
		const service = answering(({ page }) => ({ data: [{ id: page, n: 1 }], pagination: { limit: 1 } }));
		await expect(list(service, 'page')).rejects.toThrow(
			/has no end: the node stopped reading after page 10000/,
		);
		expect(service.asked).toHaveLength(10_000);
	});

	test.each([
		['no list', { success: true }],
		['only its pages', { success: true, pagination: { page: 1, limit: 50, total: 0 } }],
		['a text', { success: true, data: 'none' }],
	])('of which the answer has %s is an error', async (_, answer) => {
		for (const paging of ['none', 'page', 'cursor'] as const) {
			await expect(
				list(
					answering(() => answer),
					paging,
				),
			).rejects.toMatchObject({ code: 'unexpected_answer' });
		}
	});

	test('whose total is a text is known to be whole, or incomplete', async () => {
		const whole = answering(() => ({ data: records(3), pagination: { limit: '50', total: '3' } }));
		expect(await list(whole, 'page')).toEqual(records(3));
		expect(whole.asked).toHaveLength(2);
		const part = answering(({ page }) => ({
			data: page === 1 ? records(3) : [],
			pagination: { limit: '50', total: '4' },
		}));
		await expect(list(part, 'page')).rejects.toThrow('returned 3 of 4 records');
	});

	test('whose pages tell odd lengths and totals is followed all the same', async () => {
		const all = records(70);
		for (const pagination of [{ limit: '2', total: 'many' }, { limit: 0, total: '70.0' }, { limit: -1 }]) {
			const service = answering(({ page }) => ({
				data: all.slice((Number(page) - 1) * 50, Number(page) * 50),
				pagination,
			}));
			expect(await list(service, 'page')).toEqual(all);
			expect(service.asked).toHaveLength(3);
		}
	});

	test('that lost records while it was read is read again, three times at most, past its short page', async () => {
		const service = answering(({ page }) => ({
			data: page === 1 ? records(50) : [{ id: 99 }],
			pagination: { limit: 50, total: 60 },
		}));
		await expect(list(service, 'page')).rejects.toMatchObject({
			message: 'The list is incomplete: the service returned 51 of 60 records',
			description: 'Run again. If it happens again, report this to the provider of the service.',
		});
		expect(service.asked.map(({ page }) => page)).toEqual([1, 2, 1, 2, 3, 1, 2, 3]);
	});

	test('of which some pages show nothing new when they are read again is read on', async () => {
		const all = records(120);
		const service = answering(({ page }) => ({
			data: all.slice((Number(page) - 1) * 50, Number(page) * 50),
			pagination: { limit: 50, total: 121 },
		}));
		await expect(list(service, 'page')).rejects.toThrow('the service returned 120 of 121 records');
		expect(service.asked.map(({ page }) => page)).toEqual([1, 2, 3, 1, 2, 3, 4, 1, 2, 3, 4]);
	});

	test('that grew at its front is read on when its last page is full of known records', async () => {
		const [known, come] = [records(60), records(120).slice(60)];
		const pages = [known.slice(0, 50), known.slice(50), come.slice(0, 50), known.slice(0, 50)];
		const last = [...known.slice(50), ...come.slice(50)];
		const service = answering(() => ({
			data: pages.shift() ?? last,
			pagination: { limit: 50, total: 120 },
		}));
		expect(await list(service, 'page')).toHaveLength(120);
		expect(service.asked.map(({ page }) => page)).toEqual([1, 2, 1, 2, 3]);
	});

	test('of which a record is empty is fine, but no list that is one', async () => {
		expect(
			await list(
				answering(() => ({ data: [{}, { id: 1 }] })),
				'page',
			),
		).toEqual([{}, { id: 1 }]);
		for (const data of [{}, { id: 1, more: {} }]) {
			const outcome = list(
				answering(() => ({ success: true, data })),
				'none',
			).catch(({ code }) => code as string);
			expect(await outcome).toEqual('id' in data ? [data] : 'unexpected_answer');
		}
	});

	test('knows contacts by their phone number, and others by all they have', async () => {
		const contacts = answering(() => ({ data: [{ phone: '1' }, { phone: '1' }, { phone: '2' }] }));
		expect(await list(contacts, 'page')).toEqual([{ phone: '1' }, { phone: '2' }]);
		const others = answering(() => ({ data: [{ a: 1 }, { a: 1 }, { a: 2 }] }));
		expect(await list(others, 'page')).toEqual([{ a: 1 }, { a: 2 }]);
	});

	test('whose total tells only what is left is read once', async () => {
		const all = records(120);
		const service = answering(({ page }) => {
			const start = (Number(page) - 1) * 50;
			return { data: all.slice(start, start + 50), pagination: { limit: 50, total: all.length - start } };
		});
		expect(await list(service, 'page')).toEqual(all);
		expect(service.asked).toHaveLength(4);
	});

	test('that got shorter than what was found is read again', async () => {
		const service = answering(({ page }) => {
			const left = service.asked.length > 1 ? records(51).slice(2) : records(51);
			const start = (Number(page) - 1) * 50;
			return { data: left.slice(start, start + 50), pagination: { limit: 50, total: left.length } };
		});
		expect(await list(service, 'page')).toEqual(records(51).slice(2));
	});

	describe('that gets shorter before the limit is reached', () => {
		const shrinking = (mostRemoved: number) => {
			const service = answering(({ page, limit }) => {
				const left = records(120).slice(Math.min(mostRemoved, service.asked.length - 1));
				const start = (Number(page) - 1) * Number(limit);
				return {
					data: left.slice(start, start + Number(limit)),
					pagination: { limit: Number(limit), total: left.length },
				};
			});
			return service;
		};

		test('is read again, so that no record is skipped', async () => {
			expect(await list(shrinking(1), 'page', 80)).toEqual(records(120).slice(1, 81));
		});

		test('each time it is read, has as many records as it can', async () => {
			expect(await list(shrinking(Infinity), 'page', 80)).toHaveLength(80);
		});

		test('each time it is read, is an error after three times if all are wanted', async () => {
			const service = shrinking(Infinity);
			await expect(list(service, 'page')).rejects.toMatchObject({
				message: 'The list changed each time it was read',
				description: 'Run again. If it happens again, report this to the provider of the service.',
			});
			expect(service.asked.filter(({ page }) => page === 1)).toHaveLength(3);
		});
	});

	test('has each contact whose number the channel hides', async () => {
		const hidden = [
			{ phone: '', name: 'Ada' },
			{ phone: '', name: 'Grace' },
		];
		const service = answering(() => ({ data: hidden, pagination: { page: 1, limit: 50, total: 2 } }));
		expect(await list(service, 'page')).toEqual(hidden);
	});

	test('is whole, in order and without doubles, whatever the sizes', async () => {
		const counts = fc.nat({ max: 130 });
		await fc.assert(
			fc.asyncProperty(
				counts,
				fc.integer({ min: 1, max: 60 }),
				fc.integer({ min: 1, max: 150 }),
				async (all, most, limit) => {
					expect(await list(pageOf(records(all), most), 'page', limit)).toEqual(
						records(Math.min(all, limit)),
					);
				},
			),
		);
	});
});

describe('the messages of a chat', () => {
	/** Newest first, with the cursor as the spec has it: only messages older than it, in whole seconds. */
	const chatOf = (messages: IDataObject[], nextTotal?: () => number) =>
		answering(({ before, limit }) => ({
			success: true,
			...(nextTotal && { pagination: { total: nextTotal() } }),
			data: messages
				.filter(
					({ timestamp }) => before === undefined || Number(timestamp) * 1000 < Date.parse(String(before)),
				)
				.slice(0, Number(limit)),
		}));
	const messagesAt = (timestamps: number[]): IDataObject[] =>
		timestamps.map((timestamp, index) => ({ id: `message-${index}`, timestamp }));

	test('are followed by their time', async () => {
		const messages = messagesAt(Array.from({ length: 450 }, (_, index) => 1_700_000_000 - index));
		const service = chatOf(messages);
		expect(await list(service, 'cursor')).toEqual(messages);
		// The last page that is not empty has the oldest message alone, and nothing is before its second.
		expect(service.asked.map(({ limit }) => limit)).toEqual(Array(5).fill(200));
		expect(service.asked[0]).not.toHaveProperty('before');
	});

	test('of a chat that gets shorter are read once, as no page hides a message then', async () => {
		const messages = messagesAt(Array.from({ length: 450 }, (_, index) => 1_700_000_000 - index));
		let total = messages.length;
		const service = chatOf(messages, () => total--);
		expect(await list(service, 'cursor')).toEqual(messages);
		expect(service.asked).toHaveLength(5);
	});

	test('of which there are none although the total promises some are incomplete', async () => {
		const service = answering(() => ({ data: [], pagination: { total: 5 } }));
		await expect(list(service, 'cursor')).rejects.toThrow('the service returned 0 of 5 records');
	});

	test('of which one has no time are followed by those of the others', async () => {
		const messages = messagesAt(Array.from({ length: 450 }, (_, index) => 1_700_000_000 - index));
		for (const timestamp of [null, undefined]) {
			messages[100] = { id: 'notice', timestamp };
			expect(await list(chatOf(messages), 'cursor')).toHaveLength(450);
		}
	});

	/** The pages of a chat, each changed by the service before it returns it. */
	const changed = (
		messages: IDataObject[],
		change: (page: IDataObject[], number: number) => IDataObject[],
	) => {
		const { client, asked } = chatOf(messages);
		const call: Client['call'] = async (asks) => {
			const body = await client.call(asks);
			return { ...body, data: change(body.data as IDataObject[], asked.length) };
		};
		return { client: { ...client, call }, asked };
	};
	const secondsOf = (count: number, perSecond = 1) =>
		messagesAt(Array.from({ length: count }, (_, index) => 1_700_000_000 - Math.floor(index / perSecond)));

	test.each<[string, (page: IDataObject[], number: number) => IDataObject[]]>([
		['hides its last message', (page) => page.slice(0, 199)],
		[
			'hides its first message from the second page on',
			(page, number) => page.slice(number > 1 ? 1 : 0, 200),
		],
		['has 100 at most', (page) => page.slice(0, 100)],
		['has two at most', (page) => page.slice(0, 2)],
		['has as many as it likes', (page, number) => page.slice(0, [100, 7, 150, 2][number % 4])],
	])('are whole although each page %s', async (_, change) => {
		const messages = secondsOf(450);
		expect(await list(changed(messages, change), 'cursor')).toEqual(messages);
	});

	test('of which a page has one at most cannot be read: another one of its second may be hidden behind it', async () => {
		const service = changed(secondsOf(3), (page) => page.slice(0, 1));
		await expect(list(service, 'cursor')).rejects.toMatchObject({
			message:
				'The chat has more messages in one second, 2023-11-14T22:13:20.000Z, than one request returns: 1',
			description: expect.not.stringContaining('provider') as string,
		});
		expect(service.asked).toHaveLength(2);
	});

	test('of one second that do not fill a page are all there', async () => {
		for (const count of [1, 199])
			expect(await list(chatOf(secondsOf(count, 200)), 'cursor')).toHaveLength(count);
	});

	test('of which more are of one second than a capped page has are an error, not a part', async () => {
		const messages = messagesAt([...Array<number>(150).fill(1_700_000_000), 1_699_999_999]);
		const service = changed(messages, (page) => page.slice(0, 100));
		await expect(list(service, 'cursor')).rejects.toThrow(/more messages in one second, .*: 100$/);
	});

	test('that are the same on every page, however old, are an error, not a loop', async () => {
		let timestamp = 1_700_000_000;
		const service = answering(() => {
			timestamp--;
			return { data: records(200).map((record) => ({ ...record, timestamp })) };
		});
		await expect(list(service, 'cursor')).rejects.toMatchObject({ code: 'unexpected_answer' });
		expect(service.asked).toHaveLength(2);
	});

	test('that share a second at the end of a page are all there', async () => {
		const timestamps = Array.from({ length: 300 }, (_, index) => 1_700_000_000 - Math.floor(index / 7));
		expect(await list(chatOf(messagesAt(timestamps)), 'cursor')).toHaveLength(300);
	});

	test.each([0, -1, 1e13, 'soon'])('that are from %j are an error, not a loop', async (timestamp) => {
		const service = answering(() => ({ data: records(200).map((record) => ({ ...record, timestamp })) }));
		await expect(list(service, 'cursor')).rejects.toMatchObject({ code: 'unexpected_answer' });
		expect(service.asked).toHaveLength(1);
	});

	test('of which a page repeats the time of the last are an error at once', async () => {
		let page = 0;
		const service = answering(() => {
			page++;
			return {
				data: records(200).map(({ id }) => ({ id: `${page}-${String(id)}`, timestamp: 1_700_000_000 })),
			};
		});
		await expect(list(service, 'cursor')).rejects.toMatchObject({ code: 'unexpected_answer' });
		expect(service.asked).toHaveLength(2);
	});

	test('of which a page is short although the total tells more are followed', async () => {
		const messages = messagesAt(Array.from({ length: 90 }, (_, index) => 1_700_000_000 - index));
		const chat = (total: number) =>
			answering(({ before }) => ({
				data: messages
					.filter(({ timestamp }) => Number(timestamp) * 1000 < Date.parse(String(before ?? '2030-01-01')))
					.slice(0, 40),
				pagination: { total },
			}));
		expect(await list(chat(90), 'cursor')).toEqual(messages);
		await expect(list(chat(91), 'cursor')).rejects.toThrow('the service returned 90 of 91 records');
	});

	test('without any time are all there if their page is short, as there is nothing to read on by', async () => {
		for (const timestamp of [undefined, null]) {
			const data = records(3).map((record) => ({ ...record, timestamp }));
			expect(
				await list(
					answering(() => ({ data })),
					'cursor',
				),
			).toEqual(data);
		}
		await expect(
			list(
				answering(() => ({ data: [{ id: 1, timestamp: 'soon' }] })),
				'cursor',
			),
		).rejects.toMatchObject({ code: 'unexpected_answer' });
	});
});
