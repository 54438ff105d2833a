import type { IDataObject } from 'n8n-workflow';

import {
	chatOf,
	combineEventsOf,
	requireValidCombination,
} from '../../../../nodes/MessagingChannel/trigger/delivery/options';
import { eventWith } from '../deliveries';

const parametersOf = (options: IDataObject) => ({
	getNodeParameter: (name: string, fallback: unknown) => options[name.replace('options.', '')] ?? fallback,
});
const combining = (options: IDataObject) => combineEventsOf(parametersOf(options));
const whenBusy = (maxEvents: unknown) =>
	combining({ combineEvents: 'whenBusy', maxEvents: maxEvents as IDataObject[string] });
const perChat = (silence: number, timeoutSeconds?: number) => ({
	combineEvents: 'perChat',
	silence,
	timeoutSeconds,
});

test('each event starts an execution of its own, whatever the options of the other ways are', () => {
	expect(combining({})).toEqual({ mode: 'never' });
	expect(combining({ combineEvents: 'never', maxEvents: 0, silence: 0 })).toEqual({ mode: 'never' });
});

describe('when n8n is busy', () => {
	test.each([1, 100, '7'])('%j events may go together', (maxEvents) => {
		expect(whenBusy(maxEvents)).toEqual({
			mode: 'whenBusy',
			maxEvents: Number(maxEvents),
			maxWaitMs: 5_000,
		});
	});

	test.each([0, 101])('%j events may not', (maxEvents) => {
		expect(() => whenBusy(maxEvents)).toThrow(/^'Max Events' is too (small|large): /);
	});

	test('none waits longer than half of the time that the service waits', () => {
		expect(combining({ combineEvents: 'whenBusy', timeoutSeconds: 4 })).toMatchObject({
			maxWaitMs: 2_000,
		});
	});
});

describe('the messages of a chat', () => {
	test.each([
		// The time that n8n needs is left.
		[10, 30, 14_000],
		[0.5, 30, 14_000],
		[4, 10, 4_000],
	])('wait for %d seconds of silence (timeout %d)', (silence, own, maxWaitMs) => {
		const options = perChat(silence, own);
		expect(() => requireValidCombination(parametersOf(options))).not.toThrow();
		expect(combining(options)).toEqual({
			mode: 'perChat',
			silenceMs: silence * 1000,
			maxWaitMs,
		});
	});

	test('cannot wait for longer than the timeout allows', () => {
		const [silence, own, most] = [5, 10, 4];
		const options = perChat(silence, own);
		expect(() => requireValidCombination(parametersOf(options))).toThrow(
			`'Silence (Seconds)' is too large: ${silence}. It can be at most ${most} seconds: one second less than half of 'Timeout (Seconds)'. Enter another number, or raise 'Timeout (Seconds)'.`,
		);
		// Once published, a chat waits for less.
		expect(combining(options)).toMatchObject({ maxWaitMs: most * 1000 });
	});
});

test.each([
	['message.received', { chat: { id: '905551112233@c.us' } }, '905551112233@c.us'],
	['message.received', {}, 'event 1'],
	['message.sent', { chat: { id: '905551112233@c.us' } }, undefined],
	['message.status', {}, undefined],
])('a %s of %j waits for the silence of %s', (type, body, chat) => {
	expect(chatOf(eventWith(type, body))).toBe(chat);
});
