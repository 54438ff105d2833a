import { withEagerExpressions } from '../support/n8n/environment';
import { operations } from '../support/operations';
import type { Case, OperationCases } from '../support/operations/case';
import {
	casesOf,
	expectedItems,
	expectedParts,
	partsOf,
	prepareService,
} from '../support/operations/expectations';
import { OPERATION, runOperation } from '../support/world/operationRun';
import { startWorld, type World } from '../support/world/world';

// The engine's tests run every case. Here are those in which n8n itself has most to do: with files and expressions.
const sample = operations.filter(({ resource }) => resource === 'message' || resource === 'media');

let world: World;

beforeAll(async () => {
	world = await startWorld({ env: withEagerExpressions });
});

afterAll(async () => await world?.stop());

afterEach(async () => expect(await world.service.control.defects()).toEqual([]));

describe.each(sample)('$resource: $operation', (operation) => {
	test.each(casesOf(operation))('%s', async (_, run) => await expectCase(operation, run));
});

test('the other items are done when one has a bad value', async () => {
	const send = { resource: 'message', operation: 'send' };
	await prepareService(world, {});
	const execution = await runOperation(
		world,
		send,
		{ to: '={{ $json.to }}', message: 'Hello' },
		{
			input: ['905551234567', '', '905551234568'].map((to) => ({ json: { to } })),
			onError: 'continueRegularOutput',
		},
	);
	expect(execution.error).toBeUndefined();
	const [first, failed, third] = execution.items(OPERATION);
	expect([first?.json.queued, third?.json.queued]).toEqual([true, true]);
	expect(failed).toMatchObject({ json: { error: "'To' is empty" }, pairedItem: { item: 1 } });
	expect((await world.service.control.requests()).map(({ accepted }) => accepted)).toEqual([true, true]);
});

/** Runs a case and expects its requests, each with the key once, and its items. */
async function expectCase(operation: OperationCases, run: Case): Promise<void> {
	const { service, n8n } = world;
	await prepareService(world, operation);
	const execution = await runOperation(world, operation, run.parameters, { input: run.input });
	expect(execution.error).toBeUndefined();

	const requests = await service.control.requests();
	expect(requests.map(partsOf)).toEqual(run.requests.map(expectedParts));
	for (const { rawHeaders } of requests) {
		const keys = rawHeaders.filter((_, index) => rawHeaders[index - 1]?.toLowerCase() === 'authorization');
		expect(keys).toEqual([`Bearer ${service.apiKey}`]);
	}

	const items = execution.items(OPERATION);
	expect(items.map(({ json, pairedItem }) => ({ json, pairedItem }))).toEqual(expectedItems(run.items));
	for (const [index, { binary = {} }] of run.items.entries()) {
		const files = items[index]?.binary ?? {};
		expect(Object.keys(files)).toEqual(Object.keys(binary));
		for (const [field, { fileName, mimeType, base64 }] of Object.entries(binary)) {
			const file = files[field];
			if (!file) throw new Error(`There is no file in ${field}`);
			expect(file).toMatchObject({ fileName, mimeType });
			expect((await n8n.api.download(file)).toString('base64')).toBe(base64);
		}
	}
}
