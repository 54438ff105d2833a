import { nameField } from '../../../nodes/MessagingChannel/fields/name';

const field = nameField('tag', 'VIP');

test('a name is sent without the spaces around it', () => {
	expect(field.toApi?.(' VIP 2\n' as never, {})).toEqual({ name: 'VIP 2' });
});
