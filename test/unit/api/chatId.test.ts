import { isChatId } from '../../../nodes/MessagingChannel/api/chatId';

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
