import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { Endpoint } from '../../../nodes/MessagingChannel/api/apiRequest';
import { ApiError } from '../../../nodes/MessagingChannel/api/errors';
import { backoffMs, mayRetry, retryAfterMs } from '../../../nodes/MessagingChannel/api/retry';

const calls: Record<string, Endpoint> = {
	GET: { method: 'GET', path: '/x', permission: 'valid key' },
	PUT: { method: 'PUT', path: '/x', permission: 'valid key' },
	DELETE: { method: 'DELETE', path: '/x', permission: 'valid key' },
	'idempotent POST': { method: 'POST', path: '/x', permission: 'valid key', idempotent: true },
	create: { method: 'POST', path: '/x', permission: 'valid key' },
	send: { method: 'POST', path: '/x', permission: 'valid key', sends: 'text' },
};

const error = (httpStatus: number | null, neverSent = false) =>
	new ApiError({ message: '', description: '', code: '', httpStatus, neverSent: neverSent });

describe.each(Object.entries(calls))('%s', (name, endpoint) => {
	const isSafe = name !== 'create' && name !== 'send';

	test.each([[500], [502], [503], [504], [null]])(`after %s: ${isSafe ? 'again' : 'not again'}`, (status) => {
		expect(mayRetry(endpoint, error(status))).toBe(isSafe);
	});

	test('after 429 and when the service did not see it: again', () => {
		expect(mayRetry(endpoint, error(429))).toBe(true);
		expect(mayRetry(endpoint, error(null, true))).toBe(true);
	});

	test('after what somebody has to repair first: not again', () => {
		for (const httpStatus of [null, 301]) {
			const facts = { message: '', description: '', code: '', httpStatus, neverSent: true };
			expect(mayRetry(endpoint, new ApiError({ ...facts, permanent: true }))).toBe(false);
		}
	});

	test('after 429 to what may have been done all the same: not again', () => {
		const doubt = new ApiError({ message: '', description: '', code: '', httpStatus: 429, ambiguous: true });
		expect(mayRetry(endpoint, doubt)).toBe(false);
	});

	test('after any other answer: not again', () => {
		for (let status = 100; status < 500; status++) {
			if (status !== 429) expect(mayRetry(endpoint, error(status))).toBe(false);
		}
	});
});

test.each([
	[1, 1000],
	[2, 2000],
	[3, 4000],
	[4, 8000],
	[7, 64_000],
	[20, 64_000],
])('after %d tries the pause is at most %d ms', (tries, ms) => {
	expect(backoffMs(tries, 0)).toBe(ms);
});

test('chance takes off at most half', () => {
	const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
	fc.assert(
		fc.property(fc.integer({ min: 1, max: 20 }), random, (tries, chance) => {
			const longest = backoffMs(tries, 0);
			expect(backoffMs(tries, chance)).toBeGreaterThan(longest / 2 - 1);
			expect(backoffMs(tries, chance)).toBeLessThanOrEqual(longest);
		}),
	);
});

describe('Retry-After', () => {
	const NOW = Date.UTC(2030, 0, 31, 9);
	const DATE = 'Thu, 31 Jan 2030 08:00:00 GMT';
	const asked = (statusCode: number, headers: IDataObject) => retryAfterMs({ statusCode, headers }, NOW);

	test.each([
		['1', 1000],
		[' 120 ', 120_000],
		['86400', 86_400_000],
		['9'.repeat(400), 86_400_000],
		['0', 0],
		['1.5', 1500],
		['-1', 0],
		['', 0],
		['soon', 0],
		[undefined, 0],
		['Thu, 31 Jan 2030 08:00:07 GMT', 7000],
		['Thu, 31 Jan 2030 07:59:59 GMT', 0],
	])('%j is %d ms', (header, ms) => {
		expect(asked(429, { date: DATE, 'retry-after': header })).toBe(ms);
		expect(asked(503, { date: DATE, 'retry-after': header })).toBe(ms);
	});

	test('as a time is compared with our clock when the answer has no Date', () => {
		expect(asked(503, { 'retry-after': 'Thu, 31 Jan 2030 09:00:07 GMT' })).toBe(7000);
	});

	test.each([200, 301, 404, 500, 502, 504])('of a %d is none', (status) => {
		expect(asked(status, { 'retry-after': '7' })).toBe(0);
	});
});
