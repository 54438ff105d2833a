import { newAccountState } from '../../../../nodes/MessagingChannel/api/rateLimiter';
import {
	queuedTextsTo,
	recordQueuedText,
} from '../../../../nodes/MessagingChannel/execution/sending/queuedTexts';
import { keepNumbers } from '../../../../nodes/MessagingChannel/recipients/hiddenNumbers';
import { usedBytes } from '../../usedBytes';

test('a text may be missing in its chat for five minutes, and counts as not sent afterwards', () => {
	const account = newAccountState();
	const queuedAt = Date.UTC(2030, 0, 31, 9);
	const fiveMinutes = 5 * 60 * 1000;
	const textsAt = (now: number) => queuedTextsTo(account, '905551234567@c.us', now).map(({ text }) => text);
	expect(textsAt(queuedAt)).toEqual([]);
	recordQueuedText(account, '905551234567@c.us', 'Hello', queuedAt);

	expect(textsAt(queuedAt + fiveMinutes - 1)).toEqual(['Hello']);
	expect(textsAt(queuedAt + fiveMinutes)).toEqual([]);
	// After the clock was set back, nobody knows how long ago it was queued.
	expect(textsAt(queuedAt - 2 * 60 * fiveMinutes)).toEqual([]);
});

test('a text to a number is in the chat whose ID hides that number, once it is known', () => {
	const account = newAccountState();
	recordQueuedText(account, '905551234567@c.us', 'Hello', 0);
	const textsIn = (chat: string) => queuedTextsTo(account, chat, 1).map(({ text }) => text);
	expect(textsIn('123456789@lid')).toEqual([]);

	keepNumbers(account, [{ id: '123456789@lid', phone: '905551234567' }]);

	expect(textsIn('123456789@lid')).toEqual(['Hello']);
	expect(textsIn('987654321@lid')).toEqual([]);
});

test('of more than 500 texts, the oldest are forgotten', () => {
	const account = newAccountState();
	const queuedAt = Date.UTC(2030, 0, 31, 9);
	const textsTo = (to: string) => queuedTextsTo(account, to, queuedAt).map(({ text }) => text);
	recordQueuedText(account, '905551234567', 'The oldest', queuedAt);
	for (let count = 1; count < 500; count++) recordQueuedText(account, '905557654321', 'Sale', queuedAt);
	expect(textsTo('905551234567')).toEqual(['The oldest']);

	recordQueuedText(account, '905557654321', 'Sale', queuedAt);

	expect(textsTo('905551234567')).toEqual([]);
	expect(textsTo('905557654321')).toHaveLength(500);
});

test('a campaign of 20,000 texts takes the memory of few', () => {
	const account = newAccountState();
	const before = usedBytes();
	for (let count = 0; count < 20_000; count++)
		recordQueuedText(account, '905551234567', `${count}`.repeat(200), Date.UTC(2030, 0, 31, 9));

	expect(usedBytes() - before).toBeLessThan(3_000_000);
	expect(queuedTextsTo(account, '905551234567', Date.UTC(2030, 0, 31, 9))).toHaveLength(500);
});
