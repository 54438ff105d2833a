import { optionOf, timeoutSecondsOf } from '../../../../nodes/MessagingChannel/trigger/delivery/options';

const panel = (option?: unknown) => ({
	getNodeParameter: (_: string, fallback: unknown) => (option === undefined ? fallback : option),
});

test.each<[unknown, number]>([
	[7, 7],
	['7', 7],
	[undefined, 30],
	[null, 30],
	['', 30],
	[0, 30],
	['soon', 30],
])('with a timeout of %j the service waits for %d seconds', (option, seconds) => {
	expect(timeoutSecondsOf(panel(option))).toBe(seconds);
});

test.each<[unknown, unknown]>([
	[false, false],
	['group', 'group'],
	[undefined, 'any'],
	[null, 'any'],
	['', 'any'],
])('an option of %j counts as %j', (option, value) => {
	expect(optionOf<unknown>(panel(option), 'chatType', 'any')).toBe(value);
});
