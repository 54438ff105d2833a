// cspell:ignore İbrahim Işık ışık ayse Ayşe
import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { searchChats, searchRecipients } from '../../../nodes/MessagingChannel/fields/chats';
import { searchContacts } from '../../../nodes/MessagingChannel/fields/contacts';
import { matching, searchTextOf, type ListSearch } from '../../../nodes/MessagingChannel/fields/listSearch';
import { getTags } from '../../../nodes/MessagingChannel/fields/tags';
import { searchTemplates } from '../../../nodes/MessagingChannel/fields/templates';
import { getTemplateVariables } from '../../../nodes/MessagingChannel/fields/templateVariables';
import { startService, type Service } from '../../support/service/service';
import { editorOf, refusalOf } from './editor';

let service: Service;
let editor: ILoadOptionsFunctions;

beforeAll(async () => {
	service = await startService();
});

beforeEach(async () => {
	await service.control.reset();
	editor = editorOf(service);
});

afterAll(async () => {
	await service.stop();
});

const ada = { phone: '905551234567', name: 'Ada' };
const grace = { phone: '905551234568', name: 'Grace' };
const chatOf = ({ phone, name }: typeof ada) => ({ id: `${phone}@c.us`, name });
const manyContacts = Array.from({ length: 120 }, (_, index) => ({
	phone: String(905550000000 + index),
	name: `Contact ${index}`,
}));

/** Scrolls a list to its end: its pages, each as the values that it offers. */
async function pagesOf(search: ListSearch, filter?: string): Promise<unknown[][]> {
	const pages: unknown[][] = [];
	let token: string | undefined;
	do {
		const { results, paginationToken } = await search.call(editor, filter, token);
		pages.push(results.map(({ value }) => value));
		token = paginationToken as string | undefined;
	} while (token !== undefined && pages.length < 10);
	return pages;
}

describe('contacts', () => {
	test('are shown with name and number', async () => {
		await service.control.seed({ contacts: [ada] });
		const { results } = await searchContacts.call(editor);
		expect(results).toEqual([{ name: 'Ada (+90 555 123 45 67)', value: '905551234567' }]);
	});

	test('without a name are shown by number', async () => {
		await service.control.seed({ contacts: [{ ...ada, name: '' }] });
		const { results } = await searchContacts.call(editor);
		expect(results).toEqual([{ name: '+90 555 123 45 67', value: '905551234567' }]);
	});

	test.each(['+90 555 123', '(90) 555-123', '90555123'])('are found by %j', async (filter) => {
		await service.control.seed({ contacts: [ada, { phone: '905550000000', name: 'Ben' }] });
		expect(await pagesOf(searchContacts, filter)).toEqual([[ada.phone]]);
	});

	test.each([null, 50])(
		'end with an empty page, whatever the service says of their number (limit %j)',
		async (limit) => {
			await service.control.addFault({
				operationId: 'contact.getAll',
				kind: 'status',
				status: 200,
				body: { success: true, data: [], pagination: { page: 1, limit, total: 120 } },
				times: 'always',
			});
			expect(await pagesOf(searchContacts)).toEqual([[]]);
		},
	);

	test('come page by page, each once, until the last', async () => {
		await service.control.seed({ contacts: manyContacts });
		const pages = await pagesOf(searchContacts);
		expect(pages.map(({ length }) => length)).toEqual([50, 50, 20]);
		expect(new Set(pages.flat()).size).toBe(120);
	});

	test('end with a page that is exactly full', async () => {
		await service.control.seed({ contacts: manyContacts.slice(0, 50) });
		expect((await pagesOf(searchContacts)).map(({ length }) => length)).toEqual([50]);
	});

	test('are searched by the service', async () => {
		await service.control.seed({ contacts: [ada, grace] });
		expect(await pagesOf(searchContacts, 'gra')).toEqual([[grace.phone]]);
		const [request] = await service.control.requests({ operationId: 'contact.getAll' });
		expect(request?.query).toEqual({ page: '1', search: 'gra' });
	});
});

