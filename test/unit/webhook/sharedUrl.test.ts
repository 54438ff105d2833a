import { randomUUID } from 'node:crypto';

import fc from 'fast-check';

import {
	readSubscribers,
	registrationOf,
	subscribersIn,
	SUBSCRIBERS_PARAMETER,
	TooManySubscribers,
	withoutQuery,
} from '../../../nodes/MessagingChannel/webhook/sharedUrl';
import { secretDigestOf } from '../../../nodes/MessagingChannel/webhook/sharingKey';
import {
	areSame,
	type Subscriber,
	type Subscribers,
} from '../../../nodes/MessagingChannel/webhook/subscribers';

const SECRET = 'a-signing-secret';

const workflow = (id: string, more: Partial<Subscriber> = {}): Subscriber => ({
	url: `https://n8n.example.com/webhook/${id}/webhook`,
	kind: 'workflow',
	events: ['message.received'],
	timeoutSeconds: 30,
	...more,
});
const one = workflow('one', { events: ['message.received', 'connection.disconnected'] });
const two = workflow('two', { events: [], timeoutSeconds: 5 });
const listening = workflow('three', {
	url: 'https://n8n.example.com/webhook-test/three/webhook',
	kind: 'test',
	expiresAt: 1_900_000_000,
});
const external: Subscriber = {
	url: 'https://other.example.com/höok?token=a~b&c=%20#x',
	kind: 'external',
	events: ['message.new'],
	timeoutSeconds: 2.5,
};
const all: Subscribers = [one, two, listening, external];
const shared = registrationOf(all, SECRET);
const listIn = (url: string) => new URL(url).searchParams.get(SUBSCRIBERS_PARAMETER) ?? '';
const list = listIn(shared.url);

const anyUrl = fc.oneof(
	fc
		.tuple(
			fc.constantFrom('https://n8n.example.com', 'http://127.0.0.1:5678/base', 'https://b.example.com'),
			fc.constantFrom('webhook', 'webhook-test'),
			fc.oneof(
				fc.uuid(),
				fc.stringMatching(/^[A-Za-z\d-]{1,16}$/),
				fc.constant('wf/Node%20name'),
				fc.constant('_'),
			),
			fc.constantFrom('webhook', 'other', ''),
		)
		.map(([origin, ...path]) => [origin, ...path].join('/')),
	fc.webUrl({ withQueryParameters: true, withFragments: true }),
);
const anySubscriber: fc.Arbitrary<Subscriber> = fc
	.record({
		url: anyUrl,
		kind: fc.constantFrom('workflow' as const, 'test' as const, 'external' as const),
		events: fc.uniqueArray(
			fc.oneof(
				fc.constantFrom('message.received', 'message.sent', 'message.status', 'connection.connected'),
				fc.string({ maxLength: 8 }),
			),
			{ maxLength: 5 },
		),
		timeoutSeconds: fc.oneof(
			fc.nat(),
			fc.integer(),
			fc.double({ noNaN: true, noDefaultInfinity: true }).map((seconds) => seconds + 0),
		),
		expiresAt: fc.option(fc.nat(), { nil: undefined }),
		answerTag: fc.option(fc.string(), { nil: undefined }),
	})
	// Only tests expire, and only workflows take answers.
	.map(({ expiresAt, answerTag, ...more }) => ({
		...more,
		...(more.kind === 'test' && { expiresAt }),
		...(more.kind === 'workflow' && { answerTag }),
	}));
