// cspell:ignore Ａｐｐｒｏｖｅ Onaylıyorum İptal iptal Hayır hayir ptal Straße ΝΑΙΣ ναις değil Evet evet
import { areAlike, checkAnswerable, readReply } from '../../../nodes/MessagingChannel/sendAndWait/readReply';
import type { FieldType, FormField } from '../../../nodes/MessagingChannel/sendAndWait/formField';
import type { ChatReply } from '../../../nodes/MessagingChannel/sendAndWait/inChat/protocol';
import type { Form, InChat, Question } from '../../../nodes/MessagingChannel/sendAndWait/question';

const CODE = 'K7F4';
const CHAT = '905551112233@c.us';
const everybody: InChat = { code: CODE, responders: [] };

const approval: Question = {
	message: 'Ship it?',
	isAttributed: false,
	reply: { type: 'approval', approve: 'Approve', decline: 'Decline' },
};
const approvalWith = (approve: string, decline?: string): Question => ({
	...approval,
	reply: { type: 'approval', approve, decline },
});
const formOf = (type: FieldType, choices: string[] = [], isRequired = false): Question => ({
	message: 'Which?',
	isAttributed: false,
	reply: {
		type: 'customForm',
		fields: [{ label: 'Value', type, isRequired, choices }],
		link: 'Respond',
		title: '',
		description: '',
		button: 'Submit',
	},
});
const freeText: Question = {
	...formOf('textarea'),
	reply: { ...formOf('textarea').reply, type: 'freeText' } as Question['reply'],
};

const replied = (text: string, more: Partial<ChatReply> = {}): ChatReply => ({
	messageId: '1',
	chat: CHAT,
	from: CHAT,
	text,
	sendersSince: [],
	...more,
});
const read = (question: Question, text: string, more?: Partial<ChatReply>) =>
	readReply(question, everybody, replied(text, more));

