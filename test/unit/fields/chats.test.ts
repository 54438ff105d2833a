import fc from 'fast-check';

import { chatId } from '../../../nodes/MessagingChannel/fields/chats';
import { recipientOf, to } from '../../../nodes/MessagingChannel/fields/recipient';
import { phone } from '../../../nodes/MessagingChannel/fields/contacts';
import { InvalidInput } from '../../../nodes/MessagingChannel/operation/input';
import { refusal } from './refusal';

const sentTo = (mode: string, value: string) => to.toApi?.({ mode, value } as never, {});

test.each([
	['phone', '+90 555 123 45 67', '905551234567'],
	['list', '905551234567', '905551234567'],
	['list', '905551234567@c.us', '905551234567@c.us'],
	['id', '120363041234567890@g.us', '120363041234567890@g.us'],
	['id', 'anything-the-service-calls-a-chat', 'anything-the-service-calls-a-chat'],
	['id', 'group-7', 'group-7'],
	['', '+90 555 123 45 67', '905551234567'],
	['', '905551234567@c.us', '905551234567@c.us'],
	['id', '\u202a905551234567@c.us\u202c', '905551234567@c.us'],
	['', '\u200b905551234567\uff20c.us', '905551234567@c.us'],
	['id', '+90 555 123 45 67', '905551234567'],
	['id', '905551234567', '905551234567'],
	['id', 'tel:+90-555-123-45-67', '905551234567'],
	['id', '49-151-1234-5678', '4915112345678'],
	['id', '+49-151-1234-5678', '4915112345678'],
	['id', '٠٥٥٥-١٢٣-٤٥-٦٧', '05551234567'],
	['id', '120363041234567890', '120363041234567890'],
	['id', '905551234567-1456789012', '905551234567-1456789012'],
])('a recipient %s %j is sent as %j', (mode, value, sent) => {
	expect(sentTo(mode, value)).toEqual({ to: sent });
});

test.each([
	['phone', 'Ada', "is not a valid phone number: 'Ada'"],
	['', 'Ada', "is not a valid phone number: 'Ada'"],
	['id', 'whatsapp:+905551234567', "is not a valid phone number: 'whatsapp:+905551234567'"],
	['id', 'p:+905551234567', "is not a valid phone number: 'p:+905551234567'"],
	['id', "'+905551234567", "is not a valid phone number: ''+905551234567'"],
	['id', 'Ada +905551234567', "is not a valid phone number: 'Ada +905551234567'"],
	['id', 'two words', "is not a valid chat ID: 'two words'"],
	['id', '../account', "is not a valid chat ID: '../account'"],
	['phone', 'ada@example.com', "is not a valid phone number: 'ada@example.com'"],
	['id', 'ada@example.com', "is not a valid chat ID: 'ada@example.com'"],
	['id', 'ada+1@example.com', "is not a valid phone number: 'ada+1@example.com'"],
	['id', '..', "is not a valid ID: '..'"],
	['id', '5551234567', "has no country code, or the wrong number of digits: '5551234567'"],
	['id', '5.55E+11', "is a number that a spreadsheet has rounded: '5.55E+11'"],
	['id', '-5551234477', "is a negative number, which a spreadsheet has calculated: '-5551234477'"],
	['id', '-905551234477000', "is a negative number, which a spreadsheet has calculated: '-905551234477000'"],
	['id', '\u22125551234477', "is a negative number, which a spreadsheet has calculated: '\u22125551234477'"],
	['id', '5-5-5-1-2-3-4-5-6-7', "has no country code, or the wrong number of digits: '5-5-5-1-2-3-4-5-6-7'"],
	['id', '+1203630412345678', "is not a valid phone number: '+1203630412345678'"],
	['id', '120363041234567890x', "is not a valid phone number: '120363041234567890x'"],
	['list', '5551234567', "has no country code, or the wrong number of digits: '5551234567'"],
	['phone', '+905551234567; 5551234568', "has more than one recipient: '+905551234567; 5551234568'"],
	['id', '905551234567@c.us,1203@g.us', "has more than one recipient: '905551234567@c.us,1203@g.us'"],
	['phone', '5,551234567E+11', "is a number that a spreadsheet has rounded: '5,551234567E+11'"],
])('a recipient %s %j is refused', (mode, value, problem) => {
	expect(() => sentTo(mode, value)).toThrow(problem);
});

test.each(['5551234567', '120363041234567890', 'channel', 'group-7@rooms.example'])(
	'what was selected from the list is sent as it is: %s',
	(value) => {
		const settings = { defaultCountryCode: '90' };
		expect(to.toApi?.({ mode: 'list', value, isSelected: true } as never, settings)).toEqual({ to: value });
	},
);

test('the id of a chat is left alone', () => {
	const local = fc.stringMatching(/^[\w.:+-]{1,20}$/);
	const suffix = fc.stringMatching(/^([\w:+-]{1,20}|[cg]\.us)$/);
	fc.assert(
		fc.property(local, suffix, (user, channel) => {
			const id = `${user}@${channel}`;
			expect(recipientOf(id)).toBe(id);
		}),
	);
});

const chat = (mode: string, value: string, isSelected = false) =>
	chatId.toApi?.({ mode, value, ...(isSelected && { isSelected }) } as never, {});

test.each([
	['list', '120363@g.us'],
	['id', '120363041234567890'],
	['id', '905551234567-1456789012'],
	['id', '7f3c-group'],
	['id', '905551234567@c.us'],
])('a chat %s %s is sent by its ID', (mode, value) => {
	expect(chat(mode, value)).toEqual({ chatId: value });
});

test('a chat from the list is taken as the service names it', () => {
	expect(chat('list', '905551234567', true)).toEqual({ chatId: '905551234567' });
});

test.each(['905551234567', '+905551234567', '+90 555 123 45 67', '0555 123 45 67', 'tel:+90-555-123-45-67'])(
	'a phone number is no chat ID: %s',
	(value) => {
		for (const mode of ['id', 'list', '']) {
			expect(() => chat(mode, value)).toThrow(
				refusal(`is a phone number, not a chat ID: '${value}'`, 'Chat > Find by Phone Number finds it'),
			);
		}
	},
);

test('what is no ID at all is no chat ID', () => {
	expect(() => chat('id', 'a/b')).toThrow(
		refusal("is not a valid chat ID: 'a/b'", 'Enter the ID exactly as Chat > Get Many returns it.'),
	);
});

test('a contact is sent by the digits of its number', () => {
	expect(phone.toApi?.({ mode: 'phone', value: '+90 555 123 45 67' } as never, {})).toEqual({
		phone: '905551234567',
	});
	expect(() => phone.toApi?.({ mode: 'phone', value: '905551234567@c.us' } as never, {})).toThrow(
		InvalidInput,
	);
});
