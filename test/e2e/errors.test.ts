import { byId, byPhone } from '../support/operations/parameters';
import { prepareService } from '../support/operations/expectations';
import { OPERATION, runOperation } from '../support/world/operationRun';
import { startWorld, type World } from '../support/world/world';

// What each refusal says is tested in the engine. Here is what n8n makes of an error.
let world: World;

beforeAll(async () => {
	world = await startWorld();
});

afterAll(async () => await world?.stop());

beforeEach(async () => await prepareService(world, {}));

const getTemplate = { resource: 'template', operation: 'get' };
const parameters = { templateId: byId('33333333-3333-4333-8333-333333333333') };

const told = {
	error: 'No record with this ID in this account',
	code: 'not_found',
	httpStatus: 404,
	description: expect.stringMatching(/^Check the ID.* The service said: /) as string,
};

test('an error stops the workflow and is shown with what to do', async () => {
	const execution = await runOperation(world, getTemplate, parameters);
	expect(execution.status).toBe('error');
	const error = execution.nodeError(OPERATION);
	expect(error).toMatchObject({ message: told.error, description: told.description, httpCode: '404' });
	expect(error?.context).toMatchObject({ itemIndex: 0 });
	expect(execution.error?.message).toBe(error?.message);
});

test('an error is an item to branch on with Continue On Fail', async () => {
	const execution = await runOperation(world, getTemplate, parameters, { onError: 'continueRegularOutput' });
	expect(execution.status).toBe('success');
	expect(execution.items(OPERATION)).toEqual([{ json: told, pairedItem: { item: 0 } }]);
});

test('an error goes to the error output where there is one, with the data of its item', async () => {
	const execution = await runOperation(world, getTemplate, parameters, {
		onError: 'continueErrorOutput',
		input: [{ json: { order: 'A-1' } }],
	});
	expect(execution.status).toBe('success');
	expect(execution.items(OPERATION, 0)).toEqual([]);
	expect(execution.items(OPERATION, 1).map(({ json }) => json)).toEqual([{ order: 'A-1', ...told }]);
});

test('no item is sent when one of them cannot be read', async () => {
	const execution = await runOperation(
		world,
		{ resource: 'message', operation: 'send' },
		{ to: byPhone('={{ $json.to }}'), message: 'Hello' },
		{ input: [{ json: { to: '905551234567' } }, { json: { to: 'Ada' } }, { json: { to: '905551234568' } }] },
	);
	expect(execution.nodeError(OPERATION)?.message).toContain("'Ada'");
	expect(execution.nodeError(OPERATION)?.context).toMatchObject({ itemIndex: 1 });
	expect(await world.service.control.requests()).toEqual([]);
});
