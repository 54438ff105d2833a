import { withEagerExpressions } from '../support/n8n/environment';
import { manualTrigger, node, workflow } from '../support/n8n/workflow';
import { operations } from '../support/operations';
import type { Case, OperationCases } from '../support/operations/case';
import {
	casesOf,
	expectedItems,
	expectedParts,
	partsOf,
	prepareService,
} from '../support/operations/expectations';
import { byId, byPhone } from '../support/operations/parameters';
import { OPERATION, runOperation } from '../support/world/operationRun';
import { startWorld, type World } from '../support/world/world';

// The engine's tests run every case. Here are those in which n8n itself has most to do: with files and expressions.
const SAMPLE = ['message:send', 'media:send', 'media:downloadFromMessage'];
const sample = operations.filter(({ resource, operation }) => SAMPLE.includes(`${resource}:${operation}`));

let world: World;

beforeAll(async () => {
	world = await startWorld({ env: withEagerExpressions });
});

afterAll(async () => await world?.stop());

afterEach(async () => expect((await world?.service.control.defects()) ?? []).toEqual([]));

describe.each(sample)('$resource: $operation', (operation) => {
	test.each(casesOf(operation))('%s', async (_, run) => await expectCase(operation, run));
});

// What each refusal says is tested in the engine. Here is what n8n makes of an error.
describe('an error', () => {
	beforeEach(async () => await prepareService(world, {}));

	const getTemplate = { resource: 'template', operation: 'get' };
	const parameters = { templateId: byId('33333333-3333-4333-8333-333333333333') };

	const told = {
		error: 'No record with this ID in this account',
		code: 'not_found',
		httpStatus: 404,
		description: expect.stringMatching(/^Check the ID.* The service said: /) as string,
	};

	test('stops the workflow and is shown with what to do', async () => {
		const execution = await runOperation(world, getTemplate, parameters);
		expect(execution.status).toBe('error');
		const error = execution.nodeError(OPERATION);
		expect(error).toMatchObject({ message: told.error, description: told.description, httpCode: '404' });
		expect(error?.context).toMatchObject({ itemIndex: 0 });
		expect(execution.error?.message).toBe(error?.message);
	});

	test('goes to the error output where there is one, with the data of its item', async () => {
		const execution = await runOperation(world, getTemplate, parameters, {
			onError: 'continueErrorOutput',
			input: [{ json: { order: 'A-1' } }],
		});
		expect(execution.status).toBe('success');
		expect(execution.items(OPERATION, 0)).toEqual([]);
		expect(execution.items(OPERATION, 1).map(({ json }) => json)).toEqual([{ order: 'A-1', ...told }]);
	});
});

test('the HTTP Request node can use the credential, as its Custom API Call option says', async () => {
	await prepareService(world, {});
	const { api } = world.n8n;
	const { id, name } = world.credential;
	const parameters = {
		url: `${world.service.baseUrl}/account`,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'messagingChannelApi',
		options: {},
	};
	const credentials = { messagingChannelApi: { id, name } };
	const request = node('Request', 'n8n-nodes-base.httpRequest', parameters, {
		typeVersion: 4.2,
		credentials,
	});
	const stored = await api.createWorkflow(workflow('Custom call', [manualTrigger(), request]));
	const execution = await api.run(stored.id);
	expect(execution.error).toBeUndefined();
	expect(execution.items('Request')).toMatchObject([{ json: { data: { id: 'account-1' } } }]);
	const [received] = await world.service.control.requests();
	expect(received?.headers.authorization).toBe(`Bearer ${world.service.apiKey}`);
});

/** More than a sample of the items would show. */
const COUNT = 60;
const OTHERS = [17, 18, 41];

// How n8n reads the index of an item is its own doing. The engine's tests have the older expression engine.
test.each([
	["$json.brand === 'b' ? KEYS.b : KEYS.a"],
	["KEYS[$('Input').all()[$itemIndex]?.json.brand ?? 'a']"],
])('each item is sent from the account of %s', async (expression) => {
	const { control, origin } = world.service;
	await control.reset();
	const keyOf = async () => (await control.createKey({ permissions: ['messages:send'] })).apiKey;
	const keys = { a: await keyOf(), b: await keyOf() };
	const credential = await world.n8n.api.createCredential('messagingChannelApi', 'Two accounts', {
		baseUrl: origin,
		apiKey: `={{ ${expression.replaceAll('KEYS', `(${JSON.stringify(keys)})`)} }}`,
	});
	const input = Array.from({ length: COUNT }, (_, index) => ({
		json: { number: index, brand: OTHERS.includes(index) ? 'b' : 'a' },
	}));

	await runOperation(
		{ n8n: world.n8n, credential },
		{ resource: 'message', operation: 'send' },
		{ to: byPhone('={{ 905551110000 + $json.number }}'), message: '={{ $json.number }}' },
		{ input },
	);

	const sends = await control.requests({ operationId: 'message.send' });
	expect(sends).toHaveLength(COUNT);
	const fromOther = sends.filter(({ headers }) => headers.authorization === `Bearer ${keys.b}`);
	const numbers = fromOther.map(({ body }) => Number((body as { message: string }).message));
	expect(numbers.sort((a, b) => a - b)).toEqual(OTHERS);
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