describe('chats', () => {
	beforeEach(async () => {
		await service.control.seed({ chats: [chatOf(ada), { id: '120363@g.us', name: 'Chess club' }] });
	});

	test('are shown with their name, and a person with the number', async () => {
		const { results } = await searchChats.call(editor);
		expect(results).toEqual([
			{ name: 'Ada (+90 555 123 45 67)', value: '905551234567@c.us' },
			{ name: 'Chess club (group)', value: '120363@g.us' },
		]);
	});

	test('without a name are shown by number, and groups by their ID', async () => {
		const [person, group] = [
			{ ...chatOf(ada), name: '', type: 'individual' as const },
			{ id: '120363@g.us', name: '', type: 'group' as const },
		];
		const named = { ...chatOf(grace), name: grace.phone, type: 'individual' as const };
		await service.control.seed({ chats: [person, group, named] });
		const { results } = await searchChats.call(editor);
		expect(results).toEqual([
			{ name: '+90 555 123 45 67', value: person.id },
			{ name: '120363@g.us', value: '120363@g.us' },
			{ name: '+90 555 123 45 68', value: named.id },
		]);
	});

	test.each(['CHESS', '120363', 'club (gr'])('are found by %j', async (filter) => {
		expect(await pagesOf(searchChats, filter)).toEqual([['120363@g.us']]);
	});
});

test.each([
	['ibrahim', 'İbrahim Işık'],
	['ışık', 'İBRAHİM IŞIK'],
	['IŞIK', 'ibrahim ışık'],
	['ayse', 'Ayşe'],
	['jose', 'José'],
])('typing %j finds the chat of %j', async (filter, name) => {
	await service.control.seed({ chats: [{ ...chatOf(ada), name }, chatOf(grace)] });
	expect(await pagesOf(searchChats, filter)).toEqual([[chatOf(ada).id]]);
});

describe('recipients', () => {
	test('are the chats, then the contacts that have none yet', async () => {
		await service.control.seed({ contacts: [ada, grace], chats: [chatOf(ada)] });
		expect(await pagesOf(searchRecipients)).toEqual([['905551234567@c.us', '905551234568']]);
	});

	test('show a person once whose chat ID hides the number, if the chat names it', async () => {
		await service.control.seed({ contacts: [ada, grace] });
		const data = [{ id: '123456789@lid', phone: ada.phone, name: '', type: 'individual' }];
		const body = { success: true, data };
		await service.control.addFault({ operationId: 'chat.getAll', kind: 'status', status: 200, body });

		const { results } = await searchRecipients.call(editor);
		expect(results).toEqual([
			{ name: '+90 555 123 45 67', value: '123456789@lid' },
			expect.objectContaining({ value: grace.phone }),
		]);
	});

	test('show the chats once, however many pages of contacts follow', async () => {
		await service.control.seed({ contacts: manyContacts, chats: [chatOf(ada)] });
		const found = (await pagesOf(searchRecipients)).flat();
		expect(found.filter((value) => value === '905551234567@c.us')).toHaveLength(1);
		expect(new Set(found).size).toBe(found.length);
		expect(found).toHaveLength(121);
	});

	test('are searched among both', async () => {
		await service.control.seed({ contacts: [ada, grace], chats: [chatOf(ada)] });
		expect(await pagesOf(searchRecipients, 'grace')).toEqual([['905551234568']]);
		expect(await pagesOf(searchRecipients, 'ada')).toEqual([['905551234567@c.us']]);
	});
});

describe('templates', () => {
	test('in use come first, the others are marked', async () => {
		await service.control.seed({
			templates: [
				{ name: 'old', content: 'Bye', is_active: false },
				{ name: 'welcome', content: 'Hi' },
			],
		});
		const { results } = await searchTemplates.call(editor);
		expect(results.map(({ name }) => name)).toEqual(['welcome: Hi', 'old (inactive): Bye']);
	});

	test('without a text are shown by name', async () => {
		await service.control.addFault({
			operationId: 'template.getAll',
			kind: 'status',
			status: 200,
			body: { success: true, data: [{ id: 'template-1', name: 'welcome' }] },
		});
		const { results } = await searchTemplates.call(editor);
		expect(results).toEqual([{ name: 'welcome', value: 'template-1' }]);
	});

	test('are searched by the service', async () => {
		await service.control.seed({
			templates: [
				{ name: 'welcome', content: 'Hi' },
				{ name: 'thanks', content: 'Thank you' },
			],
		});
		expect(await pagesOf(searchTemplates, 'thank')).toHaveLength(1);
		const { results } = await searchTemplates.call(editor, 'thank');
		expect(results.map(({ name }) => name)).toEqual(['thanks: Thank you']);
	});
});

