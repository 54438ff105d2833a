// cspell:ignore Evet evet Hayır
import { checkAnswerable } from '../../../nodes/MessagingChannel/sendAndWait/readReply';
import type { FieldType, FormField } from '../../../nodes/MessagingChannel/sendAndWait/formField';
import type { Form, Question } from '../../../nodes/MessagingChannel/sendAndWait/question';

import { CHAT, approvalWith, formOf, freeText, read } from './replies';

describe('a form with one field', () => {
	test.each<[FieldType, string[], string, unknown]>([
		['number', [], ' 2.5 ', 2.5],
		['email', [], 'ada@example.com', 'ada@example.com'],
		['date', [], '2030-01-31', '2030-01-31'],
		['dropdown', ['Small', 'Large & wide'], 'large WIDE', 'Large & wide'],
		['radio', ['S', 'L'], 'l.', 'L'],
		['checkbox', ['gift', 'card, signed'], 'Gift', ['gift']],
		['checkbox', ['gift', 'card'], 'card, Gift', ['card', 'gift']],
		['checkbox', ['gift', 'card', 'bow'], 'card\uff0cGift\u3001 bow', ['card', 'gift', 'bow']],
		['checkbox', ['gift', 'card'], 'card\u060c Gift', ['card', 'gift']],
		['checkbox', ['gift', 'card, signed'], 'Card, signed', ['card, signed']],
		['checkbox', ['gift', 'card'], 'gift, card, GIFT', ['gift', 'card']],
		['radio', ['10:30', '11:30'], '10.30', '10:30'],
		['radio', ['1–5', '6–10'], '6 - 10', '6–10'],
		['radio', ['-5', '5'], '-5', '-5'],
		// With the minus of mathematics, as phones and word processors write it.
		['radio', ['-5', '5'], '−5', '-5'],
		['radio', ['5 kg', '10 kg'], '10kg.', '10 kg'],
		// A digit in a key is a digit.
		['radio', ['1', '2'], '2️⃣', '2'],
		['radio', ['1️⃣ Evet', '2️⃣ Hayır'], '1 evet', '1️⃣ Evet'],
		['radio', ['ℹ️ Info', 'Order'], 'Info', 'ℹ️ Info'],
		['radio', ['ℹ️', '🛒'], 'ℹ', 'ℹ️'],
		['checkbox', ['1', '2', '12'], '1, 2', ['1', '2']],
		...[
			' <ada@example.com>. ',
			'*ada@example.com*',
			'_ada@example.com_',
			'mailto:ada@example.com',
			'ada@example.com!',
		].map((text) => ['email', [], text, 'ada@example.com'] as never),
		// In digits of other scripts.
		['number', [], '-\u0661\u0662\u066b\u0665', -12.5],
		['number', [], '\uff11\uff12', 12],
		['number', [], '−3', -3],
		['text', [], '\u0661', '\u0661'],
		['date', [], '\u06f2\u06f0\u06f3\u06f0-\u06f0\u06f1-\u06f3\u06f1', '2030-01-31'],
		['radio', ['1', '2'], '\u0662', '2'],
		['checkbox', ['\u0967', '\u0968'], '1, 2', ['\u0967', '\u0968']],
		['date', [], '31.1.2030', '2030-01-31'],
		['number', [], '2,5', 2.5],
		['number', [], '0.500', 0.5],
		['number', [], '1.50', 1.5],
		['number', [], '1234.500', 1234.5],
		// A word of emphasis has its mark on both sides.
		['email', [], '_a_b@example.com', '_a_b@example.com'],
		['email', [], 'a_b@example.com_', 'a_b@example.com_'],
		['text', [], 'Ada, Bob', 'Ada, Bob'],
		['text', [], '1.500', '1.500'],
		// Not all of its words are options.
		['radio', ['Large', 'Large & wide'], 'large wide', 'Large & wide'],
		// Only digits on both sides of a space are two numbers.
		['radio', ['5a1', 'x'], '5 a1', '5a1'],
	])('%s %j takes %j', (type, choices, text, value) => {
		expect(read(formOf(type, choices), text)).toEqual({ Value: value });
	});

	test.each<[FieldType, string[], string]>([
		['number', [], 'two'],
		// In some countries, this is 1500.
		['number', [], '1.500'],
		['number', [], ' -20.000 '],
		['number', [], '\u0661.\u0665\u0660\u0660'],
		['number', [], '3²'],
		// Its last digit would change.
		['number', [], '12345678901234567'],
		['email', [], 'ada'],
		['email', [], 'ada@example.com?'],
		['email', [], '❌ada@example.com'],
		['email', [], '~ada@example.com~'],
		// Other numbers than those of the options.
		...['1.0', '1, 0', '1/0', '-10', '1 0', '1️⃣0️⃣0️⃣', '10 2️⃣'].map(
			(text) => ['radio', ['1', '10'], text] as never,
		),
		['radio', ['102', 'x'], '10🎉2'],
		['radio', ['1–10', 'x'], '11 0'],
		// One option, or two.
		...['A, B', 'a/b', 'A B'].map((text) => ['radio', ['A', 'B', 'AB'], text] as never),
		['checkbox', ['A', 'B', 'AB'], 'A, B'],
		['checkbox', ['A', 'B'], 'A;'],
		['radio', ['S', 'L'], 'S ❌'],
		['date', [], 'tomorrow'],
		['dropdown', ['S', 'L'], 'M'],
		['checkbox', ['gift', 'card'], 'gift, flowers'],
		['text', [], ''],
	])('%s %j does not take %j', (type, choices, text) => {
		expect(read(formOf(type, choices), text)).toBeUndefined();
	});

	test('takes a value later, but any text only as the first', () => {
		const later = { sendersSince: [CHAT] };
		expect(read(formOf('number'), '3', later)).toEqual({ Value: 3 });
		expect(read(formOf('text'), 'Ada', later)).toBeUndefined();
	});
});

