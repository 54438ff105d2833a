import { manualTrigger, node, workflow } from '../support/n8n/workflow';
import { startWorld, type World } from '../support/world/world';

// What the lists of a panel offer is shown in the editor itself, by the tests in a browser.
let world: World;

beforeAll(async () => {
	world = await startWorld();
});

afterAll(async () => await world?.stop());

beforeEach(async () => await world.service.control.reset());

afterEach(async () => expect((await world?.service.control.defects()) ?? []).toEqual([]));

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
