// cspell:ignore Otomatik gönderildi Gönderilsin Evet Hayır Yanıt veya Sayfa
import { messageForChat, messageWith } from '../../../nodes/MessagingChannel/sendAndWait/messageLinks';
import type { Form, Question } from '../../../nodes/MessagingChannel/sendAndWait/question';

const linkTo = (query: Record<string, string>) => `https://n8n.example/1?${new URLSearchParams(query)}`;

const text = (question: Partial<Question>) =>
	messageWith(
		{ message: 'Ship it?', reply: { type: 'approval', approve: 'Yes' }, isAttributed: false, ...question },
		linkTo,
	);

test('an approval has a link for each answer', () => {
	expect(text({})).toBe('Ship it?\n\nYes: https://n8n.example/1?approved=true');
	expect(text({ reply: { type: 'approval', approve: 'Yes', decline: 'No' } })).toBe(
		'Ship it?\n\nYes: https://n8n.example/1?approved=true\n\nNo: https://n8n.example/1?approved=false',
	);
});

const formWith = (choices: string[] = []): Form => ({
	type: 'customForm',
	fields: [{ label: 'Value', type: 'radio', isRequired: false, choices }],
	link: 'Answer',
	title: '',
	description: '',
	button: '',
});

test('a form has one link', () => {
	expect(text({ reply: formWith() })).toBe('Ship it?\n\nAnswer: https://n8n.example/1?');
});

test.each([
	[undefined, 'Sent automatically with n8n'],
	[{ attribution: 'Otomatik gönderildi' }, 'Otomatik gönderildi'],
])('the attribution comes last, with the texts %j', (texts, attribution) => {
	expect(text({ isAttributed: true, texts })).toMatch(new RegExp(`true\n\n${attribution}$`));
});

test('an answer with a dollar sign stands in the message as it was entered, wherever the user wants it', () => {
	const question: Question = {
		message: 'How?',
		reply: { type: 'approval', approve: 'Pay $$5', decline: "Keep $&, $'" },
		isAttributed: false,
		texts: { replyText: '{answers}? Write {answers}.' },
	};
	const [, how] = messageForChat(question, { code: 'K7F4', responders: [] }, 'https://n8n.example/1').split(
		'\n\n',
	);
	expect(how).toBe(
		"*Pay $$5* or *Keep $&, $'*? Write *Pay $$5* or *Keep $&, $'*. If several questions are open, add *K7F4*.",
	);
});

test.each<[string, Question['reply'], string[], string, string]>([
	['one answer', { type: 'approval', approve: 'Yes' }, [], 'Reply *Yes*.', 'Or answer here'],
	[
		'two answers',
		{ type: 'approval', approve: 'Yes', decline: 'No' },
		[],
		'Reply *Yes* or *No*.',
		'Or answer here',
	],
	['several options', formWith(['S', 'M', 'L']), [], 'Reply *S*, *M* or *L*.', 'Answer'],
	['any value', formWith(), [], 'Reply in this chat.', 'Answer'],
	['responders', formWith(), ['905550000001'], 'Reply in this chat.', 'About this question'],
])('a message for the chat says how to reply with %s', (_, reply, responders, how, label) => {
	const question: Question = { message: 'Ship it?', reply, isAttributed: false };
	expect(messageForChat(question, { code: 'K7F4', responders }, 'https://n8n.example/1')).toBe(
		`Ship it?\n\n${how} If several questions are open, add *K7F4*.\n\n${label}: https://n8n.example/1`,
	);
});

test('a message for the chat can have other words', () => {
	const question: Question = {
		message: 'Gönderilsin mi?',
		reply: { type: 'approval', approve: 'Evet', decline: 'Hayır' },
		isAttributed: false,
		texts: { replyText: 'Yanıt: {answers}', orText: 'veya', codeText: 'Kod:', linkText: 'Sayfa' },
	};
	expect(messageForChat(question, { code: 'K7F4', responders: [] }, 'https://n8n.example/1')).toBe(
		'Gönderilsin mi?\n\nYanıt: *Evet* veya *Hayır* Kod: *K7F4*\n\nSayfa: https://n8n.example/1',
	);
});
