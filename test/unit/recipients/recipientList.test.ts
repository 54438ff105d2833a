import { listedRecipient, listOfRecipients } from '../../../nodes/MessagingChannel/recipients/recipientList';

test.each<[entered: string, listed: string | undefined]>([
	['+90 (555) 123-45-67', '905551234567'],
	['0090 555 123 45 67', '905551234567'],
	['905551234567', '905551234567'],
	['905551234567@c.us', '905551234567@c.us'],
	['120363025246125486@g.us', '120363025246125486@g.us'],
	['120363025246125486', '120363025246125486'],
	['905551234567-1617181920', '905551234567-1617181920'],
	[' 1234567@lid ', '1234567@lid'],
	// Within the country, of an unknown one, and no number.
	['0555 123 45 67', undefined],
	['555 123 45 67', undefined],
	['Ada', undefined],
	['ada@example.com', undefined],
	['{{ $json.chat.id }}', undefined],
	['-905551234567', undefined],
])('the entry %s is listed as %s', (entered, listed) => {
	expect(listedRecipient(entered)).toBe(listed);
});

describe.each<[entry: string, same: string[], others: string[]]>([
	[
		'905551234567',
		['905551234567', '+90 555 123 45 67', '905551234567@c.us', '905551234567:3@c.us'],
		// Who may be the same person is not.
		['05551234567', '5551234567', '1234567@lid', '905551234568', '15551234567', '551234567@g.us'],
	],
	// What is sent has other digits.
	['905551234567', ['+905551234567@c.us'], ['905551234567.0@c.us', '90(0)5551234567@c.us']],
	['120363025246125486@g.us', ['120363025246125486'], ['120363025246125487@g.us', '025246125486']],
	['1234567@lid', ['1234567@lid'], ['1234567', '1234567@c.us', '1234567@g.us']],
	// Mobile numbers of Brazil, with the digit that came later and without it.
	['5511961234567', ['551161234567', '5511961234567@c.us'], ['5511861234567']],
])('the list with %s', (entry, same, others) => {
	const isListed = listOfRecipients(['905550000000', entry]);

	test.each(same)('has %s', (recipient) => expect(isListed(recipient)).toBe(true));

	test.each(others)('has not %s', (recipient) => expect(isListed(recipient)).toBe(false));
});

test('an empty list has nobody', () => expect(listOfRecipients([])('905551234567')).toBe(false));
