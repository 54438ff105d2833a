import {
	areSame,
	combined,
	subscriberAt,
	withoutExpired,
	withoutSubscriber,
	withSubscriber,
	type Subscriber,
} from '../../../nodes/MessagingChannel/webhook/subscribers';

const subscriber = (name: string, more: Partial<Subscriber> = {}): Subscriber => ({
	url: `https://n8n.example.com/webhook/${name}/webhook`,
	kind: 'workflow',
	events: ['message.received'],
	timeoutSeconds: 30,
	...more,
});
const one = subscriber('one');
const two = subscriber('two');
const listening = subscriber('listening', { kind: 'test', expiresAt: 1_000 });
const ended = subscriber('ended', { kind: 'test', expiresAt: 900 });
const external: Subscriber = {
	url: 'https://other.example.com',
	kind: 'external',
	events: [],
	timeoutSeconds: 9,
};

test.each<[string, readonly Subscriber[], Subscriber, readonly Subscriber[]]>([
	['the first', [], one, [one]],
	['behind the hub', [one], two, [one, two]],
	['a workflow before a test and another system', [listening, external], one, [one, listening, external]],
	['a test before another system', [external], listening, [listening, external]],
	['a test behind the workflows', [one, external], listening, [one, listening, external]],
	['a test before other tests', [one, ended], listening, [one, listening, ended]],
	['a test that is known before other tests', [ended, listening], listening, [listening, ended]],
	['another system last', [one, listening], external, [one, listening, external]],
])('adds %s', (_, subscribers, added, expected) => {
	expect(withSubscriber(subscribers, added)).toEqual(expected);
});

test('updates a known subscriber in its place', () => {
	const changed = { ...one, timeoutSeconds: 60 };
	expect(withSubscriber([one, two], changed)).toEqual([changed, two]);
	expect(withSubscriber([one, two], { ...one, kind: 'external' })).toEqual([
		two,
		{ ...one, kind: 'external' },
	]);
});

test.each<[string, readonly Subscriber[], string, readonly Subscriber[]]>([
	['the hub, so that the next one becomes it', [one, two, external], one.url, [two, external]],
	[
		'the last workflow, so that a test becomes the hub',
		[one, listening, external],
		one.url,
		[listening, external],
	],
	['one in the middle', [one, two, external], two.url, [one, external]],
	['nobody who is not there', [one, two], external.url, [one, two]],
])('removes %s', (_, subscribers, url, expected) => {
	expect(withoutSubscriber(subscribers, url)).toEqual(expected);
});

test.each([
	[1_000_000, true],
	[1_000_001, false],
])('at %i ms, a test that n8n ends after 1,000 s is there: %s', (now, isThere) => {
	expect(withoutExpired([one, listening], now)).toEqual(isThere ? [one, listening] : [one]);
});

test('a subscriber is found by its URL', () => {
	expect(subscriberAt([one, two], two.url)).toBe(two);
	expect(subscriberAt([one], two.url)).toBeUndefined();
});

test('the service must send all events with the longest timeout', () => {
	const patient = { ...two, events: ['message.status', 'message.received'], timeoutSeconds: 40 };
	expect(combined([one, patient, external])).toEqual({
		events: ['message.received', 'message.status'],
		timeoutSeconds: 40,
	});
});

test.each<[string, Partial<Subscriber>, boolean]>([
	['the same', {}, true],
	['the events in another order', { events: ['message.received', 'message.sent'] }, true],
	['other events', { events: ['message.sent'] }, false],
	['another URL', { url: two.url }, false],
	['another kind', { kind: 'test' }, false],
	['another timeout', { timeoutSeconds: 31 }, false],
	['another end', { expiresAt: 1 }, false],
])('a list with %s is the same: %s', (_, change, expected) => {
	const known = { ...one, events: ['message.sent', 'message.received'] };
	expect(areSame([known, two], [{ ...known, ...change }, two])).toBe(expected);
});

test('a list in another order, or a shorter one, is another list', () => {
	expect(areSame([one, two], [two, one])).toBe(false);
	expect(areSame([one, two], [one])).toBe(false);
});
