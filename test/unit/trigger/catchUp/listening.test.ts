import type { IDataObject } from 'n8n-workflow';

import {
	noteEnded,
	noteListening,
	notePublishing,
	wantedSince,
} from '../../../../nodes/MessagingChannel/trigger/catchUp/listening';
import { clock } from '../../../../nodes/MessagingChannel/trigger/account/clock';

const MINUTE = 60_000;

/** A trigger with these parameters that n8n starts for this reason, and what n8n keeps of it. */
function triggerOf(kept: IDataObject, mode = 'update', parameters: IDataObject = {}) {
	const values: IDataObject = {
		pollInterval: parameters.pollInterval,
		'options.catchUp': (parameters.options as IDataObject | undefined)?.catchUp,
	};
	return {
		saved: kept,
		node: { id: 'node', parameters },
		parameters: { getNodeParameter: (name: string, fallback: unknown) => values[name] ?? fallback },
		activationMode: mode,
	} as unknown as Parameters<typeof noteListening>[0];
}

const setClock = (now: number) => jest.spyOn(clock, 'now').mockReturnValue(now);

afterEach(() => jest.restoreAllMocks());

test('a trigger that was off for five minutes has listened all the time, and one that was off for longer has not', () => {
	const kept: IDataObject = {};
	setClock(1_000_000);
	noteListening(triggerOf(kept));

	for (const [offMs, since] of [
		[300_000, 1_000_000],
		[300_001, 2_000_000],
	] as const) {
		kept.endedAt = 2_000_000 - offMs;
		setClock(2_000_000);
		noteListening(triggerOf(kept));
		expect(kept.listeningSince).toBe(since);
	}
});

test.each([
	['init', 10 * MINUTE, 'goes on'],
	['leadershipChange', 10 * MINUTE, 'goes on'],
	['update', 10 * MINUTE, 'begins anew'],
	['update', MINUTE, 'goes on'],
	['activate', MINUTE, 'begins anew'],
	['create', MINUTE, 'begins anew'],
])('a trigger started by "%s", %d ms after its end, %s', (mode, offMs, does) => {
	const kept: IDataObject = {};
	setClock(0);
	noteListening(triggerOf(kept));
	noteEnded(triggerOf(kept));
	setClock(offMs);
	const trigger = triggerOf(kept, mode);

	const since = does === 'goes on' ? 0 : offMs;
	expect(wantedSince(trigger, offMs, false)).toBe(since);
	notePublishing(trigger);
	expect(kept).toEqual(does === 'goes on' ? expect.objectContaining({ listeningSince: 0, endedAt: 0 }) : {});
	noteListening(trigger);
	expect(kept).toEqual({ listeningSince: since, listeningTo: expect.anything() as string });
});

describe('a trigger that was published with other filters', () => {
	const options = { chats: ['a@c.us'], chatType: ['group'], messageTypes: ['text'], keywords: ['price'] };
	const before = { events: ['message.received'], options };

	test.each([
		['other chats', { ...before, options: { ...options, chats: ['b@c.us'] } }],
		['another type of chat', { ...before, options: { ...options, chatType: ['individual'] } }],
		['other types of messages', { ...before, options: { ...options, messageTypes: ['image'] } }],
		['other keywords', { ...before, options: { ...options, keywords: ['order'] } }],
		['answers taken before filters', { ...before, options: { ...options, takeAnswers: true } }],
		['other events', { ...before, events: ['chat.updated'] }],
	])('wants only what came in since it ended: %s', (_, after) => {
		const kept: IDataObject = {};
		setClock(MINUTE);
		noteListening(triggerOf(kept, 'update', before));
		setClock(2 * MINUTE);
		noteEnded(triggerOf(kept, 'update', before));
		// n8n could not start it with the other filters, and ends it once more.
		setClock(2.5 * MINUTE);
		noteEnded(triggerOf(kept, 'update', after));
		setClock(3 * MINUTE);

		const since = (parameters: IDataObject, mode?: string) =>
			wantedSince(triggerOf(kept, mode, parameters), 3 * MINUTE, false) / MINUTE;
		expect([since(before), since(after), since({ ...after, listen: 'poll', pollInterval: 30 })]).toEqual([
			1, 2, 1.5,
		]);
		// n8n was down, so nobody knows what the trigger listened to.
		expect(since(after, 'init')).toBe(3);
	});

	test.each([
		[{}, MINUTE],
		[{ chats: ['a@c.us'] }, 2 * MINUTE],
	])('wants what came in before it took answers where there is no filter: %j', (filter, since) => {
		const kept: IDataObject = {};
		setClock(MINUTE);
		noteListening(triggerOf(kept, 'update', { options: filter }));
		setClock(2 * MINUTE);
		noteEnded(triggerOf(kept, 'update', { options: filter }));
		const trigger = triggerOf(kept, 'update', { options: { ...filter, takeAnswers: true } });
		expect(wantedSince(trigger, 3 * MINUTE, false)).toBe(since);
	});
});

test.each([
	[undefined, 720],
	[90, 90],
	[0, 0],
])('messages are looked for as far back as the panel says: %j minutes', (catchUp, minutes) => {
	const kept: IDataObject = {};
	setClock(0);
	noteListening(triggerOf(kept, 'update', {}));

	const trigger = triggerOf(kept, 'update', { options: { catchUp } });
	setClock(1_000 * MINUTE);
	expect(wantedSince(trigger, 1_000 * MINUTE, false)).toBe((1_000 - minutes) * MINUTE);
});

test.each([
	['a time that is just now', { listeningSince: 11 * MINUTE }, 11],
	['a time that is to come, because the clock was set back', { listeningSince: 11 * MINUTE + 1 }, 10],
])('after it listened to %s, a trigger wants messages from the right time on', (_, before, since) => {
	const kept: IDataObject = {};
	setClock(MINUTE);
	noteListening(triggerOf(kept));
	Object.assign(kept, before);

	setClock(11 * MINUTE);
	expect(wantedSince(triggerOf(kept), 10 * MINUTE, false) / MINUTE).toBe(since);
});

test.each([
	[{}, true],
	[{ options: { catchUp: 0 } }, false],
	[{ options: { catchUp: 0 }, listen: 'webhook' }, false],
	[{ options: { catchUp: 0 }, listen: 'poll' }, true],
])('nothing is kept of a trigger that looks for no messages: %j', (parameters, isKept) => {
	const kept: IDataObject = {};
	noteListening(triggerOf(kept, 'update', parameters));
	expect('listeningSince' in kept).toBe(isKept);
});
