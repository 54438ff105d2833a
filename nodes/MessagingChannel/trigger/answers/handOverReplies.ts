import uniq from 'lodash/uniq';
import { NodeOperationError, type IDataObject, type INodeExecutionData } from 'n8n-workflow';

import { messageOf } from '../../api/errors';
import { type Message, parseMessage, unreadableSender } from '../../api/message';
import type { UnreadableField } from '../../api/unreadable';
import { idOf, isOn, recordOrEmpty } from '../../api/values';
import { latestMessages } from '../../execution/sending/chatMessages';
import { digestOf } from '../../execution/sending/digest';
import { answerKeyOf, chatTagsOf, codeWordOf } from '../../sendAndWait/inChat/answerKey';
import type { ChatReply } from '../../sendAndWait/inChat/protocol';
import { chatTagIn, isReply, mismatchBefore, questionsBefore } from '../../sendAndWait/inChat/questionLinks';
import { textBesideCode } from '../../sendAndWait/readReply';
import { withNumber } from '../../recipients/hiddenNumbers';
import { isHiddenId, numberBeside } from '../../recipients/recipient';
import { messageNameOf, runsOf } from '../catchUp/workflowRuns';
import { messagesIn, withMessages, type ChatMessage } from '../combining/chatItem';
import { clock, withTimeout } from '../account/clock';
import { eventOf } from '../delivery/event';
import { eventFilterOf, passesFilters, unreadableFor, type EventFilter } from '../delivery/filter';
import { reportItem, unreadableReport } from '../delivery/reports';
import { stateOf } from '../delivery/state';
import type { TriggerRun } from '../delivery/trigger';
import { handOver, UncertainAnswer, type AnswerRecords } from './handOver';
import { askPage, isClosed } from './askPage';

/** A message waits for the chat no longer than this. Without the chat, it starts the workflow. */
const LIMITS = { maxAttempts: 3, maxRateLimitWait: 60 };

/**
 * How long the chats may take. n8n itself waits five minutes for each response. A run that takes two counts as ended, and
 * would not be caught up.
 */
const CHATS_TIMEOUT_MS = 70_000;

/**
 * Takes the replies to waiting questions out of the items, and hands them to the questions. A test takes none, because the
 * published workflow gets the same messages.
 *
 * @returns the items with what is no answer and passes the filters, which only count then; or an item that reports what a filter
 *   could not read
 * @throws NodeOperationError if it is not known whether a question took its answer
 */
export async function handOverReplies(
	run: TriggerRun,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const { parameters, isTest, continuesOnFail } = run;
	if (isTest || !isOn(parameters.getNodeParameter('options.takeAnswers', false))) return items;
	const filter = { ...eventFilterOf(parameters), hasAnswers: false };
	const unreadable: UnreadableField[] = [];
	const handleReply = createReplyHandler(run, repliesIn(items));
	const tryToHandOver = async (chat: unknown, message: unknown): Promise<HandOverResult> =>
		await handleReply(recordOrEmpty(chat), recordOrEmpty(message)).then(
			(wasTaken) => ({ wasTaken, mayBeAnswer: wasTaken === undefined }),
			(error: unknown) => {
				if (!(error instanceof NodeOperationError) || !continuesOnFail) throw error;
				return { wasTaken: false, error };
			},
		);
	const left: INodeExecutionData[] = [];
	// One after the other, so that two texts of one chat do not answer the same question.
	for (const item of items) {
		const { event, chat, message } = item.json;
		const messages = messagesIn(item);
		if (!messages) {
			const result: HandOverResult =
				event === 'message.received' ? await tryToHandOver(chat, message) : { wasTaken: false };
			if (!result.wasTaken) left.push(...filtered(item, filter, [result], unreadable));
			continue;
		}
		const others: Array<ChatMessage & HandOverResult> = [];
		for (const each of messages) {
			const result = await tryToHandOver(chat, each.message);
			if (!result.wasTaken) others.push({ ...each, ...result });
		}
		if (others.length > 0) left.push(...filtered(withMessages(item, others), filter, others, unreadable));
	}
	const [problem] = unreadable;
	if (!problem) return left;
	const { log, reports } = stateOf(run);
	// An execution that fails would take the other items with it.
	if (left.length > 0) log(problem.message);
	const report = left.length === 0 ? unreadableReport(problem, reports) : undefined;
	return report ? [reportItem(report)] : left;
}

/** Whether a question took a message, or why that is not known. */
interface HandOverResult {
	wasTaken: boolean | undefined;
	/** Whether it could not be found out if the message is an answer. */
	mayBeAnswer?: boolean;
	error?: NodeOperationError;
}

/**
 * What of an item passes the filters. What may be an answer needs no keyword, which answers do not have: it would be lost.
 *
 * @param results of its messages
 * @param unreadable gets what is not understood of a message, which then does not pass
 */
