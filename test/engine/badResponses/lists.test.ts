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
});
