import type { INodeParameters } from 'n8n-workflow';

import { caseRun } from '../../support/engine/caseRun';
import { useEngine } from '../../support/engine/engine';
import { operations } from '../../support/operations';
import type { ExpectedRequest } from '../../support/operations/case';
import { expectedParts, partsOf, seedService } from '../../support/operations/expectations';
import { documentedOperations } from '../../support/service/core/documentedOperations';

const engine = useEngine();

/** What the service does not publish of an operation. */
const INFERRED = new Map(
	documentedOperations.map(({ operationId, 'x-inferred': inferred }) => [operationId, inferred]),
);
const inferred = operations.filter(({ resource, operation }) => INFERRED.get(`${resource}.${operation}`));

/** The ID that the path of a request ends with or holds, if any. */
const idIn = ({ path }: ExpectedRequest) => /[a-z][a-z-]*-\d+/.exec(path)?.[0];

describe.each(inferred)('$resource: $operation', (operation) => {
	const { minimal, corrections } = operation;
	const operationId = `${operation.resource}.${operation.operation}`;
	const [request] = minimal.requests as [ExpectedRequest];
	const id = idIn(request);
	const endpointPath = id ? '/elsewhere/{id}/now' : '/elsewhere';
	const notFoundMessage = id ? 'The ID or the endpoint was not found' : 'The endpoint was not found';

	beforeEach(async () => await seedService(engine.service, operation));

	const run = async (options: INodeParameters) =>
		await engine.run({ ...caseRun(operation, minimal), options });

	const expectRequest = async (expected: ExpectedRequest) =>
		expect((await engine.requests()).map(partsOf)).toEqual([expectedParts(expected)]);

	test('goes where Endpoint Path says', async () => {
		await engine.service.control.moveOperation({ operationId, path: endpointPath });
		const { error } = await run({ endpointPath });
		expect(error).toBeUndefined();
		await expectRequest({ ...request, path: id ? `/elsewhere/${id}/now` : '/elsewhere' });
	});

	if (corrections) {
		test('sends Body Fields over its own', async () => {
			const { error } = await run({ bodyFields: JSON.stringify(corrections) });
			expect(error).toBeUndefined();
			await expectRequest({ ...request, body: { ...(request.body as object), ...corrections } });
		});
	}

	if (corrections && operation.operation === 'update') {
		test('can send only Body Fields, whose names the panel does not have', async () => {
			const { error } = await engine.run({
				...caseRun(operation, minimal),
				parameters: { ...minimal.parameters, updateFields: {} },
				options: { bodyFields: JSON.stringify(corrections) },
			});
			expect(error).toBeUndefined();
			await expectRequest({ ...request, body: { ...corrections } });
		});
	}

	if (INFERRED.get(operationId) === 'endpoint') {
		test('explains a 404 and names the option that corrects it', async () => {
			await engine.service.control.moveOperation({ operationId, path: endpointPath });
			const { error } = await run({});
			expect(error?.message).toBe(notFoundMessage);
			expect(error?.description).toContain('undocumented');
			expect(error?.description).toContain('Endpoint Path');
			expect(error?.description?.includes('Check the ID')).toBe(id !== undefined);
		});
	}

	test('says of a 404 at a path that the user entered that this path may be wrong', async () => {
		await engine.service.control.moveOperation({ operationId, path: endpointPath });
		await engine.service.control.addFault({ operationId, kind: 'html', status: 404 });
		const { error } = await run({ endpointPath });
		expect(error?.message).toBe(notFoundMessage);
		expect(error?.description).toContain(
			`'${request.method} ${endpointPath}' is what you entered in the option 'Endpoint Path'`,
		);
		expect(error?.description).not.toContain('we derived it');
	});
});