test('tags are offered by name', async () => {
	await service.control.seed({ tags: [{ name: 'VIP' }, { name: 'New' }] });
	expect(await getTags.call(editor)).toEqual([
		{ name: 'VIP', value: 'VIP' },
		{ name: 'New', value: 'New' },
	]);
});

describe('a list that the service refuses says why', () => {
	const lists: Array<[string, string, (context: ILoadOptionsFunctions) => Promise<unknown>]> = [
		['chats', 'chats:read', async (context) => await searchChats.call(context)],
		['contacts', 'chats:read', async (context) => await searchContacts.call(context)],
		['recipients', 'chats:read', async (context) => await searchRecipients.call(context)],
		['tags', 'chats:read', async (context) => await getTags.call(context)],
		['templates', 'messages:read', async (context) => await searchTemplates.call(context)],
		['template variables', 'messages:read', async (context) => await getTemplateVariables.call(context)],
	];
	const parameters = { templateId: { mode: 'id', value: 'template-1' } };

	test.each(lists)('%s need the permission %s', async (_, permission, list) => {
		const { apiKey } = await service.control.createKey({ permissions: [] });
		const refusal = await refusalOf(list(editorOf({ ...service, apiKey }, parameters)));
		expect(refusal.message).toBe(`The API key lacks the permission '${permission}'`);
		expect(refusal.description).toContain('Add the permission to the key in the account panel');
	});

	test.each(lists)('%s need a key that the service knows', async (_, __, list) => {
		const refusal = await refusalOf(list(editorOf({ ...service, apiKey: 'unknown' }, parameters)));
		expect(refusal.message).toBe('The service rejected the API key');
	});

	test('a list says that the connection is refused', async () => {
		const refusal = await refusalOf(
			searchChats.call(editorOf({ baseUrl: 'http://127.0.0.1:9', apiKey: 'any' })),
		);
		expect(refusal.message).toBe('The connection to the service was refused');
	});
});

test('a filter matches names and values, ignoring case', () => {
	const items = [
		{ name: 'Ada', value: '1' },
		{ name: 'Grace', value: '2' },
	];
	expect(matching(items, 'AD')).toEqual([items[0]]);
	expect(matching(items, '2')).toEqual([items[1]]);
	expect(matching(items)).toEqual(items);
	expect(matching(items, 'Zoe')).toEqual([]);
});

test('a filter matches the digits of a number', () => {
	const items = [{ name: 'Ada', value: '905551234567@c.us' }];
	expect(matching(items, '+90 (555) 123')).toEqual(items);
});

test.each([
	['+90 555 111 22 33', '905551112233'],
	['0090 555 111 22 33', '905551112233'],
	['(0555) 111-2233', '5551112233'],
	['+49 (0)151 12345678', '4915112345678'],
	['0049 0151 12345678', '4915112345678'],
	['+49 0151', '490151'],
	['905 001 2345678', '9050012345678'],
	['0123456', '0123456'],
	['01234567', '1234567'],
	['00 0555 111 22 33', '5551112233'],
	['00 00', '0000'],
	['12-34', '1234'],
	['12.50', '12.50'],
	['123.45', '12345'],
	['1.5', '1.5'],
	['+1.5', '15'],
	['-', '-'],
	['+', '+'],
	['Room 12345', 'Room 12345'],
	[' Ada ', 'Ada'],
	['12345 b', '12345 b'],
	['', ''],
])('of %j, %j is searched for', (entered, text) => {
	expect(searchTextOf(entered)).toBe(text);
});

test('a list does not wait for a rate limit', async () => {
	// Whoever waits for its end waits for longer than a test may take.
	await service.control.setRateLimit({ limit: 1, windowSeconds: 3600 });
	await searchChats.call(editor);
	const refusal = await refusalOf(searchChats.call(editor));
	expect(refusal.message).toContain('The account has reached its rate limit');
});
