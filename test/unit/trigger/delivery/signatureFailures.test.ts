import {
	createSignatureFailures,
	hasServiceHeaders,
} from '../../../../nodes/MessagingChannel/trigger/delivery/signatureFailures';
import { delivery, NOW } from '../deliveries';

const HOUR_MS = 3_600_000;

describe('failed signatures are reported', () => {
	test('after five in a row, with the time of the first', () => {
		const failures = createSignatureFailures();
		const told = [1, 2, 3, 4, 5, 6].map((now) => failures.add(now));
		expect(told).toEqual([undefined, undefined, undefined, undefined, 1, undefined]);
	});

	test('at most once an hour, however many there are', () => {
		const failures = createSignatureFailures();
		const told = Array.from({ length: 50_000 }, (_, second) => second * 1_000).filter(
			(now) => failures.add(now) !== undefined,
		);
		expect(told).toEqual(Array.from({ length: 14 }, (_, hour) => 4_000 + hour * HOUR_MS));
	});

	test('not when a delivery in between was verified, nor twice an hour because of that', () => {
		const failures = createSignatureFailures();
		const told = (times: number, now: number) =>
			Array.from({ length: times }, () => failures.add(now)).filter((since) => since !== undefined);
		for (let round = 0; round < 10; round++) {
			expect(told(4, 0)).toEqual([]);
			failures.reset();
		}
		expect(told(5, 5)).toEqual([5]);
		failures.reset();
		expect(told(5, 6)).toEqual([]);
		expect(told(1, HOUR_MS + 4)).toEqual([]);
		expect(told(1, HOUR_MS + 5)).toEqual([6]);
	});
});

test('failed signatures are remembered until one is verified, and for an hour after a report', () => {
	const failures = createSignatureFailures();
	expect(failures.isEmpty(0)).toBe(true);
	failures.add(0);
	expect(failures.isEmpty(HOUR_MS)).toBe(false);
	failures.reset();
	expect(failures.isEmpty(0)).toBe(true);
	for (let time = 0; time < 5; time++) failures.add(0);
	failures.reset();
	expect(failures.isEmpty(HOUR_MS - 1)).toBe(false);
	expect(failures.isEmpty(HOUR_MS)).toBe(true);
});

describe('a delivery resembles one of the service', () => {
	const looks = (headers = {}, accountId: unknown = 'account-1') =>
		hasServiceHeaders(delivery('not read', headers).headers, accountId, NOW);

	test('with all of its headers, whatever it is signed with', () => {
		expect(looks()).toBe(true);
		expect(looks({ 'x-service-signature': '0'.repeat(64) })).toBe(true);
		expect(looks({ 'x-service-event': 'new.event_type' })).toBe(true);
	});

	test('for any account, while the trigger knows none', () => {
		expect(looks({ 'x-service-account-id': 'any' }, null)).toBe(true);
		expect(looks({ 'x-service-account-id': undefined }, null)).toBe(false);
	});

	test.each<[string, string | string[] | undefined]>([
		['x-service-signature', undefined],
		['x-service-signature', 'short'],
		['x-service-signature', ['0'.repeat(64), '0'.repeat(64)]],
		['x-service-timestamp', undefined],
		['x-service-timestamp', '1'],
		['x-service-event', undefined],
		['x-service-event', ''],
		['x-service-event', 'two words'],
		['x-service-event', 'x'.repeat(65)],
		['x-service-event-id', undefined],
		['x-service-event-id', 'x'.repeat(257)],
		['x-service-account-id', undefined],
		['x-service-account-id', 'account-2'],
		['x-service-account-id', ['account-1', 'account-1']],
	])('but not with %s: %j', (header, value) => {
		expect(looks({ [header]: value })).toBe(false);
	});
});