describe('an approval', () => {
	test.each([
		['Approve', true],
		['  approve! ', true],
		['APPROVE 👍🏽', true],
		['Approve ℹ️', true],
		['Approve ™️', true],
		['Approve #️⃣', true],
		['“Approve”.', true],
		['A p p r o v e', true],
		['Ａｐｐｒｏｖｅ', true],
		['decline…', false],
	])('%j is an answer', (text, approved) => {
		expect(read(approval, text)).toEqual({ approved });
	});

	test.each(['', 'yes', '👍', 'not approve', 'Approve it', 'Approve?no', 'approved', 'Approve Decline', '1'])(
		'%j is none',
		(text) => {
			expect(read(approval, text)).toBeUndefined();
		},
	);

	test('without an answer to decline, takes none', () => {
		const only: Question = { ...approval, reply: { type: 'approval', approve: 'Approve' } };
		expect(read(only, 'Decline')).toBeUndefined();
		expect(read(only, 'Approve')).toEqual({ approved: true });
	});

	test('takes the words of the user, with the small letters of their language', () => {
		const turkish: Question = {
			...approval,
			language: 'tr',
			reply: { type: 'approval', approve: 'Onaylıyorum', decline: 'İptal' },
		};
		expect(read(turkish, 'ONAYLIYORUM')).toEqual({ approved: true });
		expect(read(turkish, 'iptal')).toEqual({ approved: false });
	});

	test.each([
		['Hayır', 'HAYIR'],
		['Hayır', 'hayir'],
		['İptal', 'iptal'],
		['İptal', 'i\u0307ptal'],
		['Straße', 'STRASSE'],
		['ΝΑΙΣ', 'ναις'],
	])('%s is also written as %s, whatever the language of the page', (approve, text) => {
		const question: Question = { ...approval, reply: { type: 'approval', approve } };
		expect(read(question, text)).toEqual({ approved: true });
	});

	test.each([
		'Approve?',
		'K7F4 Approve?',
		'Approve K7F4?',
		'? K7F4 Approve',
		'¿Approve',
		'Approve;',
		'Approve 🤷🏽‍♀️',
	])('%s asks back, and is none', (text) => {
		expect(read(approval, text)).toBeUndefined();
	});

	test.each([
		'Approve 👎🏽',
		'🚫 approve',
		'Approve K7F4 👎',
		'~Approve~',
		'~Approve K7F4~',
		'~Decline~',
		'! K7F4 Approve',
	])('%s takes itself back, and is none', (text) => {
		expect(read(approval, text)).toBeUndefined();
	});

	test.each('✕ × ¬ 🅧 🈚 🆖 [☐] 🏳️ 😡 0 ¬¬ - － ⁻ ︱ ! ！ ~ // <> ⃠ 🖕 не لا 不 नहीं değil X №'.split(' '))(
		'with %s in front of it, or with a line through it, is none',
		(sign) => {
			expect(read(approval, `${sign}Approve`)).toBeUndefined();
			expect(read(approval, `${CODE} ${sign}approve`)).toBeUndefined();
		},
	);

	test.each(['🈚', '🏳️', ':(', ' 🙃', '\u20E0', '\u0338', '0', '✕ K7F4', ' K7F4 ☒', ' 不'])(
		'with %s behind it is none',
		(sign) => {
			expect(read(approval, `Approve${sign}`)).toBeUndefined();
		},
	);

	test('with each letter struck through is none', () => {
		for (const overlay of ['\u0336', '\u0335', '\u0338', '\u20E5']) {
			expect(read(approval, 'Approve'.replace(/./g, `$&${overlay}`))).toBeUndefined();
		}
	});

	test('has no sign but those known to be harmless around it', () => {
		const accepted: string[] = [];
		for (let code = 1; code < 0x2fff; code++) {
			const sign = String.fromCharCode(code);
			if (/[\p{P}\p{S}]/u.test(sign) && read(approval, `Approve ${sign}`)) accepted.push(sign);
		}
		expect(accepted.join('')).toBe('!"#\'*,-.:_`©«®»\u1fef–—‘’‚“”„․‥…‹›⁻₋™−☑✅✓✔✨❤⭐');
	});

	test.each(['✅ Approve', '👍🏽 approve 🙏', '- approve', '*Approve*', '“Approve” :)', '\u200fApprove\u200f'])(
		'%s is an answer',
		(text) => {
			expect(read(approval, text)).toEqual({ approved: true });
			expect(read(approval, `${CODE} ${text}`)).toEqual({ approved: true });
		},
	);

	test.each(['Decline ❌', '👎 decline', '~K7F4~ decline'])('%s declines', (text) => {
		expect(read(approval, text)).toEqual({ approved: false });
	});

	test.each([
		['❌ Delete it', 'delete it'],
		['❌ Delete it', '❌ Delete it'],
		['Later?', 'later'],
		['Later?', 'Later?'],
		// A phone may write an emoji as a plain sign.
		['❤️', '❤\uFE0E'],
	])('%s, with a sign in its label, takes %s', (approve, text) => {
		expect(read(approvalWith(approve), text)).toEqual({ approved: true });
	});

	test('takes emoji where the answers are emoji', () => {
		const emoji: Question = { ...approval, reply: { type: 'approval', approve: '👍', decline: '👎' } };
		expect(read(emoji, '👍🏿 ')).toEqual({ approved: true });
		expect(read(emoji, '👎')).toEqual({ approved: false });
		expect(read(emoji, '👌')).toBeUndefined();
	});
});

