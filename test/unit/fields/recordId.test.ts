import { recordId, validId } from '../../../nodes/MessagingChannel/fields/recordId';
import { refusal } from './refusal';

const field = recordId('broadcastId', 'Broadcast ID', 'Broadcast > Get Many');

test('an id is sent under the name that the path gives it', () => {
	expect(field).toMatchObject({
		name: 'broadcastId',
		displayName: 'Broadcast ID',
		required: true,
		api: ['id'],
	});
	expect(field.toApi?.('broadcast-1' as never, {})).toEqual({ id: 'broadcast-1' });
});

test.each(['.', '..', 'cut \ud83d', '\ude00'])(
	'%j would lead to another path, or nowhere, and is refused',
	(entered) => {
		expect(() => validId(entered)).toThrow(
			refusal(`is not a valid ID: '${entered}'`, 'Enter the ID exactly as the service returned it.'),
		);
	},
);

test.each(['...', 'a.b', 'a/b', '%2e%2e', 'true_905551234567@c.us_3EB0'])('%j is an id', (entered) => {
	expect(validId(entered)).toBe(entered);
});

test('what was copied with an id is left out', () => {
	expect(validId(' \u200fbroadcast-1\u200b\n')).toBe('broadcast-1');
});
