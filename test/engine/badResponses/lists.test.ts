import type { IDataObject } from 'n8n-workflow';

import { virtualClock } from '../../support/engine/clock';
import { run } from '../../support/engine/run';
import { sampleOperations, type SampleOperation } from './sampleOperations';
import { startStubServer, type StubServer, type ReceivedRequest } from '../../support/engine/stubServer';

let server: StubServer;

beforeAll(async () => {
	server = await startStubServer();
});
afterAll(async () => {
	await server.stop();
});

const lists = sampleOperations.filter(({ list }) => list);
const paged = lists.filter(({ operation }) => operation.pagination === 'page');
const [chat] = lists.filter(({ operation }) => operation.pagination === 'cursor');
if (!chat) throw new Error('No list has a cursor.');

let runs = 0;

/** Everything of a list, from a service that responds as told. */
async function everything(
	sample: SampleOperation,
	respondTo: (request: ReceivedRequest, number: number) => unknown,
) {
	let number = 0;
	const { baseUrl, received } = server.stub((response, _, request) => {
		response.writeHead(200, { 'content-type': 'application/json' });
		response.end(JSON.stringify({ success: true, ...(respondTo(request, ++number) as object) }));
	});
	const { output, error } = await run({ baseUrl, apiKey: `lists-${++runs}` }, virtualClock(), {
		...sample.run,
		parameters: { ...sample.run.parameters, returnAll: true },
	});
	return { records: output.map(({ json }) => json), error, requests: received.length };
}

const numbered = (count: number, from = 0): IDataObject[] =>
	Array.from({ length: count }, (_, index) => ({
		id: `r${from + index}`,
		timestamp: 2_000_000_000 - from - index,
	}));

const samePage = 'The service keeps returning the same page of the list';

test.each(lists.map((sample) => [sample.name, sample] as const))(
	'%s takes 100,000 records at once',
	async (_, sample) => {
		const all = numbered(100_000);
		const { records, error } = await everything(sample, ({ query }, number) =>
			number === 1 || query.before ? { data: number === 1 ? all : all.slice(-1) } : { data: [] },
		);

		expect(error).toBeUndefined();
		expect(records).toHaveLength(100_000);
	},
);

describe.each(paged.map((sample) => [sample.name, sample] as const))('%s', (_, sample) => {
	const pageOf = (all: IDataObject[], { query }: ReceivedRequest) =>
		all.slice((Number(query.page) - 1) * 50, Number(query.page) * 50);

	test('is not read on when every page is the same', async () => {
		const { error, requests } = await everything(sample, () => ({
			data: numbered(50),
			pagination: { total: 500 },
		}));

		expect(error?.message).toBe(samePage);
		expect(error?.description).toBe(
			"Turn off 'Return All', set a 'Limit', and report this to the provider of the service.",
		);
		expect(requests).toBe(2);
	});

	test('is not read on when every page is the same from the second pass on', async () => {
		const { error, requests } = await everything(sample, ({ query }, number) => ({
			data: number < 3 ? pageOf(numbered(70), { query } as ReceivedRequest) : numbered(50),
			pagination: { total: 500 },
		}));

		expect(error?.message).toBe(samePage);
		expect(requests).toBe(5);
	});

	test.each([
		['a total below what there is', { total: 1 }],
		['a total of none', { total: 0 }],
		['a total below none', { total: -1 }],
		['a total in words', { total: 'many' }],
		['pages of none', { limit: 0 }],
		['pages of less than none', { limit: -5, page: -1 }],
		['pages longer than they are', { limit: 1e308, page: 1e308 }],
		['nothing', null],
		['text', 'page 1 of 2'],
		['a list', [1, 50, 70]],
	])('is read whole when its pagination tells %s', async (__, pagination) => {
		const all = numbered(70);

		const { records, error } = await everything(sample, (request) => ({
			data: pageOf(all, request),
			pagination,
		}));

		expect(error).toBeUndefined();
		expect(records).toEqual(all);
	});

	test('may be empty when its pagination tells pages of none', async () => {
		const { records, error, requests } = await everything(sample, () => ({
			data: [],
			pagination: { limit: 0 },
		}));

		expect(error).toBeUndefined();
		expect(records).toEqual([]);
		expect(requests).toBe(1);
	});

	test('is incomplete when it is empty and its pagination tells more', async () => {
		const { error, requests } = await everything(sample, () => ({ data: [], pagination: { total: 9 } }));

		expect(error?.message).toBe('The list is incomplete: the service returned 0 of 9 records');
		expect(requests).toBe(3);
	});
});

describe('the messages of a chat', () => {
	const fresh = (number: number, timestamp: unknown) =>
		numbered(200, number * 200).map((record) => ({ ...record, timestamp }));

	test.each([
		['the same', () => numbered(200)],
		['new ones of one time', (number: number) => fresh(number, 1_700_000_000)],
		['new ones that get later', (number: number) => fresh(number, 1_700_000_000 + number)],
	])('are not read on when they are always %s', async (_, data) => {
		const { error, requests } = await everything(chat, (__, number) => ({ data: data(number) }));

		expect(error?.message).toBe(samePage);
		expect(requests).toBeLessThanOrEqual(2);
	});

	test.each([
		['without a time', (number: number) => fresh(number, undefined)],
		['with a time beyond all dates', (number: number) => fresh(number, 1e300)],
		['with a time before all', (number: number) => fresh(number, -number)],
		['with a time in words', (number: number) => fresh(number, 'yesterday')],
		['that are bare values', () => Array.from({ length: 200 }, (_, index) => index)],
	])('are not read on when they are always new ones %s', async (_, data) => {
		const { error, requests } = await everything(chat, (__, number) => ({ data: data(number) }));

		expect(error?.message).toContain("'message.timestamp' in a form that is not understood");
		expect(requests).toBe(1);
	});

	test('are not read on when a page is full of those of one second, which nobody is to blame for', async () => {
		const { error, requests } = await everything(chat, (_, number) => ({
			data: number === 1 ? fresh(0, 1_700_000_000) : fresh(1, 1_699_999_999),
		}));

		expect(error?.message).toBe(
			'The chat has more messages in one second, 2023-11-14T22:13:20.000Z, than one request returns: 200',
		);
		expect(error?.description).toContain("set 'Before' to that time");
		expect(error?.description).not.toContain('provider');
		expect(requests).toBe(2);
	});
});
