import set from 'lodash/fp/set';
import get from 'lodash/get';
import type { INodeParameters } from 'n8n-workflow';

import { operations } from '../support/operations';
import type { BadInput, OperationCases } from '../support/operations/case';
import { expectCase } from './expectCase';
import { INPUT, OPERATION, prepareService, runOperation } from '../support/world/operationRun';
import { startWorld, type World } from '../support/world/world';

/** A seed whose first three draws are above, below and above one half. */
const PASS_HIT_PASS = 1;

let world: World;

beforeAll(async () => {
	world = await startWorld();
});

afterAll(async () => await world?.stop());

afterEach(async () => expect(await world.service.control.defects()).toEqual([]));

/** n8n itself refuses a required field that is saved empty, but not one that an expression leaves empty. */
const fromItem = `={{ $('${INPUT}').item.json.value }}`;

const withValue = ({ minimal }: OperationCases, bad: BadInput, value: unknown): INodeParameters =>
	set(bad.at, value, { ...minimal.parameters, ...bad.with });

const isEmpty = (value: unknown) => [value].flat().join('').trim() === '';

describe.each(operations)('$resource: $operation', (operation) => {
	const { minimal, full, more = {}, bad } = operation;
	const [input = {}] = minimal.input ?? [];

	test('sends and puts out what is required', async () => {
		await expectCase(world, operation, minimal);
	});

	if (full) {
		test('sends every parameter of the API', async () => {
			await expectCase(world, operation, full);
		});
	}

	for (const [behaviour, extraCase] of Object.entries(more)) {
		test(`${behaviour}`, async () => {
			await expectCase(world, operation, extraCase);
		});
	}

	for (const wrong of bad) {
		const { at, value, label, says = '' } = wrong;

		test(`refuses ${JSON.stringify(value)} in ${at} before anything is sent`, async () => {
			await prepareService(world, operation);
			const parameters = withValue(operation, wrong, isEmpty(value) ? fromItem : value);
			const execution = await runOperation(world, operation, parameters, {
				input: [{ ...input, json: { value } }],
			});
			expect(execution.status).toBe('error');
			const { message, description } = execution.nodeError(OPERATION) ?? {};
			expect(message).toContain(`'${label}'`);
			expect(message).toContain(says);
			expect(description).toMatch(/^[A-Z].*\.$/);
			expect(await world.service.control.requests()).toEqual([]);
		});
	}

	test('refuses 0 in options.maxAttempts before anything is sent', async () => {
		await prepareService(world, operation);
		const parameters = set('options.maxAttempts', 0, minimal.parameters);
		const execution = await runOperation(world, operation, parameters, { input: [{ ...input, json: {} }] });
		expect(execution.nodeError(OPERATION)?.message).toBe("'Max Attempts' is too small: 0");
		expect(await world.service.control.requests()).toEqual([]);
	});
});

describe.each(operations)('$resource: $operation with Continue On Fail', (operation) => {
	const { minimal, bad, again } = operation;
	const [wrong] = bad;
	const [input = {}] = minimal.input ?? [];

	/** Runs it for three items and returns what the second put out, and what reached the service. */
	const run = async (parameters: INodeParameters, values: unknown[]) => {
		const execution = await runOperation(world, operation, parameters, {
			input: values.map((value) => ({ ...input, json: { value } })),
			onError: 'continueRegularOutput',
		});
		expect(execution.error).toBeUndefined();
		const items = execution.items(OPERATION);
		const { length } = minimal.items;
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			[length, 1, length].flatMap((count, item) => Array.from({ length: count }, () => ({ item }))),
		);
		const names = (list: readonly { json: object }[]) => list.map(({ json }) => Object.keys(json).sort());
		expect(names(items.slice(0, length))).toEqual(names(minimal.items));
		expect(names(items.slice(length + 1))).toEqual(names(minimal.items));
		return { failed: items[length]?.json, requests: await world.service.control.requests() };
	};

	if (wrong) {
		test('does the other items when one has a bad value', async () => {
			await prepareService(world, operation);
			const good: unknown = wrong.good ?? get(minimal.parameters, wrong.at);
			const parameters = withValue(operation, wrong, fromItem);
			const { failed, requests } = await run(parameters, [good, wrong.value, again ?? good]);
			expect(failed).toEqual({
				error: expect.stringContaining(`'${wrong.label}'`),
				code: 'validation_error',
				httpStatus: null,
				description: expect.stringMatching(/^[A-Z].*\.$/),
			});
			expect(requests.map(({ accepted }) => accepted)).toEqual([true, true]);
		});
	} else {
		test('does the other items when the service refuses one', async () => {
			await prepareService(world, operation);
			const fault = { kind: 'status', status: 400, error: 'account_not_connected' } as const;
			await world.service.control.addFault({ ...fault, probability: 0.5, seed: PASS_HIT_PASS });
			const { failed, requests } = await run({ options: { maxConcurrency: 1 } }, [1, 2, 3]);
			expect(failed).toEqual({
				error: expect.stringContaining('not connected'),
				code: 'account_not_connected',
				httpStatus: 400,
				description: expect.stringContaining('A fault on command.'),
			});
			expect(requests.map(({ accepted }) => accepted)).toEqual([true, false, true]);
		});
	}
});
