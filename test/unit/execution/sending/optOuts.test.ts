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

test('a tag whose accents are letters of their own counts as the same', async () => {
	const client: Client = {
		call: async () =>
			await Promise.resolve({
				data: [{ phone: '905551234567', tags: ['de\u0301sabonne\u0301'] }],
				pagination: { page: 1, limit: 50, total: 1 },
			}),
		download: async () => await Promise.reject(new Error('A list is no file.')),
	};
	const optOuts = createOptOuts(client, virtualClock());

	expect(await optOuts.reasonToSkip('905551234567', ['d\u00E9sabonn\u00E9'], NO_RETRIES)).toBe(
		"The contact has the tag 'd\u00E9sabonn\u00E9'",
	);
});

test('a contact whose number has the 0 that is only dialed within the country is the same person', async () => {
	const client: Client = {
		call: async () =>
			await Promise.resolve({
				data: [{ phone: '49015112345678', tags: ['unsubscribed'] }],
				pagination: { page: 1, limit: 50, total: 1 },
			}),
		download: async () => await Promise.reject(new Error('A list is no file.')),
	};
	const optOuts = createOptOuts(client, virtualClock());
	const ask = async (number: string) => await optOuts.reasonToSkip(number, ['unsubscribed'], NO_RETRIES);

	// '+49 0151 12345678' is sent to this number.
	expect(await ask('4915112345678')).toBe("The contact has the tag 'unsubscribed'");
	expect(await ask('4915212345678')).toBeUndefined();
});
