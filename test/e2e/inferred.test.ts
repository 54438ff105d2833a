import type { INodeParameters } from 'n8n-workflow';

import { operations } from '../support/operations';
import type { ExpectedRequest, OperationCases } from '../support/operations/case';
import { expectRequests } from './expectCase';
import { OPERATION, prepareService, runOperation } from '../support/world/operationRun';
import { startWorld, type World } from '../support/world/world';

let world: World;

beforeAll(async () => {
	world = await startWorld();
});

afterAll(async () => await world?.stop());

const inferred = operations.flatMap((operation) =>
	operation.inferred ? [{ ...operation, inferred: operation.inferred }] : [],
);

/** The ID that the path of a request ends with or holds, if any. */
const idIn = ({ path }: ExpectedRequest) => /[a-z][a-z-]*-\d+/.exec(path)?.[0];

/** Serves the operation somewhere else and runs it. */
async function runMoved(operation: OperationCases, request: ExpectedRequest, options: INodeParameters) {
	await prepareService(world, operation);
	await world.service.control.moveOperation({
		operationId: `${operation.resource}.${operation.operation}`,
		path: idIn(request) ? '/elsewhere/{id}/now' : '/elsewhere',
	});
	return await runOperation(world, operation, { ...operation.minimal.parameters, options });
}

describe.each(inferred)('$resource: $operation', (operation) => {
	const { minimal, inferred: how } = operation;
	const [request] = minimal.requests;
	if (!request) throw new Error('An inferred call makes a request');
	const id = idIn(request);

	test('goes where Endpoint Path says', async () => {
		const endpointPath = id ? '/elsewhere/{id}/now' : '/elsewhere';
		const execution = await runMoved(operation, request, { endpointPath });
		expect(execution.error).toBeUndefined();
		await expectRequests(world, [{ ...request, path: id ? `/elsewhere/${id}/now` : '/elsewhere' }]);
	});

	if (how.bodyFields) {
		const corrections = how.bodyFields;

		test('sends Body Fields over its own', async () => {
			await prepareService(world, operation);
			const execution = await runOperation(world, operation, {
				...minimal.parameters,
				options: { bodyFields: JSON.stringify(corrections) },
			});
			expect(execution.error).toBeUndefined();
			await expectRequests(world, [{ ...request, body: { ...(request.body as object), ...corrections } }]);
		});
	}

	if (how.what === 'endpoint') {
		test('explains a 404 and names the option that corrects it', async () => {
			const { message, description } = (await runMoved(operation, request, {})).nodeError(OPERATION) ?? {};
			expect(message).toContain('The ID or the endpoint was not found');
			expect(description).toContain('undocumented');
			expect(description).toContain('Endpoint Path');
		});
	}
});

test.each([
	'https://elsewhere.example.com/auto-replies',
	'//elsewhere.example.com/auto-replies',
	'auto-replies',
	'/auto-replies?all=true',
	'/auto-replies#all',
	'/auto-replies/../account',
	'/auto-replies/%2e%2e/account',
	'/auto-replies\\..\\account',
])('refuses %s as Endpoint Path before anything is sent', async (endpointPath) => {
	await prepareService(world, {});
	const getAll = { resource: 'autoReply', operation: 'getAll' };
	const execution = await runOperation(world, getAll, { options: { endpointPath } });
	const { message } = execution.nodeError(OPERATION) ?? {};
	expect(message).toContain("'Endpoint Path'");
	expect(message).toContain(endpointPath);
	expect(await world.service.control.requests()).toEqual([]);
});
