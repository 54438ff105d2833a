import { templateId, templateToSend } from '../../../nodes/MessagingChannel/fields/templates';

const UUID = '3f2b8c1e-5d4a-4b6f-9a7e-1c2d3e4f5a6b';

test.each([
	['list', UUID, { templateId: UUID }],
	['id', UUID, { templateId: UUID }],
	['id', 'order_shipped', { templateId: 'order_shipped' }],
	['name', 'order_shipped', { templateName: 'order_shipped' }],
	['name', UUID, { templateName: UUID }],
	['', UUID.toUpperCase(), { templateId: UUID.toUpperCase() }],
	['', 'order_shipped', { templateName: 'order_shipped' }],
])('a template to send, given by %j as %j, is sent as %j', (mode, value, sent) => {
	expect(templateToSend.toApi?.({ mode, value } as never, {})).toEqual(sent);
});

test('a template to work on is named in the path', () => {
	expect(templateId.toApi?.({ mode: 'id', value: UUID } as never, {})).toEqual({ id: UUID });
	expect(() => templateId.toApi?.({ mode: 'id', value: '..' } as never, {})).toThrow(
		"is not a valid ID: '..'",
	);
});
