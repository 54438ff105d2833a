import fc from 'fast-check';

import { create } from '../../../nodes/MessagingChannel/actions/broadcast/create';
import { requestFor } from '../entered';

const sent = (recipients: string[]) =>
	requestFor(create, { name: 'Spring sale', recipients, message: 'Hello' }).parameters;

test('without a text and without a template is refused', () => {
	expect(() =>
		requestFor(create, { name: 'Spring sale', recipients: ['905551234567'], message: '' }),
	).toThrow(
		expect.objectContaining({
			message: "'Message' is empty",
			description: "Enter a text, or choose a template under 'Additional Fields'.",
		}),
	);
});

test.each([
	[0, undefined],
	[10, 10],
])('with a delay of %d, the service gets %d', (delayBetweenMessages, expected) => {
	const entered = {
		name: 'Spring sale',
		recipients: ['905551234567'],
		message: 'Hello',
		delayBetweenMessages,
	};
	expect(requestFor(create, entered).parameters?.delayBetweenMessages).toBe(expected);
});

test('sends to nobody twice, whatever the notation of a number', () => {
	const number = fc.stringMatching(/^905\d{9}$/);
	const form = fc.constantFrom(
		(digits: string) => digits,
		(digits: string) => `+${digits}`,
		(digits: string) => `00${digits}`,
		(digits: string) => `+${digits.slice(0, 2)} (${digits.slice(2, 5)}) ${digits.slice(5)}`,
	);
	fc.assert(
		fc.property(
			fc.uniqueArray(number, { minLength: 1 }),
			fc.array(form, { minLength: 1 }),
			(numbers, forms) => {
				const recipients = numbers.flatMap((digits) => forms.map((write) => write(digits)));
				expect(sent(recipients)).toMatchObject({ recipients: numbers });
			},
		),
	);
});
