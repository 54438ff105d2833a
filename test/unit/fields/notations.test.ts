import { create as createBroadcast } from '../../../nodes/MessagingChannel/actions/broadcast/create';
import { resolve } from '../../../nodes/MessagingChannel/actions/chat/resolve';
import { get as getContact } from '../../../nodes/MessagingChannel/actions/contact/get';
import { sync } from '../../../nodes/MessagingChannel/actions/contact/sync';
import { send } from '../../../nodes/MessagingChannel/actions/message/send';
import { cleaned } from '../../../nodes/MessagingChannel/recipients/phoneNumber';
import { eventFilterOf, passes } from '../../../nodes/MessagingChannel/trigger/delivery/filter';
import { eventWith } from '../trigger/deliveries';
import { located, requestFor } from '../entered';
import { NOTATIONS, NUMBERS } from './notations';

const ANOTHER = '905550000000';

const phonesSent = (operation: typeof send, entered: Record<string, unknown>, name: string) =>
	requestFor(operation, entered).parameters?.[name];
const starts = (chats: string, phone: string) =>
	passes(
		eventWith('message.received', { chat: { id: `${phone}@c.us` } }),
		eventFilterOf({ getNodeParameter: (path, fallback) => (path === 'options.chats' ? chats : fallback) }),
	);

/** Every place that takes a phone number, and what it makes of one; all have to make the digits of it. */
const PLACES: Array<[place: string, read: (written: string, digits: string) => unknown]> = [
	['To', (to) => phonesSent(send, { to: located('phone', to), message: 'Hello' }, 'to')],
	['an expression for To', (to) => phonesSent(send, { to, message: 'Hello' }, 'to')],
	['the number of a chat', (phone) => phonesSent(resolve, { phone: located('phone', phone) }, 'phone')],
	['Contact', (phone) => phonesSent(getContact, { phone: located('phone', phone) }, 'phone')],
	[
		'one of several Phone Numbers',
		(written) => [phonesSent(sync, { phones: `${ANOTHER}, ${written}` }, 'phones')].flat()[1],
	],
	[
		'one of several Recipients',
		(written) =>
			[
				phonesSent(
					createBroadcast,
					{ name: 'Sale', recipients: `${ANOTHER}\n${written}`, message: 'Hello' },
					'recipients',
				),
			].flat()[1],
	],
	[
		'Chats',
		(written, digits) =>
			starts(`${ANOTHER},${written}`, digits) && !starts(written, ANOTHER) ? digits : 'another chat',
	],
];

describe.each(PLACES)('%s takes a number', (_, read) => {
	test.each(NOTATIONS)('with %s', (_name, write) => {
		const misread = NUMBERS.flatMap(([countryCode, national]) => {
			const digits = `${countryCode}${national}`;
			const written = write(countryCode, national);
			// Without a + or 00, it can be a mobile number of another country.
			if (countryCode === '1' && !/^\D*(\+|00)/.test(cleaned(written))) return [];
			const made = outcomeOf(() => read(written, digits));
			return made === digits ? [] : [`${written}: ${String(made)}`];
		});
		expect(misread).toEqual([]);
	});

	test.each(['49 0151 12345678', '+49 0151 12345678', '0049 (0151) 12345678'])(
		'without the 0 that is only dialed within the country: %s',
		(written) => {
			expect(outcomeOf(() => read(written, '4915112345678'))).toBe('4915112345678');
		},
	);
});

test.each(['+49 171 1234567 (2)', '+43 664 1234567 (1)', '+49 30 1234567 / 8', '+90 555 123 45 67/8'])(
	'what stands behind a number does not become a part of it: %s',
	(written) => {
		expect(() => phonesSent(getContact, { phone: located('phone', written) }, 'phone')).toThrow(
			'is not a valid phone number',
		);
	},
);

test('a contact from the list keeps its number, and a calculated one is refused', () => {
	const number = '49015112345678';
	// Contact > Get Many puts it out so.
	expect(phonesSent(getContact, { phone: located('phone', number) }, 'phone')).toBe(number);
	const selected = { ...located('list', number), cachedResultName: 'Ada' };
	expect(phonesSent(getContact, { phone: selected }, 'phone')).toBe(number);
	expect(() => phonesSent(getContact, { phone: located('phone', '-905551234477') }, 'phone')).toThrow(
		'is a negative number, which a spreadsheet has calculated',
	);
});

function outcomeOf(read: () => unknown): unknown {
	try {
		return read();
	} catch (error) {
		return error;
	}
}
