import type { INodeListSearchResult, INodeParameters } from 'n8n-workflow';

import type { ParameterRequest } from '../support/n8n/api';
import { byId, byName, fromList } from '../support/operations/parameters';
import type { Permission } from '../support/service/records';
import { prepareService } from '../support/operations/expectations';
import { startWorld, type World } from '../support/world/world';
import type { CredentialReference } from '../support/n8n/workflow';

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

const templates = [
	{ id: '22222222-2222-4222-8222-222222222222', name: 'old_offer', content: 'Offer', is_active: false },
	shipped,
	{ id: '33333333-3333-4333-8333-333333333333', name: 'greeting', content: 'Good morning' },
];

let world: World;

beforeAll(async () => {
	world = await startWorld();
});

afterAll(async () => await world?.stop());

beforeEach(async () => await prepareService(world, { seed: { contacts, chats, templates } }));

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

const namesIn = ({ results }: INodeListSearchResult) => results.map(({ name }) => name);

describe('recipients', () => {
	test('are the chats, then the contacts without one', async () => {
		expect(await search('searchRecipients', { path: 'to' })).toEqual({
			results: [
				{ name: 'Ada (905551234567@c.us)', value: '905551234567@c.us' },
				{ name: 'Chess club (120363041234567890@g.us)', value: '120363041234567890@g.us' },
				{ name: 'Grace (905551234568)', value: '905551234568' },
			],
		});
	});

	test.each([
		['GRACE', ['Grace (905551234568)']],
		['chess', ['Chess club (120363041234567890@g.us)']],
		['5551234567', ['Ada (905551234567@c.us)']],
		['nobody', []],
	])('are found by %s', async (filter, names) => {
		expect(namesIn(await search('searchRecipients', { path: 'to', filter }))).toEqual(names);
	});

	test('go on with further contacts, page by page', async () => {
		const more = Array.from({ length: 60 }, (_, index) => ({ phone: `9055500000${10 + index}` }));
		await world.service.control.seed({ contacts: more });
		const first = await search('searchRecipients', { path: 'to' });
		const { paginationToken } = first;
		expect(paginationToken).toEqual(expect.any(String));
		const second = await search('searchRecipients', { path: 'to', paginationToken: String(paginationToken) });
		expect(second.paginationToken).toBeUndefined();
		const values = [...first.results, ...second.results].map(({ value }) => value);
		expect(values).toHaveLength(63);
		expect(new Set(values).size).toBe(63);
		expect(values).toEqual(expect.arrayContaining(more.map(({ phone }) => phone)));
	});
});

describe('chats', () => {
	test('are all listed', async () => {
		expect(await search('searchChats', { path: 'chatId' })).toEqual({
			results: [
				{ name: 'Ada (905551234567@c.us)', value: '905551234567@c.us' },
				{ name: 'Chess club (120363041234567890@g.us)', value: '120363041234567890@g.us' },
			],
		});
	});

	test('are found by a part of their name', async () => {
		const found = await search('searchChats', { path: 'chatId', filter: 'CLUB' });
		expect(namesIn(found)).toEqual(['Chess club (120363041234567890@g.us)']);
	});
});

describe('contacts', () => {
	test('are searched by the service', async () => {
		const found = await search('searchContacts', { path: 'phone', filter: 'grace' });
		expect(found).toEqual({ results: [{ name: 'Grace (905551234568)', value: '905551234568' }] });
		const [request] = await world.service.control.requests();
		expect(request?.query).toEqual({ page: '1', search: 'grace' });
	});
});

describe('templates', () => {
	test('show the active ones first', async () => {
		expect(await search('searchTemplates', { path: 'templateId' })).toEqual({
			results: [
				{ name: 'order_shipped', value: '11111111-1111-4111-8111-111111111111' },
				{ name: 'greeting', value: '33333333-3333-4333-8333-333333333333' },
				{ name: 'old_offer (inactive)', value: '22222222-2222-4222-8222-222222222222' },
			],
		});
	});

	test('are searched by the service', async () => {
		expect(namesIn(await search('searchTemplates', { path: 'templateId', filter: 'order' }))).toEqual([
			'order_shipped',
		]);
		const [request] = await world.service.control.requests();
		expect(request?.query).toEqual({ search: 'order' });
	});
});

describe('template variables', () => {
	const ask = async (parameters: INodeParameters) =>
		await world.n8n.api.resourceMapperFields(
			asked('getTemplateVariables', {
				path: 'templateVariables',
				parameters: { resource: 'template', operation: 'send', ...parameters },
			}),
		);
	const column = (id: string) => expect.objectContaining({ id, displayName: id, type: 'string' });

	test.each([
		['chosen from the list', fromList(shipped.id, 'order_shipped')],
		['entered by its ID', byId(shipped.id)],
		['entered by its name', byName('order_shipped')],
	])('are a field for each placeholder of a template %s', async (_, templateId) => {
		const { fields } = await ask({ templateId });
		expect(fields).toEqual([column('name'), column('order')]);
	});

	test('are explained when the template has none', async () => {
		const answer = await ask({ templateId: byName('greeting') });
		expect(answer).toEqual({ fields: [], emptyFieldsNotice: 'This template has no variables.' });
	});

	test('are explained when there is no such template', async () => {
		const answer = await ask({ templateId: byName('unheard_of') });
		expect(answer.fields).toEqual([]);
		expect(answer.emptyFieldsNotice).toContain('No template');
	});

	test('are explained when no template is chosen yet', async () => {
		const answer = await ask({ templateId: fromList('') });
		expect(answer.fields).toEqual([]);
		expect(answer.emptyFieldsNotice).toContain('Choose a template');
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

describe('what a list says when it cannot be filled', () => {
	const credentialWith = async (secrets: {
		baseUrl?: string;
		apiKey?: string;
	}): Promise<CredentialReference> =>
		await world.n8n.api.createCredential('messagingChannelApi', 'Another account', {
			...world.secrets,
			...secrets,
		});
	const withoutAny = async () => {
		const permissions: Permission[] = [];
		return await credentialWith(await world.service.control.createKey({ permissions }));
	};

	test.each([
		['searchRecipients', 'chats:read'],
		['searchChats', 'chats:read'],
		['searchContacts', 'chats:read'],
		['searchTemplates', 'messages:read'],
	])('%s names the permission %s that the key lacks', async (method, permission) => {
		const credential = await withoutAny();
		await expect(search(method, { path: 'to', credential })).rejects.toThrow(
			`The API key lacks the permission '${permission}'`,
		);
	});

	test('getTags names the permission that the key lacks', async () => {
		const credential = await withoutAny();
		await expect(world.n8n.api.options(asked('getTags', { credential }))).rejects.toThrow(
			"The API key lacks the permission 'chats:read'",
		);
	});

	test('getTemplateVariables names the permission that the key lacks', async () => {
		const credential = await withoutAny();
		const parameters = { templateId: byId(shipped.id) };
		const question = asked('getTemplateVariables', { credential, parameters });
		await expect(world.n8n.api.resourceMapperFields(question)).rejects.toThrow(
			"The API key lacks the permission 'messages:read'",
		);
	});

	test('it says that the connection was refused', async () => {
		const credential = await credentialWith({ baseUrl: 'http://127.0.0.1:9' });
		await expect(search('searchChats', { path: 'chatId', credential })).rejects.toThrow(
			'The connection to the service was refused',
		);
	});
});
