import crypto from 'node:crypto';

import { verify } from '../../../../nodes/MessagingChannel/trigger/delivery/verify';
import { BODY, delivery, NOW, SECONDS, SECRET, sign } from '../deliveries';

const look = (body?: string | Buffer, headers?: Parameters<typeof delivery>[1]) =>
	verify(delivery(body, headers), SECRET, NOW);
const signature = (value: string | string[] | undefined) => ({ 'x-service-signature': value });
const timestamp = (value: string | string[] | undefined) => ({ 'x-service-timestamp': value });

test('accepts a signed and fresh delivery', () => {
	expect(look()).toMatchObject({
		verified: true,
		deliveredAt: '2030-01-31T09:00:00.000Z',
		event: {
			id: 'event-1',
			type: 'message.received',
			accountId: 'account-1',
			body: JSON.parse(BODY) as object,
		},
	});
});

test('accepts a signature in upper case', () => {
	expect(look(BODY, signature(sign(BODY).toUpperCase()))).toMatchObject({ verified: true });
});

describe('answers 401 invalid_signature', () => {
	test.each<[string, string | string[] | undefined]>([
		['without a signature', undefined],
		['to an empty one', ''],
		['to one cut short', sign(BODY).slice(0, 32)],
		['to one that goes on', `${sign(BODY)}00`],
		['to one with a prefix', `sha256=${sign(BODY)}`],
		['to one in base64', Buffer.from(sign(BODY), 'hex').toString('base64')],
		['to one of another key', sign(BODY, 'another-secret')],
		['to one of another body', sign(`${BODY} `)],
		['to one made with an empty key', sign(BODY, '')],
		['to two of them', [sign(BODY), sign(BODY)]],
		['to a list of one', [sign(BODY)]],
		['to one with a line break', `${sign(BODY)}\n`],
		['to two joined by a comma', `${sign(BODY)}, ${sign(BODY)}`],
		['to zeros', '0'.repeat(64)],
	])('%s', (_, value) => {
		expect(look(BODY, signature(value))).toMatchObject({ status: 401, error: 'invalid_signature' });
	});

	test('after a comparison in constant time, wherever the signature differs', () => {
		const compare = jest.spyOn(crypto, 'timingSafeEqual');
		const right = sign(BODY);
		const wrongAt = (at: number) =>
			right.slice(0, at) + (right[at] === '0' ? '1' : '0') + right.slice(at + 1);
		const candidates = [0, 31, 63].map(wrongAt);
		for (const candidate of candidates) {
			expect(look(BODY, signature(candidate))).toMatchObject({ error: 'invalid_signature' });
		}
		const bytes = (hex: string) => Buffer.from(hex, 'hex');
		expect(compare.mock.calls).toEqual(candidates.map((candidate) => [bytes(right), bytes(candidate)]));
		compare.mockRestore();
	});

	test('when the credential has no secret, even if the sender signed with none', () => {
		const forged = delivery(BODY, signature(sign(BODY, '')));
		expect(verify(forged, '', NOW)).toMatchObject({
			error: 'invalid_signature',
			reason: expect.stringContaining('no signing secret'),
		});
	});

	test('before it checks anything else', () => {
		expect(look('[', { ...signature('0'.repeat(64)), ...timestamp('x') })).toMatchObject({
			error: 'invalid_signature',
		});
	});
});

describe('the timestamp', () => {
	test.each([-300, -299, 0, 300])('may be %i seconds off', (offset) => {
		expect(look(BODY, timestamp(String(SECONDS + offset)))).toMatchObject({ verified: true });
	});

	test.each<[string, string | string[] | undefined]>([
		['is 301 s old', String(SECONDS - 301)],
		['lies 301 s ahead', String(SECONDS + 301)],
		['is missing', undefined],
		['is empty', ''],
		['is text', 'now'],
		['has a fraction', `${SECONDS}.0`],
		['has an exponent', '1e9'],
		['is hexadecimal', '0x70000000'],
		['has a sign', `+${SECONDS}`],
		['has a space', ` ${SECONDS}`],
		['is in milliseconds', String(NOW)],
		['is endless', '9'.repeat(400)],
		['is there twice', [String(SECONDS), String(SECONDS)]],
		['is in other digits', '١٨٩٦'],
	])('%s: 401 stale_timestamp', (_, value) => {
		expect(look(BODY, timestamp(value))).toMatchObject({ status: 401, error: 'stale_timestamp' });
	});
});

