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

test('a form has one link', () => {
	const reply: Form = {
		type: 'freeText',
		fields: [],
		link: 'Answer',
		title: '',
		description: '',
		button: '',
	};
	expect(text({ reply })).toBe('Ship it?\n\nAnswer: https://n8n.example/1?');
});

test('the attribution comes last', () => {
	expect(text({ isAttributed: true })).toMatch(/true\n\nSent automatically with n8n$/);
});

test('the attribution can have other words', () => {
	expect(text({ isAttributed: true, texts: { attribution: 'Otomatik gönderildi' } })).toMatch(
		/true\n\nOtomatik gönderildi$/,
	);
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