const anySubscribers = fc
	.uniqueArray(anySubscriber, { selector: ({ url }) => url, minLength: 2, maxLength: 4 })
	// The hub is a trigger of this package, whose URL has no query.
	.filter(([hub]) => hub !== undefined && hub.kind !== 'external' && !/[?#]/.test(hub.url));

test('any subscribers are read as they were registered, in unreserved characters', () => {
	fc.assert(
		fc.property(anySubscribers, fc.string({ minLength: 1 }), (subscribers, secret) => {
			const { url } = registrationOf(subscribers, secret);
			expect(withoutQuery(url)).toBe(subscribers[0]?.url);
			expect(url.split('?')[1]).toMatch(/^subscribers=[\w.~-]+$/);
			const read = subscribersIn(url, secret);
			expect(read?.isSigned).toBe(true);
			if (!areSame(read?.subscribers ?? [], subscribers)) expect(read?.subscribers).toEqual(subscribers);
		}),
		{ numRuns: 200 },
	);
});

test.each<[string, Subscriber]>([
	['a workflow', one],
	['another system', external],
])('%s alone is registered as it is', (_, { url, events, timeoutSeconds, kind }) => {
	expect(registrationOf([{ url, events, timeoutSeconds, kind }], SECRET)).toEqual({
		url,
		events,
		timeoutSeconds,
	});
});

test('a workflow alone that takes answers is registered with its tag', () => {
	const taker = { ...one, answerTag: 'tag' };
	expect(subscribersIn(registrationOf([taker], SECRET).url, SECRET)).toEqual({
		subscribers: [taker],
		isSigned: true,
	});
	expect(areSame([one], [taker])).toBe(false);
	expect(areSame([taker], [{ ...taker, answerTag: 'other' }])).toBe(false);
});

test('another system forwards nothing, so it is registered alone', () => {
	const { kind, ...registration } = external;
	expect(kind).toBe('external');
	expect(registrationOf([external, { ...external, url: 'https://other.test/' }], SECRET)).toEqual(
		registration,
	);
});

test('a test alone is registered with its end', () => {
	expect(subscribersIn(registrationOf([listening], SECRET).url, SECRET)).toEqual({
		subscribers: [listening],
		isSigned: true,
	});
});

test.each<[string, (url: string) => string]>([
	['%7E for ~', (url) => url.replaceAll('~', '%7E')],
	[
		'%2E, %2D and %5F',
		(url) => url.replace(/[._-](?=[^/]*$)/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`),
	],
	['lower case', (url) => url.replaceAll('~', '%7e')],
	['another parameter behind', (url) => `${url}&check=1`],
	['another parameter before', (url) => url.replace('?', '?check=1&')],
	['a fragment', (url) => `${url}#a`],
])('the service may return the URL with %s', (_, encode) => {
	const [address = '', query = ''] = shared.url.split('?');
	const [, encoded = ''] = encode(`https://x.example.com?${query}`).split('?');
	expect(subscribersIn(`${address}?${encoded}`, SECRET)).toEqual({
		subscribers: all.map((each) => expect.objectContaining(each)),
		isSigned: true,
	});
});

const lists: Array<[string, string, string, string]> = [
	['another secret', one.url, list, 'another'],
	['no secret', one.url, listIn(registrationOf(all, '').url), ''],
	['a changed timeout', one.url, list.replace('.30~', '.31~'), SECRET],
	['a removed subscriber', one.url, list.split('~').toSpliced(1, 1).join('~'), SECRET],
	['the list of another hub', two.url, list, SECRET],
	['a cut list', one.url, list.slice(0, 30), SECRET],
	['a MAC of another length', one.url, `${list}x`, SECRET],
];
test.each(lists)('%s: read, but not signed', (_, hubUrl, value, secret) => {
	expect(readSubscribers(hubUrl, value, secret)).toMatchObject({ isSigned: false });
});

const encoded = (value: unknown) => `_${Buffer.from(JSON.stringify(value)).toString('base64url')}~mac`;
test.each<[string, unknown]>([
	['nothing', undefined],
	['no text', ['a', 'b']],
	['an empty value', ''],
	['a MAC alone', 'abc'],
	['a value cut in its first entry', list.slice(0, 3)],
	['two hubs', `${list.split('~')[0]}~${list}`],
	['no hub', list.split('~').slice(1).join('~')],
	['reserved characters', '.1.30~a/b.1.30~mac'],
	['a timeout that is no number', '.1.x~mac'],
	['no JSON', '_eA~mac'],
	['JSON that is no array', encoded({})],
	['an entry without a URL', encoded([1, 'test', [], 30])],
	['an entry with no real URL', encoded(['x', 'test', [], 30])],
	['an unknown kind', encoded([one.url, 'other', [], 30])],
	['an entry with a list of URLs', encoded([[one.url], 'test', [], 30])],
	['events that are no array', encoded([one.url, 'test', 'x', 30])],
	['a timeout with something after it', '.1.30x~mac'],
	['a list in an array', [list]],
	['a list after a line break', `\n${list}`],
	['a list with something after it', `${list} x`],
	['a timeout as text', encoded([one.url, 'test', [], '30'])],
])('%s is not a list', (_, value) => {
	expect(readSubscribers(one.url, value, SECRET)).toBeUndefined();
});

test.each(['not a URL', external.url, one.url])('there is no list in %j', (url) => {
	expect(subscribersIn(url, SECRET)).toBeUndefined();
});

test('a URL has at most 2,000 characters', () => {
	const workflows = Array.from({ length: 100 }, () => workflow(randomUUID()));
	const lengths = workflows.flatMap((_, count) => {
		try {
			return count > 1 ? [registrationOf(workflows.slice(0, count), SECRET).url.length] : [];
		} catch (error) {
			expect(error).toBeInstanceOf(TooManySubscribers);
			return [];
		}
	});
	expect(lengths.length).toBeGreaterThanOrEqual(30);
	expect(lengths.length).toBeLessThan(60);

	const withId = (length: number) => registrationOf([one, workflow('x'.repeat(length))], SECRET).url;
	const longest = 2_001 - withId(1).length;
	expect(withId(longest)).toHaveLength(2_000);
	expect(() => withId(longest + 1)).toThrow(TooManySubscribers);
});

test('what an earlier version registered or saved is still right', () => {
	const { url, events } = registrationOf([one, two, listening], SECRET);
	expect(events).toEqual(['connection.disconnected', 'message.received']);
	expect(url).toBe(
		'https://n8n.example.com/webhook/one/webhook?subscribers=.h.30~two.0.5~_WyJodHRwczovL244bi5leGFtcGxlLmNvbS93ZWJob29rLXRlc3QvdGhyZWUvd2ViaG9vayIsInRlc3QiLFsibWVzc2FnZS5yZWNlaXZlZCJdLDMwLDE5MDAwMDAwMDBd~eegnkQ-DdB5W2qPRM8wVQg',
	);
	expect(secretDigestOf(SECRET)).toBe('N+UV/YFpV/ZnpUf011c6RlA4cuxG4UbxOSZ0611bx+o=');
});

test.each([
	'https://b.example.com/webhook/two/webhook',
	'https://n8n.example.com/webhook/two/other',
	'https://n8n.example.com/webhook/two/webhook?a=1',
])('a workflow at %s keeps its URL beside a hub with another one', (url) => {
	const other = workflow('two', { url });
	expect(subscribersIn(registrationOf([one, other], SECRET).url, SECRET)?.subscribers).toEqual([one, other]);
});

test('a list of a later version may have events that this one does not know', () => {
	const read = readSubscribers(one.url, '.11.30~mac', SECRET);
	expect(read?.subscribers).toEqual([{ ...one, events: ['message.received', 'message.status'] }]);
});

test('beside a hub without a path, an ID is no URL', () => {
	expect(readSubscribers('https://n8n.example.com', '.1.30~two.1.30~mac', SECRET)).toBeUndefined();
});

test('a tag that is no text is none', () => {
	const [read] =
		readSubscribers(one.url, encoded([one.url, 'workflow', [], 30, null, 5]), SECRET)?.subscribers ?? [];
	expect(Object.keys(read ?? {})).toEqual(['url', 'kind', 'events', 'timeoutSeconds']);
});
