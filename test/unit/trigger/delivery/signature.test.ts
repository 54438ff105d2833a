import { hasServiceHeaders } from '../../../../nodes/MessagingChannel/trigger/delivery/verify';
import { delivery, NOW } from '../deliveries';

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
