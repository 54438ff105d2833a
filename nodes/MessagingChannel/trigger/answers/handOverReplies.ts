import uniq from 'lodash/uniq';
import { NodeOperationError, type IDataObject, type INodeExecutionData } from 'n8n-workflow';

import { messageOf } from '../../api/errors';
import { parseMessage } from '../../api/message';
import type { UnreadableField } from '../../api/unreadable';
import { idOf, isOn, recordOrEmpty } from '../../api/values';
import type { ChatReply } from '../../sendAndWait/inChat/protocol';
import { isReply } from '../../sendAndWait/inChat/questionLinks';
import { numberBeside } from '../../recipients/recipient';
import { messageNameOf, runsOf } from '../catchUp/workflowRuns';
import { messagesIn, withMessages, type ChatMessage } from '../combining/chatItem';
import { clock, withTimeout } from '../account/clock';
import { eventOf } from '../delivery/event';
import { eventFilterOf, passesFilters, unreadableFor, type EventFilter } from '../delivery/filter';
import { reportItem, unreadableReport } from '../delivery/reports';
import { stateOf } from '../delivery/state';
import type { TriggerRun } from '../delivery/trigger';
import { handOver, UncertainAnswer, type AnswerRecords } from './handOver';
import { askPage, type PageReply } from './askPage';
import { findQuestions, mayHaveQuestion, readChat, type AnswerChat, type Reply } from './chatQuestions';

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
			const result = await tryToHandOver(chat, event === 'message.received' && message);
			if (!result.wasTaken) left.push(...filtered(item, filter, [result], unreadable));
			continue;
		}
		const others: Array<ChatMessage & HandOverResult> = [];
		for (const each of messages) {
			const result = await tryToHandOver(chat, each.message);
			if (!result.wasTaken) others.push({ ...each, ...result });
		}
		left.push(...filtered(withMessages(item, others), filter, others, unreadable));
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

type Fields = Record<string, unknown>;

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
		const messages = messagesIn(item)?.map((each) => each.message) ?? [
			event === 'message.received' && message,
		];
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
		const reply = replyIn(chat, message);
		if (!reply) return false;
		const known = await chats.get(reply.names.chat);
		if (!known) return undefined;
		const { incoming, messageId, text } = reply;
		const records = recordsFor(run, messageId);
		const found = await findQuestions(run, known, reply, records);
		const { answerable, isNamed, names } = found;
		const { from, seconds = NaN } = incoming;
		const handed = { messageId, chat: names.chat, from, text };
		const ask = async (link: string, phase: 'check' | 'take', asked: ChatReply): Promise<PageReply> => {
			const { request: httpRequest } = run;
			const result = await askPage(
				link,
				{ phase, ...asked },
				{ httpRequest, key: known.key, now: clock.now() },
			);
			if (result === 'unsigned') log(UNSIGNED);
			if (typeof result === 'object' && result.needsAuthor) log(NO_AUTHOR);
			return result;
		};
		const dependencies = { clock, records, ask, onUnknown: () => log(NO_PAGE) };
		const wasTaken = await handOver(answerable, handed, seconds, dependencies).catch((error: unknown) => {
			throw error instanceof UncertainAnswer ? uncertainError(run, messageId) : error;
		});
		if (wasTaken !== false || isNamed) return wasTaken;
		return (await mayHaveQuestion(run, known, incoming, found)) ? undefined : false;
	};
}

const NO_PAGE =
	'The page of a question does not respond as it should, so a message that may answer it may start the workflow. Check that n8n reaches its own URL, past any proxy and its SSRF protection (N8N_SSRF_ALLOWED_HOSTNAMES), and that the credential of the question exists';

const UNSIGNED =
	'A message may answer a question, but n8n refuses the link of the question, which it signed itself, so the message may start the workflow';

const NO_AUTHOR =
	"A message may answer a question with 'Allowed Responders', but its field message.from does not show a phone number, so the message may start the workflow. If the field shows an ID that ends with @lid, enter the ID in that option";

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
		'n8n did not respond at its own URL. Retry this execution when it does: the question gets the answer, unless it has it. Other messages of this execution start the workflow only then.';
	// n8n need not keep failed executions.
	stateOf(run).log(`${message}. ${description}`);
	return new NodeOperationError(run.node, message, { description });
}
