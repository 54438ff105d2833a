import { newAccountWindow } from '../../../../nodes/MessagingChannel/api/rateLimiter';
import {
	queuedTextsTo,
	recordQueuedText,
} from '../../../../nodes/MessagingChannel/execution/sending/queuedTexts';

test('a text may be missing in its chat for five minutes, and counts as not sent afterwards', () => {
	const account = newAccountWindow();
	const queuedAt = Date.UTC(2030, 0, 31, 9);
	const fiveMinutes = 5 * 60 * 1000;
	recordQueuedText(account, '905551234567@c.us', 'Hello', queuedAt);
	const textsAt = (now: number) => queuedTextsTo(account, '905551234567@c.us', now).map(({ text }) => text);

	expect(textsAt(queuedAt + fiveMinutes - 1)).toEqual(['Hello']);
	expect(textsAt(queuedAt + fiveMinutes)).toEqual([]);
});
