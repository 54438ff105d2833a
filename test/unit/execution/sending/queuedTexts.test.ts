import { SEND_MESSAGE } from '../../../../nodes/MessagingChannel/api/endpoints';
import { newAccountState, type AccountState } from '../../../../nodes/MessagingChannel/api/rateLimiter';
import {
	noteConfirmed,
	queuedTextsTo,
} from '../../../../nodes/MessagingChannel/execution/sending/queuedTexts';
import { keepNumbers } from '../../../../nodes/MessagingChannel/recipients/hiddenNumbers';
import { usedBytes } from '../../usedBytes';

/** The service has queued a text to a recipient. */
function queue(account: AccountState, to: string, message: string, queuedAt: number): void {
	noteConfirmed(account, { endpoint: SEND_MESSAGE, parameters: { to, message } }, { queued: true }, queuedAt);
}

test('a text may be missing in its chat for five minutes, and counts as not sent afterwards', () => {
	const account = newAccountState();
	const queuedAt = Date.UTC(2030, 0, 31, 9);
	const fiveMinutes = 5 * 60 * 1000;
	const textsAt = (now: number) => queuedTextsTo(account, '905551234567@c.us', now).map(({ text }) => text);
	expect(textsAt(queuedAt)).toEqual([]);
	queue(account, '905551234567@c.us', 'Hello', queuedAt);

	expect(textsAt(queuedAt + fiveMinutes - 1)).toEqual(['Hello']);
	expect(textsAt(queuedAt + fiveMinutes)).toEqual([]);
});

test('a text to a number is in the chat whose ID hides that number, once it is known', () => {
	const account = newAccountState();
	queue(account, '905551234567@c.us', 'Hello', 0);
	const textsIn = (chat: string) => queuedTextsTo(account, chat, 1).map(({ text }) => text);
	expect(textsIn('123456789@lid')).toEqual([]);

	keepNumbers(account, [{ id: '123456789@lid', phone: '905551234567' }]);

	expect(textsIn('123456789@lid')).toEqual(['Hello']);
	expect(textsIn('987654321@lid')).toEqual([]);
});

test('a campaign of 5,000 texts takes the memory of the latest 500', () => {
	const account = newAccountState();
	const before = usedBytes();
	for (let count = 0; count < 5_000; count++)
		queue(account, '905551234567', `${count}`.repeat(200), Date.UTC(2030, 0, 31, 9));

	expect(usedBytes() - before).toBeLessThan(2_000_000);
	const kept = queuedTextsTo(account, '905551234567', Date.UTC(2030, 0, 31, 9));
	expect(kept).toHaveLength(500);
	expect(kept[0]?.text).toBe('4500'.repeat(200));
});
