import {
	compareRecipients,
	isChatId,
	numberBeside,
	phoneIn,
	recipientKey,
} from '../../../nodes/MessagingChannel/recipients/recipient';

test.each([
	['905551234567@c.us', true],
	['120363041234567890@g.us', true],
	['123-456@g.us', true],
	['status@broadcast', true],
	['905551234567:3@s.whatsapp.net', true],
	['Team-7@G.us', true],
	['ada@example.com', false],
	['ada.7@mail.example.com', false],
	['905551234567', false],
	['@c.us', false],
	['905551234567@', false],
	['905551234567@c.us, 905551234568@c.us', false],
	['a@b@c', false],
	['../account@c.us', false],
])('%j is the id of a chat: %j', (entered, expected) => {
	expect(isChatId(entered)).toBe(expected);
});

test.each([
	['+90 555-123 45 67', '905551234567', '905551234567'],
	['05551234567', '05551234567', '05551234567'],
	['905551234567@c.us', '905551234567', '905551234567'],
	['+905551234567@s.whatsapp.net', '905551234567', '905551234567'],
	['49-151-1234-5678@c.us', '4915112345678', '4915112345678'],
	['5511987654321', '5511987654321', '551187654321'],
	['551187654321@c.us', '551187654321', '551187654321'],
	['5511932654321', '5511932654321', '5511932654321'],
	['5215512345678', '5215512345678', '525512345678'],
	['5491123456789', '5491123456789', '541123456789'],
	['905551234567@lid', undefined, '905551234567@lid'],
	['905551234567@LID', undefined, '905551234567@LID'],
	['905551234567@hosted.lid', undefined, '905551234567@hosted.lid'],
	['905551234567:3@lid', undefined, '905551234567@lid'],
	['905551234567:3@s.whatsapp.net', '905551234567', '905551234567'],
	['905551234567@g.us', undefined, '905551234567@g.us'],
	['905551234567@broadcast', undefined, '905551234567@broadcast'],
	['120363041234567890@g.us', undefined, '120363041234567890'],
	['905551234567-1456789012@g.us', undefined, '905551234567-1456789012'],
	['120363041234567890', undefined, '120363041234567890'],
	['group-7', undefined, 'group-7'],
])('%j has the number %j and the key %j', (recipient, phone, key) => {
	expect(phoneIn(recipient)).toBe(phone);
	expect(recipientKey(recipient)).toBe(key);
});

test.each([
	['123456789@lid', '+90 555 123 45 67', '905551234567'],
	['123456789@lid', '905551234567@c.us', '905551234567'],
	['123456789@lid', '123456789', undefined],
	['123456789:3@lid', '123456789@lid', undefined],
	['123456789@lid', 'Ada', undefined],
	['123456789@lid', undefined, undefined],
	[undefined, '905551234567', undefined],
	['905551234567@c.us', '905551234567', undefined],
	['120363041234567890@g.us', '905551234567', undefined],
])('the chat %j with the phone %j hides the number %j', (id, phone, number) => {
	expect(numberBeside({ id, phone })).toBe(number);
});

test.each([
	['905551234567', '+90 555 123 45 67', 'same'],
	['905551234567', '9005551234567', 'same'],
	['5511987654321', '551187654321', 'same'],
	['5511932654321', '551132654321', 'different'],
	['5215512345678', '525512345678@c.us', 'same'],
	['5491123456789', '541123456789', 'same'],
	['120363041234567890', '120363041234567890@g.us', 'same'],
	['905551234567@lid', '905551234567@lid', 'same'],
	['905551234567', '905551234568', 'different'],
	['905551234567', '495551234567', 'different'],
	['5321234567', '905321234567', 'different'],
	['905551234567@g.us', '905551234567', 'different'],
	['905551234567@g.us', '905551234567@lid', 'different'],
	['905551234567@lid', '905551234568@lid', 'different'],
	['group-7', '905551234567', 'different'],
	['05551234567', '905551234567', 'perhaps'],
	['05551234567', '495551234567', 'perhaps'],
	['5551234567', '905551234567', 'perhaps'],
	['05551234567', '5551234567', 'perhaps'],
	['89161234567', '79161234567', 'perhaps'],
	['06301234567', '36301234567', 'perhaps'],
	['0612345678', '390612345678', 'perhaps'],
	['011987654321', '551187654321', 'perhaps'],
	['15112345678', '4915112345678', 'perhaps'],
	['00905551234567', '905551234567', 'same'],
	['05551234567', '905559234567', 'different'],
	['+5551234567', '905551234567', 'different'],
	['5551234567', '+905551234567', 'perhaps'],
	['05551234567', '9055512345678', 'different'],
	['905551234567@lid', '905551234567', 'perhaps'],
	['905551234567@hosted.lid', '905551234567', 'perhaps'],
])('%j and %j are %s', (one, other, sameness) => {
	expect(compareRecipients(one, other)).toBe(sameness);
	expect(compareRecipients(other, one)).toBe(sameness);
});
