import { manualTrigger, node, workflow } from '../support/n8n/workflow';
import { API_PATH } from '../support/service/apiPath';
import { startWorld, type World } from '../support/world/world';

// What the lists of a panel offer is shown in the editor itself, by the tests in a browser.
let world: World;

beforeAll(async () => {
	world = await startWorld();
});

afterAll(async () => await world?.stop());

beforeEach(async () => await world.service.control.reset());

afterEach(async () => expect((await world?.service.control.defects()) ?? []).toEqual([]));

const press = async (secrets: { baseUrl?: string; apiKey?: string } = {}) =>
	await world.n8n.api.testCredential(world.credential, { ...world.secrets, ...secrets });

describe('the test of the credential', () => {
	test('passes when the service knows the key', async () => {
		expect(await press()).toMatchObject({ status: 'OK' });
		const requests = await world.service.control.requests();
		expect(requests.map(({ method, path }) => [method, path])).toEqual([['GET', `${API_PATH}/health`]]);
		expect(requests[0]?.headers.authorization).toBe(`Bearer ${world.service.apiKey}`);
	});

	test('says that nothing listens at the address, and what to check', async () => {
		const { status, message } = await press({ baseUrl: 'http://127.0.0.1:9' });
		expect(status).toBe('Error');
		expect(message).toMatch(/^The connection to the service was refused.*Check the 'Base URL'/);
	});
});

test('the HTTP Request node can use the credential, as its Custom API Call option says', async () => {
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
