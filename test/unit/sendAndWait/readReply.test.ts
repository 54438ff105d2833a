// cspell:ignore Ａｐｐｒｏｖｅ Onaylıyorum İptal iptal Hayır hayir ptal Straße ΝΑΙΣ ναις değil Evet evet
import { areAlike, readReply } from '../../../nodes/MessagingChannel/sendAndWait/readReply';
import type { Question } from '../../../nodes/MessagingChannel/sendAndWait/question';

import { CODE, CHAT, approval, approvalWith, formOf, freeText, replied, read } from './replies';

describe('an approval', () => {
	const approved = [
		...['Approve', '  approve! ', 'APPROVE 👍🏽', 'Approve ℹ️', 'Approve ™️', 'Approve #️⃣', '“Approve”.'],
		...['A p p r o v e', 'Ａｐｐｒｏｖｅ', '✅ Approve', '👍🏽 approve 🙏', '- approve', '*Approve*'],
		...['“Approve” :)', '\u200fApprove\u200f', 'K7F4 ✅ Approve', 'K7F4 - approve', 'K7F4 *Approve*'],
		...['K7F4 Approve', 'Approve k7f4', '*K7F4*: approve', 'approve (K7F4)!', 'K7F4 Approve k7f4'],
		...['Approve K7F4 👍', '👍 k7f4: approve', 'Approve\u200F K7F4\u200F', 'Approve-K7F4'],
	];
	const declined = ['decline…', 'Decline ❌', '👎 decline', '~K7F4~ decline'];

	test.each([
		...approved.map((text) => [text, true] as const),
		...declined.map((text) => [text, false] as const),
	])('%j is an answer: %s', (text, expected) => {
		expect(read(approval, text)).toEqual({ approved: expected });
	});

	test.each([
		...['', 'yes', '👍', 'not approve', 'Approve it', 'Approve?no', 'approved', 'Approve Decline', '1'],
		// It asks back.
		...['Approve?', 'K7F4 Approve?', 'Approve K7F4?', '? K7F4 Approve', '¿Approve', 'Approve;', 'Approve 🤷🏽‍♀️'],
		// It takes itself back.
		...['Approve 👎🏽', '🚫 approve', 'Approve K7F4 👎', '~Approve~', '~Approve K7F4~', '~Decline~'],
		...['! K7F4 Approve', 'Approve ✕ K7F4', 'Approve K7F4 ☒'],
		...['🈚', '🏳️', ':(', ' 🙃', '\u20E0', '\u0338', '0', ' 不'].map((sign) => `Approve${sign}`),
		// It has no such code, or more.
		...['K7F4', 'K7F5 Approve', 'Approve XK7F4', 'K7F44 Approve', 'Approve K7F4 now'],
	])('%j is none', (text) => {
		expect(read(approval, text)).toBeUndefined();
	});

	test.each('✕ × ¬ 🅧 🈚 🆖 [☐] 🏳️ 😡 0 ¬¬ - － ⁻ ︱ ! ！ ~ // <> ⃠ 🖕 не لا 不 नहीं değil X №'.split(' '))(
		'with %s in front of it, or with a line through it, is none',
		(sign) => {
			expect(read(approval, `${sign}Approve`)).toBeUndefined();
			expect(read(approval, `${CODE} ${sign}approve`)).toBeUndefined();
		},
	);

	test('without an answer to decline, takes none', () => {
		expect(read(approvalWith('Approve'), 'Decline')).toBeUndefined();
		expect(read(approvalWith('Approve'), 'Approve')).toEqual({ approved: true });
	});

	test('takes the words of the user, with the small letters of their language', () => {
		const turkish: Question = { ...approvalWith('Onaylıyorum', 'İptal'), language: 'tr' };
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
		// With a sign in its label.
		['❌ Delete it', 'delete it'],
		['❌ Delete it', '❌ Delete it'],
		['Later?', 'later'],
		['Later?', 'Later?'],
		// A phone may write an emoji as a plain sign.
		['❤️', '❤\uFE0E'],
		['❌', 'K7F4 ❌'],
	])('%s is also written as %s, whatever the language of the page', (approve, text) => {
		expect(read(approvalWith(approve), text)).toEqual({ approved: true });
	});

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

	test('takes emoji where the answers are emoji', () => {
		const emoji = approvalWith('👍', '👎');
		expect(read(emoji, '👍🏿 ')).toEqual({ approved: true });
		expect(read(emoji, '👎')).toEqual({ approved: false });
		expect(read(emoji, '👌')).toBeUndefined();
	});
});

describe('a code word', () => {
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
	const by = (from: string | undefined, text = 'Approve') =>
		readReply(approval, inChat, replied(text, { chat, from }));

	test('answer', () => expect(by('905550000001@c.us')).toEqual({ approved: true }));

	test.each([['905550000002@c.us'], [undefined], [chat]])('%s does not', (from) => {
		expect(by(from)).toBeUndefined();
		expect(by(from, `Approve ${CODE}`)).toBeUndefined();
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
