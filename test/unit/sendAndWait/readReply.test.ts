// cspell:ignore Ａｐｐｒｏｖｅ Onaylıyorum İptal iptal Hayır hayir ptal Straße ΝΑΙΣ ναις değil Evet evet
import { areAlike, readReply } from '../../../nodes/MessagingChannel/sendAndWait/readReply';
import type { Question } from '../../../nodes/MessagingChannel/sendAndWait/question';

import { CODE, CHAT, approval, approvalWith, formOf, freeText, replied, read } from './replies';

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

test('two texts that say nothing are not alike', () => expect(areAlike('', ' ')).toBe(false));
