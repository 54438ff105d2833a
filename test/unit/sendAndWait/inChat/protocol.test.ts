import { signedHeader } from '../../../../nodes/MessagingChannel/api/signedHeader';
import {
	answerKeyOf,
	answerTagOf,
	chatTagOf,
	codeWordOf,
} from '../../../../nodes/MessagingChannel/sendAndWait/inChat/answerKey';
import {
	answerHeader,
	readAnswerRequest,
	readAnswerResponse,
} from '../../../../nodes/MessagingChannel/sendAndWait/inChat/protocol';

const key = answerKeyOf({ apiKey: ' key ' });
const NOW = 1_900_000_000_000;
const request = {
	phase: 'take',
	messageId: '1',
	chat: '905551112233@c.us',
	text: 'Approve',
	sendersSince: [],
};
const body = Buffer.from(JSON.stringify(request));
const header = answerHeader(key, 'signature', body, NOW);
const otherKind = signedHeader(
	{ key, body, textOf: (stamp) => `request\n${stamp}\nsignature` },
	NOW,
	'other',
);

test('a signed request is read, within the tolerance of the clocks', () => {
	for (const now of [NOW - 300_000, NOW, NOW + 300_000]) {
		expect(readAnswerRequest(header, key, 'signature', body, now)).toEqual(request);
	}
});

test.each<[string, Parameters<typeof readAnswerRequest>]>([
	['of another API key', [header, answerKeyOf({ apiKey: 'other' }), 'signature', body, NOW]],
	['for another link', [header, key, 'other', body, NOW]],
	[
		'with another body',
		[header, key, 'signature', Buffer.from(body.toString().replace('Approve', 'Decline')), NOW],
	],
	['that is too old', [header, key, 'signature', body, NOW + 300_001]],
	['of the future', [header, key, 'signature', body, NOW - 300_001]],
	['with another time', [header.replace(/^\d+/, String(NOW + 1)), key, 'signature', body, NOW]],
	['with another nonce', [header.replace(/\.[\da-f]{8}/, '.00000000'), key, 'signature', body, NOW]],
	['with a cut MAC', [header.slice(0, -1), key, 'signature', body, NOW]],
	['of another kind', [otherKind, key, 'signature', body, NOW]],
	['without a MAC', ['x', key, 'signature', body, NOW]],
	['without a header', [undefined, key, 'signature', body, NOW]],
	['with two headers', [[header], key, 'signature', body, NOW]],
	['with something before the header', [`x${header}`, key, 'signature', body, NOW]],
	['with something after it', [`${header} x`, key, 'signature', body, NOW]],
])('a request %s is not', (_, given) => {
	expect(readAnswerRequest(...given)).toBeUndefined();
});

test('two requests are never signed alike', () => {
	expect(answerHeader(key, 'signature', body, NOW)).not.toBe(header);
});

test.each([
	[
		{ isOpen: true, accepts: true },
		{ isOpen: true, accepts: true, taken: false },
	],
	['{"isOpen":false,"taken":true}', { isOpen: false, accepts: false, taken: true }],
	[
		{ isOpen: false, taken: 'true' },
		{ isOpen: false, accepts: false, taken: false },
	],
	['<html>No action required</html>', undefined],
	[{ taken: true }, undefined],
	[undefined, undefined],
])('the response %j is read as %j', (given, read) => {
	expect(readAnswerResponse(given)).toEqual(read);
});

test('a code word is four letters and digits in turns, and differs between questions and keys', () => {
	const codes = Array.from({ length: 1_000 }, (_, number) => codeWordOf(key, `link ${number}`));
	expect(codes.filter((code) => !/^[A-Z]\d[A-Z]\d$/.test(code))).toEqual([]);
	expect(new Set(codes).size).toBeGreaterThan(950);
	expect(codeWordOf(key, '1')).toBe(codeWordOf(key, '1'));
});

test('a chat has the same tag by its number, and none shows the number or the key', () => {
	expect(chatTagOf(key, '905551112233')).toBe(chatTagOf(key, '905551112233@c.us'));
	expect(chatTagOf(key, '905551112233')).not.toBe(chatTagOf(answerKeyOf({ apiKey: 'x' }), '905551112233'));
	expect(answerTagOf(key)).toMatch(/^[\w-]{22}$/);
	expect(answerKeyOf({ apiKey: 'key' })).toEqual(key);
});
