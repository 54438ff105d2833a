import type { IDataObject } from 'n8n-workflow';

import type { Endpoint, Parameters } from '../../../../nodes/MessagingChannel/api/apiRequest';
import { SEND_MESSAGE } from '../../../../nodes/MessagingChannel/api/endpoints';
import { newAccountState, type AccountState } from '../../../../nodes/MessagingChannel/api/rateLimiter';
import { sentTextsOf } from '../../../../nodes/MessagingChannel/execution/sending/sentTexts';
import { keepNumbers } from '../../../../nodes/MessagingChannel/recipients/hiddenNumbers';
import { usedBytes } from '../../usedBytes';

/** The service has queued a text to a recipient. */
function queue(account: AccountState, to: string, message: string, queuedAt: number): void {
	const request = { endpoint: SEND_MESSAGE, parameters: { to, message } };
	sentTextsOf(account).confirmed(request, { queued: true }, queuedAt);
}

test('a text may be missing in its chat for five minutes, and counts as not sent afterwards', () => {
	const account = newAccountState();
	const queuedAt = Date.UTC(2030, 0, 31, 9);
	const fiveMinutes = 5 * 60 * 1000;
	const textsAt = (now: number) =>
		sentTextsOf(account)
			.queuedTo('905551234567@c.us', now)
			.map(({ text }) => text);
	expect(textsAt(queuedAt)).toEqual([]);
	queue(account, '905551234567@c.us', 'Hello', queuedAt);

	expect(textsAt(queuedAt + fiveMinutes - 1)).toEqual(['Hello']);
	expect(textsAt(queuedAt + fiveMinutes)).toEqual([]);
});

test('a text to a number is in the chat whose ID hides that number, once it is known', () => {
	const account = newAccountState();
	queue(account, '905551234567@c.us', 'Hello', 0);
	const textsIn = (chat: string) =>
		sentTextsOf(account)
			.queuedTo(chat, 1)
			.map(({ text }) => text);
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
	const kept = sentTextsOf(account).queuedTo('905551234567', Date.UTC(2030, 0, 31, 9));
	expect(kept).toHaveLength(500);
	expect(kept[0]?.text).toBe('4500'.repeat(200));
});

const hello = { message: 'Hello' };

test.each<[string, Endpoint['sends'], Parameters, IDataObject | undefined, object[]]>([
	['a text', 'text', hello, undefined, [{ text: 'Hello' }]],
	['a file with a caption', 'image', { caption: 'The box' }, {}, [{ text: 'The box', file: 'image' }]],
	['a file without one', 'voice', {}, {}, [{ text: '', file: 'voice' }]],
	['nothing of a template', 'other', hello, {}, []],
	['nothing of what is no message', undefined, hello, {}, []],
	['nothing of a text that the service has sent', 'text', hello, { queued: 'false' }, []],
	['nothing of a text that was to be sent at once', 'text', { ...hello, sync: true }, {}, []],
	['such a text if it is queued', 'text', { ...hello, sync: true }, { queued: true }, [{ text: 'Hello' }]],
])('the chat will show %s', (_, sends, parameters, answer, shown) => {
	const sent = sentTextsOf(newAccountState());
	const endpoint = { ...SEND_MESSAGE, sends };
	sent.confirmed({ endpoint, parameters: { to: 'Ada', ...parameters } }, answer, 0);
	expect(sent.queuedTo('Ada', 1)).toEqual(shown.map((each) => ({ ...each, recipient: 'Ada', queuedAt: 0 })));
});

const text = (id: string, attemptedAt: number) => ({ id, to: '905551234567', message: 'Hello', attemptedAt });

test('all executions of an account know of a text for a day, and not what it says', () => {
	const account = newAccountState();
	const day = 24 * 60 * 60 * 1000;
	for (const [id, at] of Object.entries({ first: 0, second: 1, third: day })) {
		sentTextsOf(account).attempted(text(id, at));
	}
	const { attempted, known } = sentTextsOf(account);
	expect(JSON.stringify([...known.values()])).not.toContain('Hello');
	expect([...known.keys()]).toEqual(['first', 'second', 'third']);
	attempted(text('fourth', day + 1));
	expect([...known.keys()]).toEqual(['second', 'third', 'fourth']);
});

test('the latest 20,000 of a day are known', () => {
	const { attempted, known } = sentTextsOf(newAccountState());
	for (let count = 0; count <= 20_000; count++) attempted(text(String(count), 0));
	expect(known.size).toBe(20_000);
	expect(known.has('0')).toBe(false);
});

test('a text keeps the chat that the service named, until it is attempted again', () => {
	const { attempted, confirmed, known } = sentTextsOf(newAccountState());
	const request = { endpoint: SEND_MESSAGE, parameters: { to: '905551234567' } };
	attempted(text('it', 1));
	confirmed(request, { to: '1@g.us' }, 0, text('it', 1));
	attempted(text('it', 1));
	expect(known.get('it')).toMatchObject({ recipient: '1@g.us', attemptedAt: 1 });
	attempted(text('it', 2));
	expect(known.get('it')).toMatchObject({ recipient: '905551234567', attemptedAt: 2 });
});
