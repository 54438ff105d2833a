import type { IDataObject } from 'n8n-workflow';

import { NO_RETRIES } from '../../../../nodes/MessagingChannel/api/apiRequest';
import type { Client } from '../../../../nodes/MessagingChannel/api/client';
import { createSuppressionList } from '../../../../nodes/MessagingChannel/execution/sending/suppressionList';
import { keepNumbers } from '../../../../nodes/MessagingChannel/recipients/hiddenNumbers';
import { virtualClock } from '../../../support/engine/clock';

const TAG = 'unsubscribed';

/** The suppression list of an account with these contacts, and how often its list was read. */
function suppressionListWith(contacts: IDataObject[], account = {}, tags: unknown[] = [{ name: TAG }]) {
	const clock = virtualClock();
	let reads = 0;
	const client: Client = {
		call: async ({ endpoint, parameters }) => {
			if (endpoint.path === '/tags') return await Promise.resolve({ data: tags });
			if (parameters?.page === 1) reads++;
			const pagination = { page: 1, limit: 50, total: contacts.length };
			return await Promise.resolve({ data: contacts, pagination });
		},
		download: async () => await Promise.reject(new Error('A list is no file.')),
	};
	const reasonToSkip = createSuppressionList(client, clock, account);
	const ask = async (recipient: string, tag = TAG, limits = NO_RETRIES) =>
		await reasonToSkip(recipient, [tag], limits);
	return { clock, ask, reads: () => reads };
}

test('a list is read again when it is five minutes old', async () => {
	const { clock, ask, reads } = suppressionListWith([{ phone: '905551234567', tags: [TAG] }]);
	await ask('905551234567');

	await clock.sleep(5 * 60 * 1000 - 1);
	await ask('905551234567');
	expect(reads()).toBe(1);

	await clock.sleep(1);
	await ask('905551234567');
	expect(reads()).toBe(2);
});

test.each<[string, unknown, boolean]>([
	['in upper case', ['Unsubscribed '], true],
	['as an object', [{ name: TAG }], true],
	['another one', ['vip'], false],
	['not told', undefined, true],
	// The upper case of this letter is that of i.
	['with another letter', [TAG.replace('i', 'ı')], false],
])('a service that does not filter by tags: %s', async (_, tags, isSkipped) => {
	const { ask } = suppressionListWith([
		{ phone: '905551234567', tags: tags as IDataObject[] },
		{ phone: '905557654321', tags: [TAG] },
	]);

	expect((await ask('905551234567')) !== undefined).toBe(isSkipped);
});

test.each([[['tag-7']], [[]], [['Opted out']]])(
	'nothing is known if those listed for a tag all show it as %j',
	async (tags) => {
		const { ask } = suppressionListWith([{ phone: '905551234567', tags }]);

		await expect(ask('905551234567')).rejects.toMatchObject({
			message: `The message was not sent, because the contacts with the tag '${TAG}' could not all be read`,
			description: expect.stringMatching(
				/^The service lists contacts for this tag, and none of them shows it\. /,
			),
			code: 'unexpected_answer',
		});
	},
);

test.each([[null], ['1203630000@g.us'], ['office']])(
	'nothing is known if the number of one with the tag is %j',
	async (phone) => {
		const { ask } = suppressionListWith([
			{ phone: '905551234567', tags: [TAG] },
			{ phone, tags: [TAG] },
		]);

		await expect(ask('905551234567')).rejects.toMatchObject({
			description: expect.stringMatching(
				/^The service sends 'contact\.phone' in a form that is not understood/,
			),
		});
	},
);

test('a tag that does not exist is told', async () => {
	await expect(suppressionListWith([], {}, []).ask('905551234567')).rejects.toMatchObject({
		message: `The message was not sent, because there is no tag '${TAG}' in this account`,
		code: 'unknown_tag',
	});
});

test.each([
	['another tag', 'vip', NO_RETRIES],
	['more attempts', TAG, { ...NO_RETRIES, maxAttempts: 2 }],
	['a longer wait', TAG, { ...NO_RETRIES, maxRateLimitWait: 1 }],
])('an item with %s has a list of its own', async (_, tag, limits) => {
	const { ask, reads } = suppressionListWith([{ phone: '905551234567' }]);
	await ask('905551234567');

	expect(await ask('905551234567', tag, limits)).toBe(`The contact has the tag '${tag}'`);
	expect(reads()).toBe(2);
});

