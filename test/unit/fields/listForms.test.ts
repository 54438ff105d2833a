import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { searchChats } from '../../../nodes/MessagingChannel/fields/chats';
import { searchContacts } from '../../../nodes/MessagingChannel/fields/contacts';
import { getTags } from '../../../nodes/MessagingChannel/fields/tags';
import { searchTemplates } from '../../../nodes/MessagingChannel/fields/templates';
import { ada, answering, chatOf, editorWorld, grace, manyContacts, refusalOf } from './editor';

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

	test.each([
		['120', [50, 50, 20]],
		[null, [50, 50, 20, 0]],
		['many', [50, 50, 20, 0]],
	])('contacts to the last page where the service says that there are %j', async (total, lengths) => {
		await service().control.seed({ contacts: manyContacts });
		const call = editor().helpers.httpRequestWithAuthentication;
		editor().helpers.httpRequestWithAuthentication = async (...given) => {
			const response = (await call.apply(editor(), given)) as { body: { pagination: object } };
			Object.assign(response.body.pagination, { total, limit: total === null ? null : '50' });
			return response;
		};
		expect((await pagesOf(searchContacts)).map(({ length }) => length)).toEqual(
			total === '120' ? lengths : lengths.slice(0, 3),
		);
	});

	test('contacts to the last page where the pages are shorter than the service says', async () => {
		await service().control.seed({ contacts: manyContacts.slice(0, 45) });
		const call = editor().helpers.httpRequestWithAuthentication;
		editor().helpers.httpRequestWithAuthentication = async (name, options, ...rest) => {
			const qs = { ...options.qs, limit: 20 };
			const response = (await call.call(editor(), name, { ...options, qs }, ...rest)) as {
				body: { pagination: object };
			};
			Object.assign(response.body.pagination, { limit: 50 });
			return response;
		};
		expect((await pagesOf(searchContacts)).flat()).toHaveLength(45);
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
	const lists: Array<[string, string, string, object, (context: ILoadOptionsFunctions) => Promise<unknown>]> =
		[
			['chats', 'chat.getAll', 'chat.id', { id: 'a' }, async (context) => await searchChats.call(context)],
			[
				'contacts',
				'contact.getAll',
				'contact.phone',
				{ phone: 'a' },
				async (context) => await searchContacts.call(context),
			],
			['tags', 'tag.getAll', 'tag.name', { name: 'a' }, async (context) => await getTags.call(context)],
			[
				'templates',
				'template.getAll',
				'template.id',
				{ id: 'a' },
				async (context) => await searchTemplates.call(context),
			],
		];

	test.each(lists)('leave out no other of the %s, and are told where there is no other', async (...given) => {
		const [, operationId, field, known, list] = given;
		const [name = ''] = Object.keys(known);
		await answering(service(), operationId, [{ [name]: null }, known, {}]);
		const found = await list(editor());
		expect(Array.isArray(found) ? found : (found as { results: unknown[] }).results).toEqual([
			{ name: 'a', value: 'a' },
		]);

		await service().control.reset();
		await answering(service(), operationId, [{ [name]: null }]);
		const refusal = await refusalOf(list(editor()));
		expect(refusal.message).toBe(`The service sends '${field}' in a form that is not understood: null`);
	});
});