describe('what could not be answered is refused', () => {
	const refusalOf = (question: Question): unknown => {
		try {
			return checkAnswerable(question);
		} catch (error) {
			return error;
		}
	};
	const fieldOf = ({ reply }: Question) => (reply as Form).fields[0] as FormField;

	test.each([
		['a word of nothing', approvalWith(' '), "'Approval Options'", "' '"],
		['a word of nothing to decline', approvalWith('No', ' '), "'Approval Options'", "'No', ' '"],
		[
			'words that differ in emoji only',
			approvalWith('OK 👍', 'OK 👎'),
			"'Approval Options'",
			"'OK 👍', 'OK 👎'",
		],
		['options that differ in a sign only', formOf('radio', ['A+', 'A-']), "'Form Fields'", "'A+', 'A-'"],
		['options that differ in a dot only', formOf('radio', ['kır', 'kir']), "'Form Fields'", "'kır', 'kir'"],
	])('%s', (_, question, parameter, answers) => {
		expect(refusalOf(question)).toMatchObject({
			message: `${parameter} has answers that cannot be told apart in the chat: ${answers}`,
			description: 'Give each answer a text that differs from the others in its letters or digits.',
		});
	});

	test('a form with several fields', () => {
		const form = formOf('text');
		const reply = { ...form.reply, fields: [fieldOf(form), fieldOf(form)] } as Form;
		expect(refusalOf({ ...form, reply })).toMatchObject({
			message: "'Form Fields' has 2 fields, but a reply in the chat can fill in only one",
			description: "Keep one field, or turn off 'Answer in Chat'.",
		});
	});

	test('a form whose field has the name of who answered', () => {
		const form = formOf('text');
		fieldOf(form).label = 'respondedBy';
		expect(refusalOf(form)).toMatchObject({
			message: "'Form Fields' has a label that is already in use: 'respondedBy'",
			description:
				"Give the field another label. 'respondedAt' and 'respondedBy' are reserved for the time and the author of the response.",
		});
	});
});

test.each([
	approvalWith('Yes'),
	approvalWith('👍', '👎'),
	formOf('number'),
	formOf('radio', ['S', 'L']),
	freeText,
])('a question that can be answered in the chat is accepted', (question) =>
	expect(() => checkAnswerable(question)).not.toThrow(),
);
