import {
	isChatId,
	isGroupId,
	numberInChatId,
	recipientKey,
} from '../../../nodes/MessagingChannel/api/chatId';

test.each([
	['905551234567@c.us', true],
	['120363041234567890@g.us', true],
	['123-456@g.us', true],
	['status@broadcast', true],
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
	['905551234567', '905551234567', '905551234567'],
	['+905551234567', '905551234567', '905551234567'],
	['905551234567@c.us', '905551234567', '905551234567'],
	['+905551234567@c.us', '905551234567', '905551234567'],
	['905+5551234567@lid', '905+5551234567', '905+5551234567'],
	['905551234567@g.us', '905551234567', '905551234567@g.us'],
])('%j has the number %j and is the recipient %j', (chat, number, recipient) => {
	expect(numberInChatId(chat)).toBe(number);
	expect(recipientKey(chat)).toBe(recipient);
	expect(isGroupId(chat)).toBe(recipient.includes('@'));
});
