import { keepNumbers, withNumber } from '../../../nodes/MessagingChannel/recipients/hiddenNumbers';

const chat = { id: '123456789@lid', phone: '905551234567' };

test('the number behind an ID is known for its account, and the latest counts', () => {
	const account = {};
	expect(withNumber(account, chat.id)).toBe(chat.id);
	keepNumbers(account, [{ id: '120363041234567890@g.us' }, chat]);

	expect(withNumber(account, chat.id)).toBe('905551234567');
	expect(withNumber(account, '123456789:3@lid')).toBe('905551234567');
	expect(withNumber(account, '905557654321')).toBe('905557654321');
	expect(withNumber({}, chat.id)).toBe(chat.id);

	keepNumbers(account, [{ ...chat, phone: '4915112345678' }]);
	expect(withNumber(account, chat.id)).toBe('4915112345678');
});

test('of more than 10,000 IDs, the oldest are forgotten', () => {
	const account = {};
	const chats = Array.from({ length: 10_000 }, (_, index) => ({ id: `${index}@lid`, phone: '905551234567' }));
	keepNumbers(account, [chat, ...chats]);

	expect(withNumber(account, chat.id)).toBe(chat.id);
	expect(withNumber(account, '0@lid')).toBe('905551234567');
});
