import { type Message, unreadableSender } from '../../api/message';
import { latestMessages } from '../../execution/sending/chatMessages';
import { withNumber } from '../../recipients/hiddenNumbers';
import { isHiddenId, numberBeside } from '../../recipients/recipient';
import { answerKeyOf, chatTagsOf, codeWordOf } from '../../sendAndWait/inChat/answerKey';
import {
	chatTagIn,
	mismatchBefore,
	questionsBefore,
	type AskedQuestion,
	type LinkPattern,
} from '../../sendAndWait/inChat/questionLinks';
import { textBesideCode } from '../../sendAndWait/readReply';
import { stateOf } from '../delivery/state';
import type { TriggerRun } from '../delivery/trigger';
import { isClosed } from './askPage';
import { questionNameOf, type AnswerRecords } from './handOver';

/** A message waits for the chat no longer than this. Without the chat, it starts the workflow. */
const LIMITS = { maxAttempts: 3, maxRateLimitWait: 60 };

/** A reply without a code word can answer only the latest questions of its chat, as each of them is asked. */
const MAX_QUESTIONS = 10;

/** A message that can be an answer. */
export interface Reply {
	incoming: Message;
	messageId: string;
	text: string;
	names: { chat: string; phone: string | undefined };
}

/** A chat, and the key of what is signed in it. */
export interface AnswerChat {
	key: Buffer;
	/** Its latest messages, newest first. */
	messages: Message[];
}

/** Reads a chat. */
export async function readChat({ credential, connect }: TriggerRun, chatId: string): Promise<AnswerChat> {
	const key = answerKeyOf(await credential());
	// A question before these messages is not found.
	return { key, messages: await latestMessages(await connect(), chatId, LIMITS) };
}

/** The questions that a message may answer. */
export interface FoundQuestions {
	/** Those that are asked whether they take it. */
	answerable: AskedQuestion[];
	/** Whether the message has the code word of one. It never answers another then, even if that question no longer waits. */
	isNamed: boolean;
	/** Those of a chat whose number is not known, whatever chat they name. */
	ofAnyChat: AskedQuestion[];
	pattern: LinkPattern;
	names: Reply['names'];
}

/** Finds the questions of a chat that a message may answer. */
export async function findQuestions(
	run: TriggerRun,
	{ key, messages }: AnswerChat,
	{ incoming, text, names: namesInEvent }: Reply,
	{ begun }: Pick<AnswerRecords, 'begun'>,
): Promise<FoundQuestions> {
	const names = await withKnownNumber(run, namesInEvent);
	const waitingUrl = run.waitingUrl();
	const isHidden = isHiddenId(names.chat) && names.phone === undefined;
	const ofAnyChat = isHidden ? questionsBefore(messages, incoming, { waitingUrl }) : [];
	// A run that was cut off may have known the number, and so the questions of the chat.
	const handed = ofAnyChat.length > 0 ? await begun(ofAnyChat.map(({ link }) => questionNameOf(link))) : [];
	const known = ofAnyChat.filter(({ link }) => handed.includes(questionNameOf(link)));
	const tags = known.map(({ link }) => chatTagIn(link));
	const pattern = { waitingUrl, chatTags: [...chatTagsOf(key, names), ...tags] };
	const questions = questionsBefore(messages, incoming, pattern);
	const named = questions.filter(({ link }) => textBesideCode(text, codeWordOf(key, link)) !== undefined);
	const isNamed = named.length > 0;
	return {
		answerable: isNamed ? named : questions.slice(0, MAX_QUESTIONS),
		isNamed,
		ofAnyChat,
		pattern,
		names,
	};
}

/** The names of a chat, also with the number that the service named beside its ID elsewhere. */
async function withKnownNumber({ accountState }: TriggerRun, names: Reply['names']): Promise<Reply['names']> {
	if (names.phone !== undefined || !isHiddenId(names.chat)) return names;
	const account = await accountState().catch(() => undefined);
	const phone = account && withNumber(account, names.chat);
	return { ...names, phone: numberBeside({ id: names.chat, phone }) };
}

/** Whether a message that no question took may answer one that was not found. The log says why. */
export async function mayHaveQuestion(
	run: TriggerRun,
	{ messages }: AnswerChat,
	incoming: Message,
	{ ofAnyChat, pattern }: FoundQuestions,
): Promise<boolean> {
	const { log } = stateOf(run);
	const mismatch = mismatchBefore(messages, incoming, pattern);
	if (mismatch === 'url') log(OTHER_URL);
	const hiddenFrom = mismatch === 'chat' ? ofAnyChat.slice(0, MAX_QUESTIONS) : [];
	const closed = hiddenFrom.map(async ({ link }) => await isClosed(link, run.request));
	const mayBeHidden = (await Promise.all(closed)).includes(false);
	if (mayBeHidden) log(HIDDEN_NUMBER);
	const unclear = messages.find(
		(each) =>
			each.fromMe === 'unknown' && questionsBefore([{ ...each, fromMe: true }], incoming, pattern).length > 0,
	);
	if (unclear) log(`${NOT_FOUND}: ${unreadableSender(unclear.record).message}`);
	return mayBeHidden || unclear !== undefined;
}

const OTHER_URL =
	'A message may answer a question, but its link does not begin with the N8N_WEBHOOK_URL of this n8n, so the message may start the workflow. If that was changed, stop the execution that waits, and ask again';

const HIDDEN_NUMBER =
	"A message may answer a question, but the service names its chat only by an ID that ends with @lid, so the message may start the workflow. Ask in that chat: enter the chat.id of the message in 'To'";

const NOT_FOUND =
	'No question was found that a message answers, so it may start the workflow, but some messages of the chat are not understood';
