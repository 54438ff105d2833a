import set from 'lodash/fp/set';
import get from 'lodash/get';
import type { INodeParameters } from 'n8n-workflow';

import { caseRun } from '../support/engine/caseRun';
import { CONTINUES, useEngine } from '../support/engine/engine';
import { operations } from '../support/operations';
import type { BadInput, Case, OperationCases } from '../support/operations/case';
import { contactPages } from '../support/operations/contact';
import {
	casesOf,
	expectedItems,
	expectedParts,
	partsOf,
	seedService,
} from '../support/operations/expectations';

const engine = useEngine();

/** A seed whose first three draws are above, below and above one half. */
const PASS_HIT_PASS = 1;

const withValue = ({ minimal }: OperationCases, { at, with: more }: BadInput, value: unknown) =>
	set(at, value, { ...minimal.parameters, ...more }) as INodeParameters;

/** Runs a case, and compares its requests and its items. */
const expectCase = async (operation: OperationCases, { requests, items, ...given }: Case) => {
	const { output, error } = await engine.run(caseRun(operation, given));

	expect(error).toBeUndefined();
	expect((await engine.requests()).map(partsOf)).toEqual(requests.map(expectedParts));
	expect(output.map(({ json, pairedItem }) => ({ json, pairedItem }))).toEqual(expectedItems(items));
	expect(output.map(({ binary }) => binary)).toEqual(items.map(({ binary }) => binary && files(binary)));
};

describe.each(operations)('$resource: $operation', (operation) => {
	const { minimal, bad, again, isOnce } = operation;
	const [input = {}] = minimal.input ?? [];

	beforeEach(async () => await seedService(engine.service, operation));

	test.each(casesOf(operation))('%s', async (_, one) => await expectCase(operation, one));

	if (bad.length > 0)
		test.each(bad)('refuses $value in $at before anything is sent', async (wrong) => {
			const parameters = withValue(operation, wrong, wrong.value);
			const { error } = await engine.run(caseRun(operation, { parameters, input: minimal.input }));

			expect(error?.message).toContain(`'${wrong.label}'`);
			expect(error?.message).toContain(wrong.says ?? '');
			expect(error?.description).toMatch(/^[A-Z].*\.$/);
			expect(await engine.requests()).toEqual([]);
		});

	if (isOnce) return;

	describe('with Continue On Fail', () => {
		/** Runs it for three items and returns what the second put out, and which requests were accepted. */
		const runThree = async (parameters: INodeParameters, values: unknown[]) => {
			const three = values.map((value) => ({ ...input, json: { value } }));
			const { output } = await engine.run({
				...caseRun(operation, { parameters, input: three }),
				node: CONTINUES,
			});
			const { length } = minimal.items;
			expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
				[length, 1, length].flatMap((count, item) => Array.from({ length: count }, () => ({ item }))),
			);
			const names = (items: readonly { json: object }[]) => items.map(({ json }) => Object.keys(json).sort());
			expect(names(output.slice(0, length))).toEqual(names(minimal.items));
			expect(names(output.slice(length + 1))).toEqual(names(minimal.items));
			const accepted = (await engine.requests()).map((request) => request.accepted);
			return { failed: output[length]?.json, accepted };
		};
		const [wrong] = bad;

		if (wrong) {
			test('does the other items when one has a bad value', async () => {
				const good: unknown = wrong.good ?? get(minimal.parameters, wrong.at);
				const parameters = withValue(operation, wrong, '={{ $json.value }}');
				const { failed, accepted } = await runThree(parameters, [good, wrong.value, again ?? good]);
				expect(failed).toMatchObject({
					error: expect.stringContaining(`'${wrong.label}'`) as string,
					code: 'validation_error',
					httpStatus: null,
					description: expect.stringMatching(/^[A-Z].*\.$/) as string,
				});
				expect(accepted).toEqual([true, true]);
			});
		} else {
			test('does the other items when the service refuses one', async () => {
				const fault = { kind: 'status', status: 400, error: 'account_not_connected' } as const;
				await engine.service.control.addFault({ ...fault, probability: 0.5, seed: PASS_HIT_PASS });
				const { failed, accepted } = await runThree({ options: { maxConcurrency: 1 } }, [1, 2, 3]);
				expect(failed).toEqual({
					error: expect.stringContaining('not connected') as string,
					code: 'account_not_connected',
					httpStatus: 400,
					description: expect.stringContaining('A fault on command.') as string,
				});
				expect(accepted).toEqual([true, false, true]);
			});
		}
	});
});

describe('a list in pages', () => {
	beforeEach(async () => await seedService(engine.service, contactPages));

	test.each(casesOf(contactPages))('%s', async (_, one) => await expectCase(contactPages, one));
});

/** What the item must hold of files. */
const files = (binary: NonNullable<Case['items'][number]['binary']>) =>
	Object.fromEntries(
		Object.entries(binary).map(([field, { fileName, mimeType, base64 }]) => [
			field,
			expect.objectContaining({ fileName, mimeType, data: base64 }) as unknown,
		]),
	);