test('tags whose names are not understood are not told to be missing', async () => {
	const { ask } = suppressionListWith([], {}, [TAG]);

	await expect(ask('905551234567')).rejects.toMatchObject({
		description: expect.stringMatching(/^The service sends 'tag\.name' in a form that is not understood/),
	});
});

test('a tag whose accents are letters of their own counts as the same', async () => {
	const { ask } = suppressionListWith([{ phone: '905551234567', tags: ['café'.normalize('NFD')] }]);

	expect(await ask('905551234567', 'café'.normalize('NFC'))).toBe("The contact has the tag 'café'");
});

const hasTag = `The contact has the tag '${TAG}'`;
const hidden = `The chat ID does not show the phone number, so this can be a contact with the tag '${TAG}'`;
const noCountry = `The number has no country code, and ends like that of a contact with the tag '${TAG}'`;

test.each<[string, string, string, string | undefined]>([
	['a chat ID', '905551234567', '905551234567@c.us', hasTag],
	['a chat ID in which somebody has put dashes', '905551234567', '90-555-123-45-67@c.us', hasTag],
	['a contact whose number has punctuation', '+90 (555) 123-45-67', '905551234567', hasTag],
	['a contact with the 0 that is only dialed within the country', '49015112345678', '4915112345678', hasTag],
	['a Brazilian number without the 9', '5511987654321', '551187654321', hasTag],
	['an ID that hides the number', '905551234567', '1234567890@lid', hidden],
	['a contact whose ID hides the number, on another device', '1234567890@lid', '1234567890:3@lid', hasTag],
	['another contact whose ID hides the number', '1234567890@lid', '1234567891@lid', undefined],
	['a number without its country code', '905551234567', '05551234567', noCountry],
	['a contact of another country with the same last digits', '491511234567', '905551234567', undefined],
	['a contact whose number has such a 0, and another person', '49015112345678', '4915212345678', undefined],
	['a number without its country code, and another operator', '905551234567', '05451234567', undefined],
	['a group whose ID begins with the number', '905551234567', '905551234567@g.us', undefined],
	['a contact of Turkey that begins like a number of Cuba', '5321234567', '905321234567', noCountry],
	['a contact of Germany that begins like a number of the US', '15212345678', '4915212345678', noCountry],
	['a contact of Cuba', '+5321234567', '905321234567', undefined],
	// It is sent with its country code.
	['a shorter number with which that of a contact ends', '905551234567', '5551234567', undefined],
])('%s', async (_, phone, recipient, reason) => {
	const { ask } = suppressionListWith([{ phone, tags: [TAG] }]);

	expect(await ask(recipient)).toBe(reason);
});

test('a contact whose ID hides the number is known by it, once the service has named both', async () => {
	const account = {};
	keepNumbers(account, [{ id: '1234567890@lid', phone: '905551234567' }]);
	const { ask } = suppressionListWith([{ phone: '1234567890@lid', tags: [TAG] }], account);

	expect(await ask('905551234567')).toBe(hasTag);
	expect(await ask('1234567890@lid')).toBe(hasTag);
});

test('a listed ID is still known by itself when the service names its number later', async () => {
	const account = {};
	const { ask } = suppressionListWith([{ phone: '1234567890@lid', tags: [TAG] }], account);
	expect(await ask('1234567890@lid')).toBe(hasTag);
	keepNumbers(account, [{ id: '1234567890@lid', phone: '905551234567' }]);

	expect(await ask('1234567890@lid')).toBe(hasTag);
});

test('an ID counts as its number, once the service has named it, and until then as that of anybody', async () => {
	const account = {};
	const contacts = ['91234567890@lid', '905551234567'].map((phone) => ({ phone, tags: [TAG] }));
	const { ask } = suppressionListWith(contacts, account);
	expect(await ask('81234567890@lid')).toBe(hidden);
	keepNumbers(account, [{ id: '81234567890@lid', phone: '905551234567' }]);

	expect(await ask('81234567890@lid')).toBe(hasTag);
});