function filtered(
	item: INodeExecutionData,
	filter: EventFilter,
	results: readonly HandOverResult[],
	unreadable: UnreadableField[],
): INodeExecutionData[] {
	const error = results.findLast((result) => result.error)?.error;
	// With On Error set to continue, n8n would output all items as they came in, also those that questions have taken.
	if (error) return [{ ...item, json: { ...item.json, error: error.message }, error }];
	const keywords = results.some(({ mayBeAnswer }) => mayBeAnswer) ? [] : filter.keywords;
	const passesWith = (json: IDataObject, wanted: EventFilter['keywords']): boolean => {
		const event = eventOf('', {}, json);
		const others = { ...filter, keywords: wanted };
		if (!passesFilters(event, others)) return false;
		const problem = unreadableFor(event, others);
		if (problem) unreadable.push(problem);
		return !problem;
	};
	const messages = messagesIn(item);
	if (!messages) return passesWith(item.json, keywords) ? [item] : [];
	const { chat } = item.json;
	const passing = (wanted: EventFilter['keywords']) =>
		messages.filter(({ message }) => passesWith({ event: 'message.received', chat, message }, wanted));
	// One message with a keyword is enough for its chat.
	return passing(keywords).length > 0 ? [withMessages(item, passing([]))] : [];
}

/** A reply without a code word can answer only the latest questions of its chat, as each of them is asked. */
const MAX_QUESTIONS = 10;

type Fields = Record<string, unknown>;

/** A message that can be an answer. */
interface Reply {
	incoming: Message;
	messageId: string;
	text: string;
	names: { chat: string; phone: string | undefined };
}

/** Reads a message of a chat; undefined if it cannot be an answer. */
function replyIn(chat: Fields, message: Fields): Reply | undefined {
	const incoming = parseMessage(message as IDataObject);
	const { id: messageId, from, text } = incoming;
	const chatId = idOf(chat.id) ?? from;
	if (!isReply(incoming) || chatId === undefined || messageId === undefined || text === undefined)
		return undefined;
	const phone = numberBeside({ id: chatId, phone: idOf(chat.phone) });
	return { incoming, messageId, text, names: { chat: chatId, phone } };
}

function repliesIn(items: readonly INodeExecutionData[]): Reply[] {
	return items.flatMap((item) => {
		const { event, chat, message } = item.json;
		const single = event === 'message.received' ? [message] : [];
		const messages = messagesIn(item)?.map((each) => each.message) ?? single;
		return messages.flatMap((each) => replyIn(recordOrEmpty(chat), recordOrEmpty(each)) ?? []);
	});
}

/**
 * Creates a function that hands a message to the question that it answers, and resolves to whether there is one; undefined if that
 * could not be found out. All chats are read at once, each once, so that one that does not respond keeps out no other.
 */
function createReplyHandler(
	run: TriggerRun,
	replies: readonly Reply[],
): (chat: Fields, message: Fields) => Promise<boolean | undefined> {
	const { log } = stateOf(run);
	const read = async (chat: string): Promise<AnswerChat | undefined> =>
		await withTimeout(CHATS_TIMEOUT_MS, readChat(run, chat)).catch((error: unknown) => {
			log(`A message could not be checked for an answer, so it may start the workflow: ${messageOf(error)}`);
			return undefined;
		});
	const chats = new Map(uniq(replies.map(({ names }) => names.chat)).map((chat) => [chat, read(chat)]));

	return async (chat, message) => {
		const incomingReply = replyIn(chat, message);
		if (!incomingReply) return false;
		const known = await chats.get(incomingReply.names.chat);
		if (!known) return undefined;
		const { incoming, messageId, text } = incomingReply;
		const names = await withKnownNumber(run, incomingReply.names);
		const { from, seconds = NaN } = incoming;
		const { key, messages } = known;
		const records = recordsFor(run, messageId);
		const waitingUrl = run.waitingUrl();
		const isHidden = isHiddenId(names.chat) && names.phone === undefined;
		// A run that was cut off may have known the number, and so the questions of the chat.
		const asked = isHidden ? questionsBefore(messages, incoming, { waitingUrl }) : [];
		const begun = asked.length > 0 ? await records.begun(asked.map(({ link }) => digestOf(link))) : [];
		const tagsOfBegun = asked.flatMap(({ link }) => (begun.includes(digestOf(link)) ? chatTagIn(link) : []));
		const pattern = { waitingUrl, chatTags: [...chatTagsOf(key, names), ...tagsOfBegun] };
		const questions = questionsBefore(messages, incoming, pattern);
		const asksPerhaps = (each: Message) =>
			each.fromMe === 'unknown' && questionsBefore([{ ...each, fromMe: true }], incoming, pattern).length > 0;
		const unclear = messages.find(asksPerhaps);
		// A reply with the code word of one question never answers another, even if that question no longer waits.
		const named = questions.filter(({ link }) => textBesideCode(text, codeWordOf(key, link)) !== undefined);
		const answerable = named.length > 0 ? named : questions.slice(0, MAX_QUESTIONS);
		const reply = { messageId, chat: names.chat, from, text };
		const dependencies = {
			clock,
			records,
			ask: async (link: string, phase: 'check' | 'take', chatReply: ChatReply) =>
				await askPage(
					link,
					{ phase, ...chatReply },
					{ httpRequest: run.request, key, now: clock.now() },
				).then((result) => {
					if (result === 'unsigned') log(UNSIGNED);
					if (typeof result === 'object' && result.needsAuthor) log(NO_AUTHOR);
					return result;
				}),
			onUnknown: () =>
				log(
					'It could not be checked whether a message answers a waiting question, because the page of the question does not respond as it should, so the message may start the workflow. Check that n8n reaches its own URL, without a proxy that responds instead and through its SSRF protection (N8N_SSRF_ALLOWED_HOSTNAMES), and that the credential of the question still exists',
				),
		};
		const wasTaken = await handOver(answerable, reply, seconds, dependencies).catch((error: unknown) => {
			throw error instanceof UncertainAnswer ? uncertainError(run, messageId) : error;
		});
		if (wasTaken !== false || named.length > 0) return wasTaken;
		const mismatch = mismatchBefore(messages, incoming, pattern);
		if (mismatch === 'url') log(OTHER_URL);
		const hiddenFrom = mismatch === 'chat' ? asked.slice(0, MAX_QUESTIONS) : [];
		const closed = hiddenFrom.map(async ({ link }) => await isClosed(link, run.request));
		const mayBeHidden = (await Promise.all(closed)).includes(false);
		if (mayBeHidden) log(HIDDEN_NUMBER);
		if (!unclear) return mayBeHidden ? undefined : false;
		log(`${NOT_FOUND}: ${unreadableSender(unclear.record).message}`);
		return undefined;
	};
}

