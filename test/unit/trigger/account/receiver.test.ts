import { createReceiver, type Presence } from '../../../../nodes/MessagingChannel/trigger/account/receiver';
import type { ForwardResult } from '../../../../nodes/MessagingChannel/trigger/sharing/forward';

const MINUTE = 60_000;

describe('a receiver that is asked whether it is there', () => {
	/** Responses as `absent 44`: what became of a question, and when, in seconds. */
	const seen = (...responses: string[]) => {
		const receiver = createReceiver('workflow');
		for (const response of responses) {
			const [presence, seconds] = response.split(' ');
			receiver.noteAnswer(presence as Presence, Number(seconds) * 1_000);
		}
		return [receiver.isGone(true), receiver.isGone(false), receiver.isSilent()];
	};
	const PRESENT = [false, false, false];

	test.each<[string, string[], boolean[]]>([
		['has never been asked', [], PRESENT],
		['was absent once', ['absent 0'], PRESENT],
		['was absent for 44 s', ['absent 0', 'absent 44'], PRESENT],
		['was absent for a minute', ['absent 0', 'absent 60'], [true, false, false]],
		['was absent for five minutes', ['absent 0', 'absent 300'], [true, true, false]],
		['was absent twice, long apart', ['absent 0', 'absent 420'], PRESENT],
		['was there in between', ['absent 0', 'present 60', 'absent 300'], PRESENT],
		['was silent for five minutes', ['silent 0', 'silent 300'], [false, false, true]],
		['was silent, and absent then', ['silent 0', 'absent 300'], PRESENT],
	])('%s', (_, responses, verdict) => {
		expect(seen(...responses)).toEqual(verdict);
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

describe('the user is told of a receiver', () => {
	/** Forwards events as `a failed 5`: the ID, what becomes of it, and when, in minutes. */
	const told = (kind: 'workflow' | 'external', events: string[]) => {
		const receiver = createReceiver(kind);
		return events.flatMap((event) => {
			const [id = '', result, minute] = event.split(' ');
			const at = Number(minute) * MINUTE;
			receiver.noteEvent(id, result as ForwardResult, at);
			return receiver.takeTrouble(result as ForwardResult, at) ?? [];
		});
	};
	const each = (count: number, eventAt: (index: number) => string) =>
		Array.from({ length: count }, (_, index) => eventAt(index));
	const FAILS = { trouble: 'fails', since: 0 };
	const REFUSES = { trouble: 'refuses', since: 0 };

	test.each<[string, 'workflow' | 'external', string[], object[]]>([
		['fails once', 'workflow', ['a failed 0'], []],
		['fails for five minutes', 'workflow', ['a failed 0', 'a failed 5'], [FAILS]],
		[
			'fails seldom, with events that it never accepts',
			'workflow',
			['a failed 0', 'b accepted 60', 'c failed 120'],
			[FAILS],
		],
		[
			'never accepts one event, and all others',
			'external',
			['a failed 0', 'b accepted 1', 'a failed 10'],
			[FAILS],
		],
		[
			'accepts with the second delivery what it did not with the first',
			'workflow',
			each(20, (index) => `${index >> 1} ${index % 2 ? 'accepted' : 'failed'} ${index * 10}`),
			[],
		],
		['fails twice, a day apart', 'workflow', ['a failed 0', 'b failed 1440'], [FAILS]],
		['fails twice with one event, days apart', 'workflow', ['a failed 0', 'a failed 5000'], [FAILS]],
		['fails twice, more than a day apart', 'workflow', ['a failed 0', 'b failed 1441'], []],
		[
			'fails once a day, each day a bit later, with events that it never accepts',
			'workflow',
			each(16, (index) => `${index} failed ${index * 1450}`),
			[FAILS, FAILS],
		],
		[
			'refuses one event a day',
			'external',
			each(6, (index) => `${index} refused ${index * 1450}`),
			[REFUSES, REFUSES],
		],
		[
			'fails once every six days, with events that it never accepts',
			'workflow',
			each(6, (index) => `${index} failed ${index * 8_640}`),
			[FAILS],
		],
		['fails once a week', 'workflow', each(9, (index) => `${index} failed ${index * 10_080}`), []],
		[
			'is another system and responds 404 to an event every two hours, which is delivered again once',
			'external',
			each(12, (index) => `${index >> 1} absent ${(index >> 1) * 120 + (index % 2)}`),
			Array<object>(5).fill(FAILS),
		],
		[
			'is another system that responds 404 now and then, and accepts with the second delivery',
			'external',
			each(20, (index) => `${index >> 1} ${index % 2 ? 'accepted' : 'absent'} ${index * 60}`),
			[],
		],
		[
			'was told to have lost events, and fails once days later',
			'workflow',
			[...each(9, (index) => `${index >> 1} failed ${index}`), 'x failed 9000', 'x accepted 9001'],
			[FAILS],
		],
		['restarts, another system', 'external', each(9, (index) => `${index} absent ${index / 10}`), []],
		[
			'refuses four of five events',
			'external',
			['x failed 0', ...each(4, (index) => `${index} refused ${index}`)],
			[],
		],
		[
			'refuses one event of many',
			'external',
			each(20, (index) => `${index} ${index % 4 ? 'accepted' : 'refused'} ${index}`),
			[REFUSES],
		],
		[
			'is hidden by a proxy that refuses, and fails once later',
			'workflow',
			[...each(5, (index) => `${index} refused ${index}`), 'x failed 70'],
			[{ trouble: 'blocked', since: 0 }],
		],
		// Its own execution says that its secret is wrong.
		['cannot verify events', 'workflow', each(20, (index) => `${index} unverified ${index * 60}`), []],
		['is gone, another system', 'external', ['a absent 0', 'a absent 5'], [REFUSES]],
		// The repair removes it.
		['is gone, a workflow', 'workflow', each(9, (index) => `a absent ${index}`), []],
		[
			'fails for hours, once an hour',
			'workflow',
			each(14, (index) => `a failed ${index * 10}`),
			[FAILS, FAILS, FAILS],
		],
	])('that %s', (_, kind, events, reports) => {
		expect(told(kind, events)).toEqual(reports);
	});

	test('again with the next event if the report did not arrive', () => {
		const receiver = createReceiver('workflow');
		const fail = (minute: number) => {
			receiver.noteEvent('a', 'failed', minute * MINUTE);
			return receiver.takeTrouble('failed', minute * MINUTE) !== undefined;
		};
		expect([fail(0), fail(5), fail(6)]).toEqual([false, true, false]);
		receiver.forgetReport();
		expect(fail(7)).toBe(true);
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
