import fc from 'fast-check';

import { isGroup, phoneOfChat } from '../../support/service/core/phone';
import type { NodeSettings } from '../n8n/actionContext';
import {
	clockOffsetMs,
	numbers,
	oneOf,
	stepsOf,
	type Made,
	type StepOf,
	type StepTable,
} from '../chance/histories';
import type { Question } from '../waiting/database';
import { askFields } from '../waiting/world';

/** A chat with one person, and a group. */
export const CHATS = ['905551112233@c.us', '120363000000000001@g.us'] as const;

export const MEMBERS = ['905550000001', '905550000002', '905550000003'] as const;

/** What a customer writes who has seen a question. */
export const TEXTS: Record<
	string,
	(question: { code: string; link: string; text: string }, count: number) => string
> = {
	approve: () => 'Approve',
	decline: () => ' decline! ',
	'approve with the code': ({ code }) => `APPROVE ${code}`,
	'decline with the code': ({ code }) => `${code.toLowerCase()}: Decline`,
	'a text with the code': ({ code }, count) => `${code} Hello ${count}`,
	'a text': (_, count) => `Hello ${count}`,
	'almost an answer': () => 'Approve it',
	'both answers': () => 'Approve Decline',
	'a code of nobody': () => 'Approve Z0Z0',
	'the question': ({ text }) => text,
	'the link': ({ link }) => link,
};

/** Only a text that greets has one: most answers have none. */
export const KEYWORD = 'hello';

const question = fc
	.record({
		chat: fc.nat(1),
		responseType: oneOf('approval', 'approval', 'freeText'),
		limitMinutes: oneOf(undefined, undefined, 0.5, 2),
		isLimitedToMembers: oneOf(false, false, true),
	})
	.map(({ chat, isLimitedToMembers, ...others }): Omit<Question, 'text'> => {
		const to = CHATS[chat] as string;
		return {
			...others,
			to: isGroup(to) ? to : phoneOfChat(to),
			isInChat: true,
			responders: isGroup(to) && isLimitedToMembers ? MEMBERS.slice(0, 2) : [],
		};
	});

const settings = fc.record<NodeSettings>({
	onError: oneOf('stopWorkflow', 'continueRegularOutput'),
	tries: oneOf(1, 2),
	maxConcurrency: fc.constant(1),
});

const asked = askFields(question, settings);

/** What a user, a customer or fate does. */
const STEPS = {
	ask: [3, asked],
	/** Somebody writes in a chat, or several members of a group at the same moment. */
	write: [
		10,
		{
			chat: fc.nat(1),
			text: oneOf('approve', 'approve', ...Object.keys(TEXTS)),
			/** Which of the chat's questions is meant, the latest first. */
			which: oneOf(0, 0, 1),
			member: fc.nat(2),
			count: oneOf(1, 1, 1, 2, 3),
			deliveries: oneOf(6, 6, 1, 0),
			listedAfterMs: oneOf(0, 0, 2_000),
		},
	],
	/** The account itself repeats a question on the phone, in its chat or in another. */
	forward: [1, { which: fc.nat(2), chat: fc.nat(1) }],
	/** Somebody answers with a link. */
	visit: [2, { which: fc.nat(2), approves: fc.boolean() }],
	forge: [1, { which: fc.nat(2) }],
	stop: [1, { which: fc.nat(2) }],
	/** Retries one of the executions that asked and did not succeed. */
	retry: [1, { which: fc.nat(2) }],
	/** Retries one of the trigger's, as its error says. */
	'retry the trigger': [2, { which: fc.nat(2) }],
	kill: [3, { process: fc.nat(4), isWaiting: fc.boolean() }],
	'cut off': [1, { ms: oneOf(3_000, 60_000) }],
	wait: [8, { ms: oneOf(10, 300, 1_500, 5_000, 30_000, 160_000) }],
	'wait for the limit': [1, { beforeMs: oneOf(-1_000, 10, 700, 3_000, 20_000) }],
} satisfies StepTable;

export type Step = StepOf<typeof STEPS>;

export const answersHistory = fc.record({
	// A first question, without which little happens.
	steps: fc
		.tuple(fc.record(asked), fc.array(fc.oneof(...stepsOf(STEPS)), { minLength: 2, maxLength: 12 }))
		.map(([first, steps]): Step[] => [{ do: 'ask', ...first }, { do: 'wait', ms: 5_000 }, ...steps]),
	numbers: numbers(400),
	clockOffsetMs,
	version: fc.record({
		ifWebhookExists: fc.constant('share' as const),
		events: fc.constant(['message.received']),
		timeoutSeconds: fc.constant(30),
		combineEvents: oneOf(undefined, undefined, 'whenBusy', 'perChat'),
		catchUpMinutes: fc.constant(60),
		takesAnswers: fc.constant(true),
		keywords: oneOf(undefined, undefined, [KEYWORD]),
	}),
	deployment: fc.record({
		mode: oneOf('regular', 'regular', 'queue'),
		usesPublicationService: fc.constant(true),
		hashesEvents: fc.constant(true),
		isMortal: fc.boolean(),
	}),
});

export type AnswersHistory = Made<typeof answersHistory>;
