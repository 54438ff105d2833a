import { readReply } from '../../../nodes/MessagingChannel/sendAndWait/readReply';
import type { FieldType } from '../../../nodes/MessagingChannel/sendAndWait/formField';
import type { ChatReply } from '../../../nodes/MessagingChannel/sendAndWait/inChat/protocol';
import type { InChat, Question } from '../../../nodes/MessagingChannel/sendAndWait/question';

export const CODE = 'K7F4';
export const CHAT = '905551112233@c.us';
const everybody: InChat = { code: CODE, responders: [] };

export const approval: Question = {
	message: 'Ship it?',
	isAttributed: false,
	reply: { type: 'approval', approve: 'Approve', decline: 'Decline' },
};
export const approvalWith = (approve: string, decline?: string): Question => ({
	...approval,
	reply: { type: 'approval', approve, decline },
});
export const formOf = (type: FieldType, choices: string[] = [], isRequired = false): Question => ({
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
export const freeText: Question = {
	...formOf('textarea'),
	reply: { ...formOf('textarea').reply, type: 'freeText' } as Question['reply'],
};

export const replied = (text: string, more: Partial<ChatReply> = {}): ChatReply => ({
	messageId: '1',
	chat: CHAT,
	from: CHAT,
	text,
	sendersSince: [],
	...more,
});
export const read = (question: Question, text: string, more?: Partial<ChatReply>) =>
	readReply(question, everybody, replied(text, more));
