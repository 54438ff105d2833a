import type { INodeProperties } from 'n8n-workflow';

import { catchUp, pollInterval } from '../../../../nodes/MessagingChannel/trigger/catchUp/settings';
import {
	maxEvents,
	numberOf,
	silence,
	timeoutSeconds,
} from '../../../../nodes/MessagingChannel/trigger/delivery/options';

const panel = (option?: unknown) => ({
	getNodeParameter: (_: string, fallback: unknown) => (option === undefined ? fallback : option),
});

describe.each<[INodeProperties, number[], number[], number]>([
	[timeoutSeconds, [1, 3_600], [0, -5, 3_601, 3_000_000, 1.5], 30],
	[pollInterval, [5, 86_400], [4, 0, -5, 86_401, 3_600_000, 1e300, 5.5], 15],
	[catchUp, [0, 720, 43_200], [-1, 0.5, 43_201, 3_600_000], 720],
	[maxEvents, [1, 100], [0, 101, 1.5], 100],
	[silence, [0.1, 10], [0, -1, 10.5], 3],
])('$displayName', (field, allowed, refused, byDefault) => {
	const read = (entered: unknown) => numberOf(panel(entered), field);

	test.each(allowed)('takes %d', (number) => {
		expect(read(number)).toBe(number);
		expect(read(String(number))).toBe(number);
	});

	test.each<unknown>([...refused, 'soon', NaN, Infinity, -Infinity, [], {}, true])(
		'refuses %p',
		(entered) => {
			expect(() => read(entered)).toThrow(
				new RegExp(
					String.raw`^'${field.displayName.replace(/[()]/g, String.raw`\$&`)}' is (not a|too small|too large).*\. Enter .*\.$`,
				),
			);
		},
	);

	test.each([undefined, null, '', ' '])('counts as not set with %j', (entered) => {
		expect(read(entered)).toBe(byDefault);
	});
});
