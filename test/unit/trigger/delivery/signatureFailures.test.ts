import type { IDataObject, INode } from 'n8n-workflow';

import {
	failureItem,
	hasServiceHeaders,
	signatureError,
} from '../../../../nodes/MessagingChannel/trigger/delivery/signatureFailures';
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

describe('an execution that tells of deliveries that cannot be verified', () => {
	const node = { name: 'Listens' } as INode;

	test('says since when, and what to do', () => {
		const error = signatureError(node, failureItem(NOW, 'signature').json);
		expect(error?.message).toBe(
			"Events are rejected because the 'Signing Secret' in the credential does not match their signature",
		);
		expect(error?.description).toBe(
			'No event has been verified since 2030-01-31T09:00:00.000Z. The secret was probably rotated. If another credential for this account still works, select it in this node. Otherwise, run Webhook > Rotate Secret and paste the new secret into every credential for this account. If events still start this workflow, someone else sent the rejected requests, and you can ignore this message. It appears at most once an hour.',
		);
	});

	test('says that n8n cannot read the credential', () => {
		const error = signatureError(node, failureItem(NOW, 'credential').json);
		expect(error?.message).toBe('No messages arrive because n8n cannot read the credential of the trigger');
		expect(error?.description).toContain('Select another credential for this account in this node');
	});

	test('says that the service refuses the API key', () => {
		const error = signatureError(node, failureItem(NOW, 'key').json);
		expect(error?.message).toBe(
			'No messages arrive because the service refuses the API key in the credential of the trigger',
		);
		expect(error?.description).toContain("lacks one of the permissions 'chats:read' and 'messages:read'");
	});

	test.each<[string, IDataObject | undefined]>([
		['an event with the same field', { ...failureItem(NOW, 'signature').json, event_id: 'event-1' }],
		['another item', { unverified_since: 1 }],
		['an empty item', {}],
		['no item', undefined],
	])('is none with %s', (_, json) => {
		expect(signatureError(node, json)).toBeUndefined();
	});
});