describe('a signed body that is no event', () => {
	test.each<[string, string | Buffer]>([
		['is empty', ''],
		['is no JSON', 'hello'],
		['is a list', '[{}]'],
		['is null', 'null'],
		['is text', '"text"'],
		['is not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
		['is UTF-16', Buffer.from('{"event":"message.received"}', 'utf16le')],
		['is nested 101 levels', `{"a":${'['.repeat(100)}${']'.repeat(100)}}`],
		['is nested a million levels', '['.repeat(1_000_000)],
	])('%s: 400 invalid_body', (_, body) => {
		expect(look(body)).toMatchObject({ status: 400, error: 'invalid_body' });
	});

	test.each([
		['a byte order mark', `\uFEFF${BODY}`],
		['a hundred levels', `{"a":${'['.repeat(99)}${']'.repeat(99)}}`],
		['many neighbours', `{"a":[${Array(200).fill('{"b":[]}').join()}]}`],
		['a byte order mark in a text', JSON.stringify({ a: 'x\uFEFFy' })],
		['quotes in texts', JSON.stringify({ a: '"'.repeat(3), b: '\\"[' })],
		['a line break at its end', `${BODY}\n`],
		['brackets in texts', JSON.stringify({ a: `\\"${'['.repeat(500)}"`, b: '{'.repeat(500) })],
	])('%s is fine', (_, body) => {
		expect(look(body)).toMatchObject({
			verified: true,
			event: { body: JSON.parse(body.replace(/^\uFEFF/, '')) as object },
		});
	});

	test('brackets after a string count as levels again', () => {
		const deep = `"b":${'['.repeat(101)}${']'.repeat(101)}`;
		expect(look(`{"a":"text \\\\",${deep}}`)).toMatchObject({ error: 'invalid_body' });
		expect(
			look(`{"a":"{",${deep.replaceAll('[', '{"c":').replaceAll(']', '}').replace('}', '1}')}}`),
		).toMatchObject({
			error: 'invalid_body',
		});
	});

	test('spaces around an event ID are dropped', () => {
		for (const id of [' event-2 ', 'x'.repeat(256)]) {
			expect(look(BODY, { 'x-service-event-id': id })).toMatchObject({ event: { id: id.trim() } });
		}
	});

	test.each([
		[256, 2],
		[257, 1],
	])('a message ID of %i characters makes %i keys', (length, keys) => {
		const body = JSON.stringify({ event: 'message.received', message: { id: 'x'.repeat(length) } });
		expect(look(body)).toMatchObject({ event: { keys: { length: keys } } });
	});

	test.each([undefined, '', ' ', 'x'.repeat(257)])('event id %j: 400 missing_event_id', (id) => {
		expect(look(BODY, { 'x-service-event-id': id })).toMatchObject({
			status: 400,
			error: 'missing_event_id',
		});
	});
});

describe('the content type', () => {
	test.each([
		undefined,
		'application/json',
		'application/json; charset=utf-8',
		' application/json ;',
		'Application/problem+JSON',
	])('may be %j', (type) => {
		expect(look(BODY, { 'content-type': type })).toMatchObject({ verified: true });
	});

	test.each([
		'text/plain',
		'text/application/json',
		'x application/json',
		'application/jsonp',
		'application/x-www-form-urlencoded',
		'text/json-ish',
	])('may not be %j: 415', (type) => {
		expect(look(BODY, { 'content-type': type })).toMatchObject({ status: 415 });
	});

	test('of a multipart form leaves no bytes to verify: 415', () => {
		expect(verify({ ...delivery(), rawBody: undefined }, SECRET, NOW)).toMatchObject({ status: 415 });
	});
});

describe('the signed body decides', () => {
	const event = (body: object, headers = {}) => {
		const found = look(JSON.stringify(body), headers);
		return found.verified ? found.event : undefined;
	};

	test('on the type and the account of the event', () => {
		const headers = { 'x-service-event': 'connection.connected', 'x-service-account-id': 'other' };
		expect(event({ event: 'message.sent', account_id: 'one' }, headers)).toMatchObject({
			type: 'message.sent',
			accountId: 'one',
		});
		expect(event({}, headers)).toMatchObject({ type: 'connection.connected', accountId: 'other' });
	});

	test('and headers count only where it is silent', () => {
		const headers = { 'x-service-event': undefined, 'x-service-account-id': ['a', 'b'] };
		expect(event({ event: '', account_id: '' }, headers)).toMatchObject({ type: '', accountId: undefined });
		expect(event({ event: '' })).toMatchObject({ type: 'message.received' });
		expect(event({ event: 1 })).toMatchObject({ type: 'message.received' });
	});

	test('the keys of an event: its ID, whatever its body', () => {
		for (const type of ['connection.connected', 'message.sent', 'message.status', 'message.read']) {
			expect(event({ event: type, message: { id: 'message-1' } })?.keys).toEqual(['id event-1']);
		}
	});

	test('the keys of a received message: also the ID in its signed body', () => {
		const message = { id: 'message-1' };
		const keys = ['id event-1', 'message message-1'];
		expect(event({ event: 'message.received', message })?.keys).toEqual(keys);
		expect(event({ event: 'message.received', message, more: 1 })?.keys).toEqual(keys);
		const headers = { 'x-service-event': 'message.status', 'x-service-event-id': '2' };
		expect(event({ event: 'message.received', message }, headers)?.keys).toEqual(['id 2', keys[1]]);
		// The item has the type that only a header says, so that every copy of the message has the same keys.
		expect(event({ message })).toMatchObject({ keys, body: { event: 'message.received', message } });
	});

	test.each([undefined, null, 'text', [], {}, { id: '' }, { id: 1.5 }, { id: 'x'.repeat(257) }])(
		'by what an event is recognized: a received message without a usable id by that of the event (%j)',
		(message) => {
			expect(event({ event: 'message.received', message })?.keys).toEqual(['id event-1']);
		},
	);

	test('and its fields are passed on unchanged, also odd ones', () => {
		const body = '{"event":"message.sent","__proto__":{"polluted":true},"new":[1,{"a":null}]}';
		const found = look(body);
		expect(found.verified && JSON.stringify(found.event.body)).toBe(body);
		expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
	});
});

describe('the log says', () => {
	const noMatch =
		'its signature does not match: the signing secret in the credential is wrong, or someone else sent it';
	const off =
		'its timestamp is more than 300 seconds off: the clock of this machine is wrong, or someone else sent the event again';

	test.each<[string, () => ReturnType<typeof look>]>([
		['its content type is not JSON', () => look(BODY, { 'content-type': 'text/plain' })],
		['it has no signature', () => look(BODY, signature(undefined))],
		['its signature is not 64 hexadecimal digits', () => look(BODY, signature('x'))],
		[noMatch, () => look(BODY, signature('0'.repeat(64)))],
		['it has no timestamp', () => look(BODY, timestamp(undefined))],
		['its timestamp is not a whole number of seconds', () => look(BODY, timestamp('now'))],
		[off, () => look(BODY, timestamp('1'))],
		['its signature is valid, but its body is not a JSON object in UTF-8', () => look('[]')],
		['it has no valid event ID', () => look(BODY, { 'x-service-event-id': '' })],
		['the credential has no signing secret, so no event can be verified', () => verify(delivery(), '', NOW)],
	])('%s', (reason, found) => {
		expect(found()).toMatchObject({ verified: false, reason });
	});
});

test('the credential is read again only for a signature that another secret could have made', () => {
	const isWorthIt = (found: ReturnType<typeof look>) => !found.verified && found.maybeOtherSecret === true;
	expect(isWorthIt(look(BODY, signature(sign(BODY, 'another-secret'))))).toBe(true);
	expect(isWorthIt(verify(delivery(), '', NOW))).toBe(true);
	for (const value of [undefined, 'x']) expect(isWorthIt(look(BODY, signature(value)))).toBe(false);
});
