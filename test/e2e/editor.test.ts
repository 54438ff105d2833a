import type { INodeListSearchResult } from 'n8n-workflow';

import type { ParameterRequest } from '../support/n8n/api';
import { manualTrigger, node, workflow } from '../support/n8n/workflow';
import { fromList } from '../support/operations/parameters';
import { prepareService } from '../support/operations/expectations';
import { API_PATH } from '../support/service/apiPath';
import { startWorld, type World } from '../support/world/world';

// What n8n asks the package for while somebody fills in a panel or a credential.
const nodeType = 'n8n-nodes-messaging-channel.messagingChannel';

const contacts = [
	{ phone: '905551234567', name: 'Ada' },
	{ phone: '905551234568', name: 'Grace' },
];

const chats = [
	{ id: '905551234567@c.us', name: 'Ada', last_message_at: '2025-06-15T15:06:40.000Z' },
	{ id: '120363041234567890@g.us', name: 'Chess club', last_message_at: '2025-06-14T10:00:00.000Z' },
];

const shipped = {
	id: '11111111-1111-4111-8111-111111111111',
	name: 'order_shipped',
	content: 'Hello {{name}}, order {{order}} has shipped',
};

let world: World;

beforeAll(async () => {
	world = await startWorld();
});

afterAll(async () => await world?.stop());

beforeEach(async () => await prepareService(world, { seed: { contacts, chats, templates: [shipped] } }));

afterEach(async () => expect(await world.service.control.defects()).toEqual([]));

interface Question extends Partial<Omit<ParameterRequest, 'nodeType'>> {
	filter?: string;
	paginationToken?: string;
}

const asked = (method: string, { path = '', parameters = {}, ...question }: Question): ParameterRequest => ({
	nodeType,
	method,
	path,
	parameters,
	credential: world.credential,
	...question,
});

const search = async (method: string, question: Question = {}): Promise<INodeListSearchResult> =>
	await world.n8n.api.listSearch({ ...asked(method, question), ...question });

describe('recipients', () => {
	test('are the chats, then the contacts without one', async () => {
		expect(await search('searchRecipients', { path: 'to' })).toEqual({
			results: [
				{ name: 'Ada (+90 555 123 45 67)', value: '905551234567@c.us' },
				{ name: 'Chess club (group)', value: '120363041234567890@g.us' },
				{ name: 'Grace (+90 555 123 45 68)', value: '905551234568' },
			],
		});
	});
});

test('template variables are a field for each placeholder', async () => {
	const column = (id: string) => expect.objectContaining({ id, displayName: id, type: 'string' }) as unknown;
	const parameters = {
		resource: 'template',
		operation: 'send',
		templateId: fromList(shipped.id, 'order_shipped'),
	};
	const question = asked('getTemplateVariables', { path: 'templateVariables', parameters });
	expect(await world.n8n.api.resourceMapperFields(question)).toMatchObject({
		fields: [column('name'), column('order')],
	});
});

test('tags are listed by their names', async () => {
	await world.service.control.seed({ tags: [{ name: 'VIP' }, { name: 'New' }] });
	const path = 'updateFields.tags';
	expect(await world.n8n.api.options(asked('getTags', { path }))).toEqual([
		{ name: 'VIP', value: 'VIP' },
		{ name: 'New', value: 'New' },
	]);
});

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