/** The names of a chat, also with the number that the service named beside its ID elsewhere. */
async function withKnownNumber({ accountState }: TriggerRun, names: Reply['names']): Promise<Reply['names']> {
	if (names.phone !== undefined || !isHiddenId(names.chat)) return names;
	const account = await accountState().catch(() => undefined);
	const phone = account && withNumber(account, names.chat);
	return { ...names, phone: numberBeside({ id: names.chat, phone }) };
}

const OTHER_URL =
	'A message may answer a question, but its link does not begin with the N8N_WEBHOOK_URL of this n8n, so the message may start the workflow. If that was changed, stop the execution that waits, and ask again';

const HIDDEN_NUMBER =
	"A message may answer a question, but the service names its chat only by an ID that ends with @lid, so the message may start the workflow. Ask in that chat: enter the chat.id of the message in 'To'";

const NOT_FOUND =
	'No question was found that a message answers, so it may start the workflow, but some messages of the chat are not understood';

const UNSIGNED =
	'A message may answer a question, but n8n refuses the link of the question, which it signed itself, so the message may start the workflow';

const NO_AUTHOR =
	"A message may answer a question with 'Allowed Responders', but its field message.from does not show a phone number, so the message may start the workflow. If the field shows an ID that ends with @lid, enter the ID in that option";

/** A chat, and the key of what is signed in it. */
interface AnswerChat {
	key: Buffer;
	/** Its latest messages, newest first. */
	messages: Message[];
}

async function readChat({ credential, connect }: TriggerRun, chatId: string): Promise<AnswerChat> {
	const key = answerKeyOf(await credential());
	// A question before these messages is not found.
	return { key, messages: await latestMessages(await connect(), chatId, LIMITS) };
}

function recordsFor(run: TriggerRun, messageId: string): AnswerRecords {
	const answerTo = (question: string) => `${messageNameOf(run, messageId)} ${question}`;
	const runs = runsOf(run);
	const row = run.workflowRow;
	return {
		begin: async (question) => await runs.beginAnswer(answerTo(question), row),
		cancel: async (question) => await runs.cancelAnswer(answerTo(question), row),
		begun: async (questions) =>
			await runs.begunAnswers(questions.map(answerTo), row).then(
				(begun) => questions.filter((question) => begun.includes(answerTo(question))),
				// Without the database, nothing is known of a run that was cut off.
				() => [],
			),
	};
}

function uncertainError(run: TriggerRun, messageId: string): NodeOperationError {
	const message = `It is not known whether a waiting question took the message ${messageId} as its answer`;
	const description =
		'n8n did not respond at its own URL. Retry this execution when it does. If the question still waits, it gets the answer, and if it has the answer, the message is dropped. Other messages of this execution start the workflow only with this retry.';
	// n8n need not keep failed executions.
	stateOf(run).log(`${message}. ${description}`);
	return new NodeOperationError(run.node, message, { description });
}