describe('a code word', () => {
	test.each(['K7F4 Approve', 'Approve k7f4', '*K7F4*: approve', 'approve (K7F4)!', 'K7F4 Approve k7f4'])(
		'%j names the question',
		(text) => {
			expect(read(approval, text)).toEqual({ approved: true });
		},
	);

	test.each(['K7F4', 'K7F5 Approve', 'Approve XK7F4', 'K7F44 Approve', 'Approve K7F4 now'])(
		'%j is no answer',
		(text) => {
			expect(read(approval, text)).toBeUndefined();
		},
	);

	test.each(['Approve K7F4 👍', '👍 k7f4: approve', 'Approve\u200F K7F4\u200F', 'Approve-K7F4'])(
		'%j names it with marks and emoji, too',
		(text) => {
			expect(read(approval, text)).toEqual({ approved: true });
		},
	);

	test.each([
		['K7F4 Really?', 'Really?'],
		['Really? K7F4', 'Really?'],
		['What (see the list) K7F4', 'What (see the list)'],
		['K7F4 (as ever)', '(as ever)'],
		['Too late. (*_K7F4_*)', 'Too late.'],
		['Really, K7F4?', 'Really?'],
		['Really , K7F4?', 'Really?'],
		['¿❓K7F4 vale', '¿❓vale'],
		['~K7F4~ as ever', 'as ever'],
		['K7F44 is not K7F4', 'K7F44 is not'],
		['K7F4: K7F4 at both ends, *K7F4*!', 'K7F4 at both ends'],
		['K7F4 K7F4', 'K7F4'],
		['K7F4-as ever', 'as ever'],
		['K7F4 - as ever', '- as ever'],
	])('%j leaves the rest as it was written', (text, rest) => {
		expect(read(freeText, text)).toEqual({ text: rest });
	});

	test.each([
		['K7F4 -5', -5],
		['-5 K7F4', -5],
		['K7F4-5', 5],
		['5, K7F4', 5],
		['K7F4 .5', 0.5],
	])('%j keeps the sign of a number', (text, value) => {
		expect(read(formOf('number'), text)).toEqual({ Value: value });
	});

	test('beside an answer that is a sign leaves the sign once', () => {
		expect(read(approvalWith('❌'), 'K7F4 ❌')).toEqual({ approved: true });
	});

	test('is left out of a free text, which need not be the first then', () => {
		expect(read(freeText, 'k7f4 Too late.', { sendersSince: [CHAT] })).toEqual({ text: 'Too late.' });
		expect(read(freeText, 'K7F4')).toBeUndefined();
	});
});

describe('a free text', () => {
	test('is the first text after the question', () => {
		expect(read(freeText, ' Too late.\nSorry! ')).toEqual({ text: 'Too late.\nSorry!' });
		expect(read(freeText, 'Really', { sendersSince: [CHAT] })).toBeUndefined();
		expect(read(freeText, '  ')).toBeUndefined();
	});

	test('is the first text of somebody whose answer counts', () => {
		const inChat = { code: CODE, responders: ['905550000001'] };
		const group = { chat: '120363000000000000@g.us', from: '905550000001@c.us' };
		const others = { ...group, sendersSince: ['905550000002@c.us'] };
		expect(readReply(freeText, inChat, replied('Yes', others))).toEqual({ text: 'Yes' });
		const again = { ...group, sendersSince: ['905550000001@c.us'] };
		expect(readReply(freeText, inChat, replied('Yes', again))).toBeUndefined();
	});
});

describe('a form with one field', () => {
	test.each<[FieldType, string[], string, unknown]>([
		['number', [], ' 2.5 ', 2.5],
		['email', [], 'ada@example.com', 'ada@example.com'],
		['date', [], '2030-01-31', '2030-01-31'],
		['dropdown', ['Small', 'Large & wide'], 'large WIDE', 'Large & wide'],
		['radio', ['S', 'L'], 'l.', 'L'],
		['checkbox', ['gift', 'card, signed'], 'Gift', ['gift']],
		['checkbox', ['gift', 'card'], 'card, Gift', ['card', 'gift']],
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

describe('allowed responders', () => {
	const inChat = { code: CODE, responders: ['905550000001'] };
	const chat = '120363000000000000@g.us';
	const by = (from: string | undefined) => readReply(approval, inChat, replied('Approve', { chat, from }));

	test('answer', () => expect(by('905550000001@c.us')).toEqual({ approved: true }));

	test.each([['905550000002@c.us'], [undefined], [chat]])('%s does not', (from) => {
		expect(by(from)).toBeUndefined();
		expect(
			readReply(
				approval,
				inChat,
				replied(`Approve ${CODE}`, { chat, ...(from && { from }), ...(!from && { from: undefined }) }),
			),
		).toBeUndefined();
	});

	test('are members of the group, not the group itself', () => {
		const own = { code: CODE, responders: ['120363000000000000'] };
		expect(readReply(approval, own, replied('Approve', { chat, from: chat }))).toBeUndefined();
	});
});

test('an answer may have up to 100 signs and twice its length around it', () => {
	const answer = 'Approve';
	const longest = answer + '.'.repeat(2 * answer.length + 100);
	expect(read(approval, longest)).toEqual({ approved: true });
	expect(read(approval, `${longest}.`)).toBeUndefined();
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

test('two texts that say nothing are not alike', () => expect(areAlike('', ' ')).toBe(false));
