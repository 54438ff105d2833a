import type { ILoadOptionsFunctions } from 'n8n-workflow';

import {
	getTemplateVariables,
	templateVariables,
	variablesOf,
} from '../../../nodes/MessagingChannel/fields/templateVariables';
import { startService, type Service } from '../../support/service/service';
import { editorOf } from './editor';
import { refusal } from './refusal';

describe('the fields of the chosen template', () => {
	let service: Service;

	beforeAll(async () => {
		service = await startService();
	});

	afterAll(async () => {
		await service.stop();
	});

	/** The fields that the panel shows for a template with this text. */
	async function fieldsFor(content: string, variables?: string[]): Promise<string[]> {
		await service.control.reset();
		const { templates } = await service.control.seed({
			templates: [{ name: 'order', content, ...(variables ? { variables } : {}) }],
		});
		const { fields } = await getTemplateVariables.call(choosing('list', templates[0]?.id));
		const names = fields.map(({ id }) => id);
		const field = { type: 'string', required: true, defaultMatch: false, display: true };
		expect(fields).toEqual(names.map((name) => ({ id: name, displayName: name, ...field })));
		return names;
	}

	const choosing = (mode: string, value: unknown): ILoadOptionsFunctions =>
		editorOf(service, { templateId: { __rl: true, mode, value } as never });

	test.each<[string, string, string[] | undefined, string[]]>([
		['its variables', 'Hello {{name}}', ['name', 'city'], ['name', 'city']],
		['also the placeholders that it has got since', '{{name}}, {{ number }}', ['name'], ['name', 'number']],
		['its placeholders if it names none', '{{name}}: {{ price }}, {{name}}', [], ['name', 'price']],
		['none when it has none', 'Hello', undefined, []],
	])('are %s', async (_, content, variables, names) => {
		expect(await fieldsFor(content, variables)).toEqual(names);
	});

	test('are the placeholders of its text when the service says nothing of variables', async () => {
		await service.control.reset();
		await service.control.addFault({
			operationId: 'template.get',
			kind: 'status',
			status: 200,
			body: { success: true, data: { id: 'template-1', name: 'order', content: 'Hello {{name}}' } },
		});
		const { fields } = await getTemplateVariables.call(choosing('list', 'template-1'));
		expect(fields.map(({ id }) => id)).toEqual(['name']);
	});

	test('of one without variables are told to be none', async () => {
		const { templates } = await service.control.seed({ templates: [{ name: 'plain', content: 'Hello' }] });
		const { emptyFieldsNotice } = await getTemplateVariables.call(choosing('id', templates[0]?.id));
		expect(emptyFieldsNotice).toBe('This template has no variables.');
	});

	test('are found by the exact name of the template', async () => {
		await service.control.reset();
		await service.control.seed({
			templates: [
				{ name: 'order_late', content: 'Sorry, {{reason}}' },
				{ name: 'order', content: 'Hello {{name}}' },
			],
		});
		const { fields } = await getTemplateVariables.call(choosing('name', 'order'));
		expect(fields.map(({ id }) => id)).toEqual(['name']);
		expect(await service.control.requests()).toMatchObject([{ query: { search: 'order' } }]);
	});

	test('are found by an ID from an expression', async () => {
		await service.control.reset();
		const { templates } = await service.control.seed({ templates: [{ name: 'order', content: '{{name}}' }] });
		const templateId = templates[0]?.id;
		const { fields } = await getTemplateVariables.call(editorOf(service, { templateId }));
		expect(fields.map(({ id }) => id)).toEqual(['name']);
	});

	test('are none for a name that no template has, and the panel says so', async () => {
		await service.control.reset();
		const outcome = await getTemplateVariables.call(choosing('name', 'order'));
		expect(outcome).toEqual({ fields: [], emptyFieldsNotice: 'No template with this name was found.' });
	});

	test.each([{ mode: 'list', value: '' }, '', undefined])('wait for a choice: %j', async (templateId) => {
		await service.control.clearRequests();
		const outcome = await getTemplateVariables.call(editorOf(service, { templateId }));
		expect(outcome).toEqual({ fields: [], emptyFieldsNotice: 'Choose a template to see its variables.' });
		expect(await service.control.requests()).toEqual([]);
	});
});

describe('what is sent', () => {
	const sent = (value: unknown) =>
		variablesOf(templateVariables.toApi?.(value as never, {}).variables, 'Template Variables');
	const mapped = (value: object | null, ...schema: unknown[]) => ({
		mappingMode: 'defineBelow',
		value,
		schema,
	});

	const ada = { variables: { name: 'Ada' } };

	test.each<[string, unknown, object]>([
		[
			'a text for each placeholder',
			mapped({ name: 'Ada', count: 3, paid: false }),
			{ variables: { name: 'Ada', count: '3', paid: 'false' } },
		],
		['nothing without placeholders', mapped({}), {}],
		['nothing where the mapper holds nothing', mapped(null), {}],
		[
			'no placeholder that the user removed',
			mapped({ name: 'Ada' }, { id: 'name' }, { id: 'price', removed: true }),
			ada,
		],
		...[null, { id: 7 }, {}].map((odd): [string, unknown, object] => [
			`nothing for ${JSON.stringify(odd)} in place of a field`,
			mapped({ name: 'Ada' }, odd),
			ada,
		]),
		['what a mapper without fields holds', { mappingMode: 'defineBelow', value: { name: 'Ada' } }, ada],
		['a plain object from an expression', { name: 'Ada' }, ada],
	])('is %s', (_, entered, expected) => {
		expect(sent(entered)).toEqual(expected);
	});

	test.each([undefined, null, '', '   '])('is refused when a placeholder has %j for text', (value) => {
		expect(() => sent(mapped({ name: 'Ada', order_number: value }))).toThrow(
			refusal("has no value for the placeholder 'order_number'", "Enter a value for 'order_number'."),
		);
	});

	test.each([{}, [], ['A-1'], { id: 'A-1' }])('is refused when a placeholder has %j', (value) => {
		expect(() => sent(mapped({ name: 'Ada', order_number: value }))).toThrow(
			refusal(
				"has a list or an object for the placeholder 'order_number'",
				"Enter a text for 'order_number'.",
			),
		);
	});

	test('is refused when a placeholder was never filled in', () => {
		const attempt = () => sent(mapped({ name: 'Ada' }, { id: 'name' }, { id: 'price' }));
		expect(attempt).toThrow("has no value for the placeholder 'price'");
	});

	test.each([['{"name":"Ada"}'], [7], [['Ada']], [mapped('{"name":"Ada"}' as never)]])(
		'is refused when an expression gives %j',
		(value) => {
			expect(() => sent(value)).toThrow(
				refusal('is not an object', 'Enter a value for each placeholder of the template.'),
			);
		},
	);

	test('can be one JSON object', () => {
		expect(variablesOf({ name: 'Ada', count: 3 }, 'Variables')).toEqual({
			variables: { name: 'Ada', count: '3' },
		});
		expect(variablesOf({}, 'Variables')).toEqual({});
		expect(() => variablesOf({ name: { first: 'Ada' } }, 'Variables')).toThrow("for the placeholder 'name'");
		expect(() => variablesOf({ code: 12345678901234568 }, 'Variables')).toThrow("for the placeholder 'code'");
	});
});
