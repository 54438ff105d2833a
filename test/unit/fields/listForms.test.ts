import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { searchChats } from '../../../nodes/MessagingChannel/fields/chats';
import { searchContacts } from '../../../nodes/MessagingChannel/fields/contacts';
import { getTags } from '../../../nodes/MessagingChannel/fields/tags';
import { searchTemplates } from '../../../nodes/MessagingChannel/fields/templates';
import { ada, answering, chatOf, editorWorld, grace, refusalOf } from './editor';

const { service, editor, pagesOf } = editorWorld();

describe('what a list can have of records in other forms', () => {
	test('chats come from all pages, once each, with types in capitals and IDs as numbers', async () => {
		await service().control.configure({ dialect: 'pages' });
		await service().control.seed({ chats: [chatOf(ada), chatOf(grace)] });
		expect(await pagesOf(searchChats)).toEqual([[chatOf(ada).id, chatOf(grace).id]]);

		await answering(service(), 'chat.getAll', [
			{ ...chatOf(ada), type: 'INDIVIDUAL' },
			chatOf(ada),
			{ id: 120363, name: 5, type: 'Group' },
		]);
		expect((await searchChats.call(editor())).results).toEqual([
			{ name: 'Ada (+90 555 123 45 67)', value: chatOf(ada).id },
			{ name: '120363', value: '120363' },
		]);
	});

	test('contacts with numbers as numbers', async () => {
		await answering(service(), 'contact.getAll', [{ phone: 905551234567, name: null }]);
		const { results } = await searchContacts.call(editor());
		expect(results).toEqual([{ name: '+90 555 123 45 67', value: '905551234567' }]);
	});

	test('templates that are not in use, whichever form says so', async () => {
		await answering(service(), 'template.getAll', [
			{ id: 7, name: 'old', is_active: '0' },
			{ id: 8, name: null, is_active: 1 },
		]);
		const { results } = await searchTemplates.call(editor());
		expect(results).toEqual([
			{ name: '8', value: '8' },
			{ name: 'old (inactive)', value: '7' },
		]);
	});
});

describe('records that nobody can select', () => {
	const lists: Array<[string, string, string, (context: ILoadOptionsFunctions) => Promise<unknown>]> = [
		['chat.getAll', 'chat', 'id', async (context) => await searchChats.call(context)],
		['contact.getAll', 'contact', 'phone', async (context) => await searchContacts.call(context)],
		['tag.getAll', 'tag', 'name', async (context) => await getTags.call(context)],
		['template.getAll', 'template', 'id', async (context) => await searchTemplates.call(context)],
	];

	test.each(lists)('of %s leave out no other %s, and are told where there is no other', async (...given) => {
		const [operationId, kind, name, list] = given;
		await answering(service(), operationId, [{ [name]: null }, { [name]: 'a' }, {}]);
		const found = await list(editor());
		expect(Array.isArray(found) ? found : (found as { results: unknown[] }).results).toEqual([
			{ name: 'a', value: 'a' },
		]);

		await service().control.reset();
		await answering(service(), operationId, [{ [name]: null }]);
		const refusal = await refusalOf(list(editor()));
		expect(refusal.message).toBe(
			`The service sends '${kind}.${name}' in a form that is not understood: null`,
		);
	});
});
