import type { INodeExecutionData } from 'n8n-workflow';

import type { Case, ExpectedItem, OperationCases } from '../support/operations/case';
import {
	expectedParts,
	matching,
	OPERATION,
	partsOf,
	prepareService,
	runOperation,
} from '../support/world/operationRun';
import type { World } from '../support/world/world';

/** Runs a case and expects its requests, each with the key, and its items. */
export async function expectCase(world: World, operation: OperationCases, run: Case): Promise<void> {
	await prepareService(world, operation);
	const execution = await runOperation(world, operation, run.parameters, { input: run.input });
	expect(execution.error).toBeUndefined();
	await expectRequests(world, run.requests);
	await expectItems(world, execution.items(OPERATION), run.items);
}

/** Expects that the service received these requests and no others, each with the account's key, given once. */
export async function expectRequests({ service }: World, expected: Case['requests']): Promise<void> {
	const requests = await service.control.requests();
	expect(requests.map(partsOf)).toEqual(expected.map(expectedParts));
	for (const { rawHeaders } of requests) {
		const keys = rawHeaders.filter((_, index) => rawHeaders[index - 1]?.toLowerCase() === 'authorization');
		expect(keys).toEqual([`Bearer ${service.apiKey}`]);
	}
}

async function expectItems(
	{ n8n }: World,
	items: INodeExecutionData[],
	expected: readonly ExpectedItem[],
): Promise<void> {
	expect(items.map(({ json, pairedItem }) => ({ json, pairedItem }))).toEqual(
		expected.map(({ json, from = 0 }) => ({ json: matching(json), pairedItem: pairedWith(from) })),
	);
	for (const [index, { binary = {} }] of expected.entries()) {
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

const pairedWith = (from: NonNullable<ExpectedItem['from']>) =>
	typeof from === 'number' ? { item: from } : from.map((item) => ({ item }));
