// cspell:ignore İbrahim Işık ışık ayse Ayşe
import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { searchChats, searchRecipients } from '../../../nodes/MessagingChannel/fields/chats';
import { searchContacts } from '../../../nodes/MessagingChannel/fields/contacts';
import { matching, searchTextOf, type ListSearch } from '../../../nodes/MessagingChannel/fields/listSearch';
import { getTags } from '../../../nodes/MessagingChannel/fields/tags';
import { searchTemplates } from '../../../nodes/MessagingChannel/fields/templates';
import { getTemplateVariables } from '../../../nodes/MessagingChannel/fields/templateVariables';
import type { Seed } from '../../support/service/core/controlServer';
import { ada, answering, chatOf, editorOf, editorWorld, grace, manyContacts, refusalOf } from './editor';

const { service, editor, pagesOf } = editorWorld();

const group = { id: '120363@g.us', name: 'Chess club', type: 'group' as const };
const unnamed = { ...chatOf(ada), name: '', type: 'individual' as const };
const templates = [
	{ name: 'old', content: 'Bye', is_active: false },
	{ name: 'welcome', content: 'Hi' },
];

const shownAda = 'Ada (+90 555 123 45 67)';
const chatOfNumber = { ...chatOf(grace), name: grace.phone, type: 'individual' as const };

test.each<[string, ListSearch, Seed, Array<[string, string?]>]>([
	['contacts with name and number', searchContacts, { contacts: [ada] }, [[shownAda, ada.phone]]],
	['contacts by number', searchContacts, { contacts: [{ ...ada, name: '' }] }, [['+90 555 123 45 67']]],
	[
		'chats with their name, and a person with the number',
		searchChats,
		{ chats: [chatOf(ada), { id: group.id, name: group.name }] },
		[
			[shownAda, chatOf(ada).id],
			['Chess club (group)', group.id],
		],
	],
	[
		'chats without a name by number, and groups by their ID',
		searchChats,
		{ chats: [unnamed, { ...group, name: '' }, chatOfNumber] },
		[
			['+90 555 123 45 67', unnamed.id],
			[group.id, group.id],
			['+90 555 123 45 68', chatOfNumber.id],
		],
	],
	['templates in use first', searchTemplates, { templates }, [['welcome: Hi'], ['old (inactive): Bye']]],
])('the panel shows %s', async (_, search, seed, shown) => {
	await service().control.seed(seed);
	const { results } = await search.call(editor());
	expect(results).toMatchObject(shown.map(([name, value]) => ({ name, ...(value && { value }) })));
});

test.each<[string, ListSearch, string, unknown[]]>([
	['contacts', searchContacts, '+90 555 123', [ada.phone]],
	['contacts', searchContacts, 'ad', [ada.phone]],
	['chats', searchChats, 'club (gr', [group.id]],
	['recipients', searchRecipients, 'ben', ['905550000000']],
	['recipients', searchRecipients, 'ada', [chatOf(ada).id]],
])('among %s, %j %j is found', async (_, search, filter, found) => {
	const contacts = [ada, { phone: '905550000000', name: 'Ben' }];
	await service().control.seed({ contacts, chats: [chatOf(ada), group], templates });
	expect(await pagesOf(search, filter)).toEqual([found]);
});

test.each([
	['contact.getAll', searchContacts],
	['template.getAll', searchTemplates],
])('%s is searched by the service', async (operationId, search) => {
	await search.call(editor(), 'gra');
	const [request] = await service().control.requests({ operationId });
	expect(request?.query).toMatchObject({ search: 'gra' });
});

test('120 contacts come page by page, each once', async () => {
	await service().control.seed({ contacts: manyContacts });
	const pages = await pagesOf(searchContacts);
	expect(pages.map(({ length }) => length)).toEqual([50, 50, 20]);
	expect(new Set(pages.flat()).size).toBe(120);
});

describe('recipients', () => {
	test('are the chats, then the contacts that have none yet', async () => {
		await service().control.seed({ contacts: [ada, grace], chats: [chatOf(ada)] });
		expect(await pagesOf(searchRecipients)).toEqual([['905551234567@c.us', '905551234568']]);
	});

	test('show a person once whose chat ID hides the number, if the chat names it', async () => {
		await service().control.seed({ contacts: [ada, grace] });
		const hidden = { id: '123456789@lid', phone: ada.phone, name: '', type: 'individual' };
		await answering(service(), 'chat.getAll', [hidden]);

		const { results } = await searchRecipients.call(editor());
		expect(results).toEqual([
			{ name: '+90 555 123 45 67', value: '123456789@lid' },
			expect.objectContaining({ value: grace.phone }),
		]);
	});

	test('show the chats once, however many pages of contacts follow', async () => {
		await service().control.seed({ contacts: manyContacts, chats: [chatOf(ada)] });
		const found = (await pagesOf(searchRecipients)).flat();
		expect(found.filter((value) => value === '905551234567@c.us')).toHaveLength(1);
		expect(new Set(found).size).toBe(found.length);
		expect(found).toHaveLength(121);
	});
});

test('a template without a text is shown by name', async () => {
	await answering(service(), 'template.getAll', [{ id: 'template-1', name: 'welcome' }]);
	const { results } = await searchTemplates.call(editor());
	expect(results).toEqual([{ name: 'welcome', value: 'template-1' }]);
});

test('tags are offered by name', async () => {
	await service().control.seed({ tags: [{ name: 'VIP' }, { name: 'New' }] });
	expect(await getTags.call(editor())).toEqual([
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
		const { apiKey } = await service().control.createKey({ permissions: [] });
		const refusal = await refusalOf(list(editorOf({ ...service(), apiKey }, parameters)));
		expect(refusal.message).toBe(`The API key lacks the permission '${permission}'`);
		expect(refusal.description).toContain('Add the permission to the key in the account panel');
	});
});

test.each([
	['AD', 'Ada'],
	['+90 (555) 123', '905551234567@c.us'],
	['ibrahim', 'İbrahim Işık'],
	['ışık', 'İBRAHİM IŞIK'],
	['IŞIK', 'ibrahim ışık'],
	['ayse', 'Ayşe'],
	['jose', 'José'],
])('typing %j finds %j, as a name and as a value', (filter, text) => {
	const items = [text, 'Grace'].flatMap((each) => [
		{ name: each, value: '1' },
		{ name: 'Zoe', value: each },
	]);
	expect(matching(items, filter)).toEqual(items.slice(0, 2));
	expect(matching(items)).toEqual(items);
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
	await service().control.setRateLimit({ limit: 1, windowSeconds: 3600 });
	await searchChats.call(editor());
	const refusal = await refusalOf(searchChats.call(editor()));
	expect(refusal.message).toContain('The account has reached its rate limit');
});
