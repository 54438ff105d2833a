import { NO_RETRIES } from '../../../../nodes/MessagingChannel/api/apiRequest';
import type { Client } from '../../../../nodes/MessagingChannel/api/client';
import { createOptOuts } from '../../../../nodes/MessagingChannel/execution/sending/optOuts';
import { virtualClock } from '../../../support/engine/clock';

test('a list is read again when it is five minutes old', async () => {
	const clock = virtualClock();
	let reads = 0;
	const client: Client = {
		call: async () => {
			reads += 1;
			return await Promise.resolve({
				data: [{ phone: '905551234567', tags: ['unsubscribed'] }],
				pagination: { page: 1, limit: 50, total: 1 },
			});
		},
		download: async () => await Promise.reject(new Error('A list is no file.')),
	};
	const optOuts = createOptOuts(client, clock);
	const ask = async () => await optOuts.reasonToSkip('905551234567', ['unsubscribed'], NO_RETRIES);
	await ask();

	await clock.sleep(5 * 60 * 1000 - 1);
	await ask();
	expect(reads).toBe(1);

	await clock.sleep(1);
	await ask();
	expect(reads).toBe(2);

	// After the clock was set back, nobody knows how old it is.
	const { now } = clock;
	clock.now = () => now() - 2 * 60 * 60 * 1000;
	await ask();
	expect(reads).toBe(3);
});

/** Why a recipient gets no message, with one contact of this number and these tags. */
const reasonWith = async (phone: string, recipient: string, tag = 'unsubscribed', tags = [tag]) => {
	const client: Client = {
		call: async () =>
			await Promise.resolve({ data: [{ phone, tags }], pagination: { page: 1, limit: 50, total: 1 } }),
		download: async () => await Promise.reject(new Error('A list is no file.')),
	};
	return await createOptOuts(client, virtualClock()).reasonToSkip(recipient, [tag], NO_RETRIES);
};

test('a tag whose accents are letters of their own counts as the same', async () => {
	expect(
		await reasonWith('905551234567', '905551234567', 'd\u00E9sabonn\u00E9', ['de\u0301sabonne\u0301']),
	).toBe("The contact has the tag 'd\u00E9sabonn\u00E9'");
});

test.each([
	// '+49 0151 12345678' is sent to this number.
	['whose number has the 0 that is only dialed within the country', '49015112345678', '4915112345678'],
	['in whose chat ID somebody has put dashes', '905551234567', '90-555-123-45-67@c.us'],
])('a contact %s is the same person', async (_, phone, recipient) => {
	expect(await reasonWith(phone, recipient)).toBe("The contact has the tag 'unsubscribed'");
});

test('a contact whose number has such a 0 is nobody with another number', async () => {
	expect(await reasonWith('49015112345678', '4915212345678')).toBeUndefined();
});
