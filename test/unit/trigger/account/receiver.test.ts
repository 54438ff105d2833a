import { createReceiver, type Presence } from '../../../../nodes/MessagingChannel/trigger/account/receiver';
import type { ForwardResult } from '../../../../nodes/MessagingChannel/trigger/sharing/forward';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe('a receiver that is asked whether it is there', () => {
	const seen = (...answers: Array<[Presence, number]>) => {
		const receiver = createReceiver('workflow');
		for (const [presence, at] of answers) receiver.noteAnswer(presence, at);
		return [receiver.isGone(true), receiver.isGone(false), receiver.isSilent()];
	};
	test.each<[string, Array<[Presence, number]>, boolean[]]>([
		['has never been asked', [], [false, false, false]],
		['was absent once', [['absent', 0]], [false, false, false]],
		[
			'was absent for a minute',
			[
				['absent', 0],
				['absent', MINUTE],
			],
			[true, false, false],
		],
		[
			'was absent for 44 s',
			[
				['absent', 0],
				['absent', 44 * SECOND],
			],
			[false, false, false],
		],
		[
			'was absent for five minutes',
			[
				['absent', 0],
				['absent', 5 * MINUTE],
			],
			[true, true, false],
		],
		[
			'was absent twice, long apart',
			[
				['absent', 0],
				['absent', 7 * MINUTE],
			],
			[false, false, false],
		],
		[
			'was there in between',
			[
				['absent', 0],
				['present', MINUTE],
				['absent', 5 * MINUTE],
			],
			[false, false, false],
		],
		[
			'was silent for five minutes',
			[
				['silent', 0],
				['silent', 5 * MINUTE],
			],
			[false, false, true],
		],
		[
			'was silent, and absent then',
			[
				['silent', 0],
				['absent', 5 * MINUTE],
			],
			[false, false, false],
		],
	])('%s', (_, answers, verdict) => {
		expect(seen(...answers)).toEqual(verdict);
	});
});

describe('events that find nothing', () => {
	test.each<['workflow' | 'external', number[], boolean]>([
		['workflow', [0, 2, 4, 5], true],
		['workflow', [0, 2, 4], false],
		['workflow', [0, 5], false],
		['external', [0, 5], true],
		['external', [0, 61], false],
	])('(%s) in the minutes %j need no longer wait for it: %s', (kind, minutes, isMissing) => {
		const receiver = createReceiver(kind);
		for (const minute of minutes) receiver.noteEvent('event', 'absent', minute * MINUTE);
		expect(receiver.isMissing()).toBe(isMissing);
		receiver.noteEvent('event', 'accepted', 70 * MINUTE);
		expect(receiver.isMissing()).toBe(false);
	});
});

/** An event that is forwarded: its ID, what becomes of it, and when. */
type Event = [string, ForwardResult, number];

describe('the user is told of a receiver', () => {
	const told = (kind: 'workflow' | 'external', events: Event[]) => {
		const receiver = createReceiver(kind);
		return events.flatMap(([id, result, at]) => {
			receiver.noteEvent(id, result, at);
			return receiver.takeTrouble(result, at) ?? [];
		});
	};
	const each = (count: number, eventAt: (index: number) => Event) =>
		Array.from({ length: count }, (_, index) => eventAt(index));

	test.each<[string, 'workflow' | 'external', Event[], object[]]>([
		['fails once', 'workflow', [['a', 'failed', 0]], []],
		[
			'fails for five minutes',
			'workflow',
			[
				['a', 'failed', 0],
				['a', 'failed', 5 * MINUTE],
			],
			[{ trouble: 'fails', since: 0 }],
		],
		[
			'fails seldom, with events that it never accepts',
			'workflow',
			[
				['a', 'failed', 0],
				['b', 'accepted', HOUR],
				['c', 'failed', 2 * HOUR],
			],
			[{ trouble: 'fails', since: 0 }],
		],
		[
			'never accepts one event, and all others',
			'external',
			[
				['a', 'failed', 0],
				['b', 'accepted', MINUTE],
				['a', 'failed', 10 * MINUTE],
			],
			[{ trouble: 'fails', since: 0 }],
		],
		[
			'accepts with the second delivery what it did not with the first',
			'workflow',
			each(20, (index) => [`${index >> 1}`, index % 2 ? 'accepted' : 'failed', index * 10 * MINUTE]),
			[],
		],
		[
			'fails twice, more than a day apart',
			'workflow',
			[
				['a', 'failed', 0],
				['a', 'failed', 25 * HOUR],
				['b', 'failed', 25 * HOUR],
			],
			[],
		],
		['refuses four events', 'external', each(4, (index) => [`${index}`, 'refused', index]), []],
		[
			'refuses one event of many',
			'external',
			each(20, (index) => [`${index}`, index % 4 ? 'accepted' : 'refused', index]),
			[{ trouble: 'refuses', since: 0 }],
		],
		[
			'is hidden by a proxy that refuses',
			'workflow',
			each(5, (index) => [`${index}`, 'refused', index]),
			[{ trouble: 'blocked', since: 0 }],
		],
		// Its own execution says that its secret is wrong.
		['cannot verify events', 'workflow', each(20, (index) => [`${index}`, 'unverified', index * HOUR]), []],
		[
			'is gone, another system',
			'external',
			[
				['a', 'absent', 0],
				['b', 'absent', 5 * MINUTE],
			],
			[{ trouble: 'refuses', since: 0 }],
		],
		// The repair removes it.
		['is gone, a workflow', 'workflow', each(9, (index) => ['a', 'absent', index * MINUTE]), []],
		[
			'fails for hours, once an hour',
			'workflow',
			each(13, (index) => ['a', 'failed', index * 10 * MINUTE]),
			[
				{ trouble: 'fails', since: 0 },
				{ trouble: 'fails', since: 0 },
			],
		],
	])('that %s', (_, kind, events, reports) => {
		expect(told(kind, events)).toEqual(reports);
	});

	test('again with the next event if the report did not arrive', () => {
		const receiver = createReceiver('workflow');
		const fail = (at: number) => {
			receiver.noteEvent('a', 'failed', at);
			return receiver.takeTrouble('failed', at) !== undefined;
		};
		expect([fail(0), fail(5 * MINUTE), fail(6 * MINUTE)]).toEqual([false, true, false]);
		receiver.forgetReport();
		expect(fail(7 * MINUTE)).toBe(true);
	});
});

test('a receiver says in a few words what is wrong with it', () => {
	const receiver = createReceiver('workflow');
	expect(receiver.describe(0)).toBeUndefined();
	receiver.noteAnswer('silent', 0);
	receiver.noteEvent('a', 'failed', 0);
	receiver.noteEvent('b', 'absent', 0);
	expect(receiver.describe(MINUTE)).toBe('silent for 60 s, 404 to events for 60 s, 1 events not accepted');
	receiver.noteAnswer('absent', MINUTE);
	expect(receiver.describe(2 * MINUTE)).toContain('absent for 60 s');
});

test('a receiver remembers a thousand events', () => {
	const receiver = createReceiver('workflow');
	for (let index = 0; index <= 1_100; index++) receiver.noteEvent(`${index}`, 'failed', index);
	expect(receiver.describe(0)).toBe('1000 events not accepted');
});
