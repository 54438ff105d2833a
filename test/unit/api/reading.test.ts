import { parseChat, parseMessage } from '../../../nodes/MessagingChannel/api/message';
import {
	countOf,
	flagOf,
	idOf,
	kindOf,
	secondsOf,
	textsOf,
} from '../../../nodes/MessagingChannel/api/values';

/** 2026-11-28T12:00:00Z. */
const NOON = 1_795_867_200;

test.each([
	['2026-11-28T12:00:00Z'],
	['2026-11-28t12:00:00.000z'],
	['2026-11-28 12:00:00'],
	['2026-11-28T12:00'],
	['2026-11-28 15:00:00+03'],
	['2026-11-28T15:00:00.0000000+03:00'],
	['2026-11-28T08:00:00-0400'],
])('%j is noon', (value) => {
	expect(secondsOf(value)).toBe(NOON);
});

test.each([
	[1e9, 1e9],
	[1e10 - 1, 1e10 - 1],
	[1e10, undefined],
	[1e11 - 1, undefined],
	[1e12 - 1, undefined],
	[1e12, 1e9],
	[1e13 - 1000, 1e10 - 1],
])('%d stands for second %p: no number is both seconds and milliseconds', (value, seconds) => {
	expect([secondsOf(value), secondsOf(String(value))]).toEqual([seconds, seconds]);
});

test('keeps fractions of a second', () => {
	expect([
		secondsOf(NOON * 1000 + 250),
		secondsOf(`${NOON}.25`),
		secondsOf('2026-11-28T12:00:00,25Z'),
	]).toEqual([NOON + 0.25, NOON + 0.25, NOON + 0.25]);
});

test.each([
	...[undefined, null, '', true, {}, [NOON], 20261128, '20261128', String(NOON * 1e6), `-${NOON}`],
	...[
		202611281200,
		'202611281200',
		`+${NOON}`,
		1e9 - 1,
		1e13,
		'1.7958672e9',
		'28.11.26 12:00',
		'2026-Nov-28 12:00:00',
	],
	...['2026-02-30T12:00:00Z', '٢٠٢٦-١١-٢٨T١٢:٠٠:٠٠Z', new Date(NOON * 1000), '2026-11-28'],
	...['0001-01-01T00:00:00Z', 'Sat, 28 Nov 2026 12:00:00 GMT', '2026-11-28T12:00:00 Europe/Berlin'],
	...[` ${NOON}`],
])('%j is no time', (value) => {
	expect(secondsOf(value)).toBeUndefined();
});

test.each([
	['a1', 'a1'],
	[905551234567, '905551234567'],
	[0, '0'],
	['', undefined],
	[null, undefined],
	[1.5, undefined],
	[2 ** 53, undefined],
	[true, undefined],
	[{}, undefined],
])('of %j, the ID is %j', (value, id) => {
	expect(idOf(value)).toBe(id);
});

test.each([
	[true, true],
	[1, true],
	['1', true],
	['True', true],
	[false, false],
	[0, false],
	['0', false],
	['FALSE', false],
	[undefined, 'missing'],
	[null, 'unknown'],
	['', 'unknown'],
	['yes', 'unknown'],
	[' true', 'unknown'],
	[-1, 'unknown'],
	[[true], 'unknown'],
	[{}, 'unknown'],
])('of %j, the flag is %j', (value, flag) => {
	expect(flagOf(value)).toBe(flag);
});

test.each([
	[5, 5],
	['5', 5],
	[0, 0],
	[-1, undefined],
	[1.5, undefined],
	['1e3', undefined],
	['', undefined],
	[null, undefined],
	[undefined, undefined],
	[true, undefined],
	[[5], undefined],
])('of %j, the count is %j', (value, count) => {
	expect(countOf(value)).toBe(count);
});

test.each([
	[['a'], ['a']],
	[[], []],
	[['a', 1], undefined],
	['a', undefined],
	[null, undefined],
	[undefined, undefined],
	[{ 0: 'a' }, undefined],
])('of %j, the texts are %j', (value, texts) => {
	expect(textsOf(value)).toEqual(texts);
});

test.each([
	[undefined, 'nothing'],
	[null, 'null'],
	['', 'an empty text'],
	['28.11.2026, Sofia', "a text like '99.99.9999, aaaaa'"],
	['x'.repeat(41), `a text like '${'a'.repeat(40)}…'`],
	[-12.5, 'a number like -99.9'],
	[true, 'true or false'],
	[['secret'], 'a list'],
	[{ secret: 1 }, 'an object'],
])('%j is called %s', (value, kind) => {
	expect(kindOf(value)).toBe(kind);
});

test('parses a message in other forms, and keeps it as delivered', () => {
	const record = {
		id: 17,
		timestamp: `${NOON}500`,
		from_me: '1',
		has_media: 0,
		type: 'CHAT',
		body: 'Hi',
		from: 905551234567,
		to: null,
	};
	expect(parseMessage(record)).toEqual({
		id: '17',
		seconds: NOON + 0.5,
		fromMe: true,
		hasMedia: false,
		type: 'CHAT',
		hasTextType: true,
		text: 'Hi',
		from: '905551234567',
		to: undefined,
		record,
	});
	expect(parseMessage({ type: 'image' }).hasTextType).toBe(false);
	expect(parseMessage({ type: null }).hasTextType).toBe(true);
	expect(parseMessage({ type: 'Text' }).hasTextType).toBe(true);
});

test('parses a chat in other forms, and keeps it as delivered', () => {
	const record = {
		id: 17,
		name: 5,
		type: 'INDIVIDUAL',
		phone: 905551234567,
		last_message_at: '2026-11-28 12:00:00',
	};
	expect(parseChat(record)).toEqual({
		id: '17',
		name: undefined,
		type: 'individual',
		phone: '905551234567',
		lastMessageAt: NOON,
		record,
	});
	expect(parseChat({ type: 'Channel' }).type).toBe('group');
	expect(parseChat({ type: '' }).type).toBeUndefined();
});
