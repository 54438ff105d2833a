import fc from 'fast-check';

import { create } from '../../../nodes/MessagingChannel/actions/broadcast/create';
import { located, requestFor } from '../entered';

const whole = { name: 'Spring sale', recipients: '905551234567', message: 'Hello' };
const sent = (entered: object) => requestFor(create, { ...whole, ...entered }).parameters;

test('sends a text to its recipients, at the pace of the service', () => {
	expect(sent({})).toEqual({ name: 'Spring sale', recipients: ['905551234567'], message: 'Hello' });
});

test.each([
	['905551234567,905551234568', 'commas'],
	['905551234567\n905551234568', 'line breaks'],
	['905551234567,\r\n 905551234568 ,\n', 'both'],
])('takes recipients separated by %2$s', (recipients) => {
	expect(sent({ recipients })).toMatchObject({ recipients: ['905551234567', '905551234568'] });
});

test('takes recipients from a list, as numbers, and chats of groups', () => {
	const recipients = [905551234567, '+90 555 123 45 68', '120363@g.us'];
	expect(sent({ recipients })).toMatchObject({
		recipients: ['905551234567', '905551234568', '120363@g.us'],
	});
});

test('sends to nobody twice, in whatever forms a number is listed', () => {
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
				expect(sent({ recipients })).toMatchObject({ recipients: numbers });
			},
		),
	);
});

test('leaves the pause to the service when it is 0', () => {
	expect(sent({ delayBetweenMessages: 0 })).not.toHaveProperty('delayBetweenMessages');
	expect(sent({ delayBetweenMessages: 5 })).toMatchObject({ delayBetweenMessages: 5 });
});

test('sends a template instead of a text', () => {
	const additionalFields = { templateId: located('list', 'template-1'), variables: '{ "name": "Ada" }' };
	const parameters = sent({ message: '', additionalFields });
	expect(parameters).toMatchObject({ templateId: 'template-1', variables: { name: 'Ada' } });
	expect(parameters).not.toHaveProperty('message');
});

test.each([
	[{ message: '' }, "'Message' is empty"],
	[{ message: '   ' }, "'Message' is empty"],
	[{ recipients: '' }, "'Recipients' is empty"],
	[{ recipients: '905551234567, Ada' }, "'Recipients' is not a valid phone number: 'Ada'"],
	[{ name: '' }, "'Name' is empty"],
	[{ delayBetweenMessages: -1 }, "'Delay Between Messages' is too small: -1"],
	[{ additionalFields: { variables: '{ name' } }, "'Variables (JSON)' is not valid JSON"],
	[{ additionalFields: { variables: '{ "name": "" }' } }, "has no value for the placeholder 'name'"],
])('%j is refused', (entered, problem) => {
	expect(() => sent(entered)).toThrow(problem);
});
