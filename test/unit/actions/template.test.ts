import { create } from '../../../nodes/MessagingChannel/actions/template/create';
import { send } from '../../../nodes/MessagingChannel/actions/template/send';
import { located, requestFor } from '../entered';

const to = located('phone', '905551234567');
const templateId = located('list', '3f2b8c1e-5d4a-4b6f-9a7e-1c2d3e4f5a6b');
const mapped = { mappingMode: 'defineBelow', value: { name: 'Ada' }, schema: [{ id: 'name' }] };

test('sends the texts of the fields', () => {
	const { parameters } = requestFor(send, { to, templateId, templateVariables: mapped });
	expect(parameters).toMatchObject({ to: '905551234567', variables: { name: 'Ada' } });
});

test('sends the texts of the JSON object instead, when there is one', () => {
	const additionalFields = { variables: { name: 'Grace', count: 3 } };
	const { parameters } = requestFor(send, { to, templateId, templateVariables: mapped, additionalFields });
	expect(parameters).toMatchObject({ variables: { name: 'Grace', count: '3' } });
});

test('does not miss the texts of the fields when there is a JSON object', () => {
	const unfilled = { ...mapped, value: { name: '' } };
	const additionalFields = { variables: { name: 'Grace' } };
	const { parameters } = requestFor(send, { to, templateId, templateVariables: unfilled, additionalFields });
	expect(parameters).toMatchObject({ variables: { name: 'Grace' } });
});

test('names the template by its name when it was given so', () => {
	const { parameters } = requestFor(send, { to, templateId: located('name', 'order') });
	expect(parameters).toEqual({ to: '905551234567', templateName: 'order' });
});

test.each([
	[{ templateId: located('list', '') }, "'Template' is empty"],
	[
		{ templateVariables: { ...mapped, value: { name: '' } } },
		"'Template Variables' has no value for the placeholder 'name'",
	],
	[{ additionalFields: { variables: '["Ada"]' } }, "'Variables (JSON)' is a list, not an object"],
])('%j is refused', (entered, problem) => {
	expect(() => requestFor(send, { to, templateId, ...entered })).toThrow(problem);
});

test('a new template takes the names of its placeholders as a list', () => {
	const entered = {
		name: 'order',
		content: 'Hello {{name}}',
		additionalFields: { variables: 'name, order_number' },
	};
	expect(requestFor(create, entered).parameters).toEqual({
		name: 'order',
		content: 'Hello {{name}}',
		variables: ['name', 'order_number'],
	});
});
