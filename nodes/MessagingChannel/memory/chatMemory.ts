import type { ChatMemory, Message } from '@n8n/ai-node-sdk';
import uniqBy from 'lodash/uniqBy';
import {
	NodeConnectionTypes,
	NodeOperationError,
	type ISupplyDataFunctions,
	type SupplyData,
} from 'n8n-workflow';

import type { Client } from '../api/client';
import { systemClock, type Clock } from '../api/clock';
import { messagesRequest } from '../api/endpoints';
import { listRecords } from '../api/pagination';
import { type Message as ChatMessage, parseMessage } from '../api/message';
import { idOf } from '../api/values';
import { sentTextsOf } from '../execution/sending/sentTexts';
import { connectItems, type Connection } from '../n8n/connect';
import { itemParametersOf } from '../n8n/itemParameters';
import { nodeErrorOf } from '../n8n/nodeErrors';
import { InvalidInput } from '../operation/input';
import { readInput } from '../operation/readInput';
import { conversationOf, hasStart, isLongEnough, type ConversationRange, type Turn } from './conversation';
import { MEMORY_INPUT, STARTING_MESSAGE_IDS } from './memoryProperties';

type Sdk = typeof import('@n8n/ai-node-sdk');

/** What the node is told to remember. */
interface MemoryInput {
	chatId: string;
	/** The number of messages. */
	length: number;
	maxAgeMs: number;
	excludedMessageIds: string[];
}

const HOUR_MS = 60 * 60 * 1000;

/** How many later messages are read to find the one that started the run: those that usually arrive while an agent works. */
const USUAL_LATER_MESSAGES = 20;

/** How many are read at most. */
const MAX_LATER_MESSAGES = 1000;

/** A service may give fewer messages than it is asked for, but not fewer than by default (API spec, "Limits"). */
const SMALLEST_FULL_PAGE = 50;

/** A service with short pages is not asked for more of them. */
const MAX_PAGES = 20;

/**
 * Supplies an agent with a memory that reads the chat (API spec, "Chats"). Saving changes nothing: the service has the
 * messages.
 *
 * @param itemIndex agents ask with the first item only
 * @throws NodeOperationError when this n8n has no memory nodes of packages, or a parameter is not valid
 */
export async function supplyChatMemory(
	context: ISupplyDataFunctions,
	itemIndex: number,
	clock: Clock = systemClock(context.getExecutionCancelSignal()),
	importSdk: () => Promise<Sdk> = async () => await import('@n8n/ai-node-sdk'),
): Promise<SupplyData> {
	const { supplyMemory } = await sdkOf(context, importSdk);
	try {
		const input = memoryInputOf(context, itemIndex);
		const connection = await connectToOneChat(context, input, itemIndex, clock);
		const load = async (): Promise<Turn[]> => await loadConversation(connection, clock, input);
		// The SDK is built with another version of n8n's types.
		return suitedToAgents(supplyMemory(context as never, memoryOf(context, load)));
	} catch (error) {
		throw nodeErrorOf(context.getNode(), error, itemIndex);
	}
}

/** Imported when it is needed: an n8n without it would otherwise not load the other nodes of the package either. */
async function sdkOf(context: ISupplyDataFunctions, importSdk: () => Promise<Sdk>): Promise<Sdk> {
	try {
		return await importSdk();
	} catch {
		throw new NodeOperationError(context.getNode(), 'A memory node of a package needs n8n 2.16 or later', {
			description: 'Update n8n, or connect one of its own memory nodes.',
		});
	}
}

function memoryInputOf(context: ISupplyDataFunctions, itemIndex: number): MemoryInput {
	const { parameters, settings } = readInput(MEMORY_INPUT, {
		...itemParametersOf(context, itemIndex),
		timezone: context.getTimezone(),
		file: () => {
			throw new InvalidInput('is not supported', 'Remove it.');
		},
	});
	const { contextWindowLength, maxAge, excludeMessageId } = settings;
	return {
		chatId: String(parameters.chatId),
		length: Number(contextWindowLength),
		maxAgeMs: maxAge === undefined ? Infinity : Number(maxAge) * HOUR_MS,
		excludedMessageIds:
			excludeMessageId === undefined ? startingMessageIds(context, itemIndex) : [String(excludeMessageId)],
	};
}

function startingMessageIds(context: ISupplyDataFunctions, itemIndex: number): string[] {
	for (const expression of STARTING_MESSAGE_IDS) {
		const ids = idsFrom(context, expression, itemIndex);
		if (ids.length > 0) return ids;
	}
	return [];
}

/** The IDs that an expression gives; none if it refers to something that this workflow does not have. */
function idsFrom(context: ISupplyDataFunctions, expression: string, itemIndex: number): string[] {
	try {
		const ids: unknown[] = [context.evaluateExpression(expression, itemIndex)].flat();
		return ids.map(idOf).filter((id) => id !== undefined);
	} catch {
		return [];
	}
}

/** Connects to the account. An agent asks for the memory of its first item only, and would use it for all items. */
async function connectToOneChat(
	context: ISupplyDataFunctions,
	{ chatId }: MemoryInput,
	itemIndex: number,
	clock: Clock,
): Promise<Connection> {
	const items = context.getInputData(0, NodeConnectionTypes.Main);
	const connectionOf = await connectItems(context, clock, items.length);
	const connection = await connectionOf(itemIndex);
	for (const index of items.keys()) {
		if (memoryInputOf(context, index).chatId !== chatId) throw severalChats('Chat');
		if ((await connectionOf(index)) !== connection) throw severalChats('Credential');
	}
	return connection;
}

function severalChats(field: string): InvalidInput {
	return new InvalidInput(
		'differs between the items of this run, but an agent uses the memory of the first item for all of them',
		"Let each execution have one chat: set 'Combine Events' of the trigger to 'Per Chat', or run the agent in a sub-workflow, once for each item.",
		field,
	);
}

async function loadConversation(
	{ client, account }: Connection,
	clock: Clock,
	{ chatId, length, maxAgeMs, excludedMessageIds }: MemoryInput,
): Promise<Turn[]> {
	const begunAt = clock.elapsed();
	const queued = sentTextsOf(account).queuedTo(chatId, begunAt);
	/** A response tells the service's clock. */
	const rangeNow = (): ConversationRange => ({
		length,
		since: begunAt - maxAgeMs + account.timeOrigin,
		excludedMessageIds,
	});
	const queuedNow = () => queued.map((text) => ({ ...text, queuedAt: text.queuedAt + account.timeOrigin }));
	const messages = await readNewest(client, chatId, length, {
		isEnough: (found) => isLongEnough(found, queuedNow(), rangeNow()),
		hasStart: (found) => hasStart(found, rangeNow()),
	});
	return conversationOf(messages, queuedNow(), rangeNow());
}

/** The newest messages, newest first: as many as the conversation needs. */
async function readNewest(
	client: Client,
	chatId: string,
	length: number,
	needs: Record<'isEnough' | 'hasStart', (found: ChatMessage[]) => boolean>,
): Promise<ChatMessage[]> {
	const request = messagesRequest(chatId);
	const usual = length + USUAL_LATER_MESSAGES;
	// That the chat has no more is not claimed, so a short page costs no further request.
	const latest = (await listRecords(client, request, 'cursor', usual, (_, isShort) => isShort)).map(
		parseMessage,
	);
	// A longer one may be the longest that the service gives.
	const isShort = latest.length < Math.min(usual, SMALLEST_FULL_PAGE);
	if ((isShort && needs.hasStart(latest)) || needs.isEnough(latest)) return latest;
	const found: ChatMessage[] = [];
	let pages = 0;
	const records = await listRecords(client, request, 'cursor', length + MAX_LATER_MESSAGES, (page) => {
		found.push(...page.map(parseMessage));
		return ++pages >= MAX_PAGES || needs.isEnough(uniqBy(found, ({ id, record }) => id ?? record));
	});
	return records.map(parseMessage);
}

/** A memory as an agent uses it: one of LangChain, as the SDK makes it. */
interface LangChainMemory {
	loadMemoryVariables: () => Promise<{ chat_history: LangChainMessage[] }>;
	saveContext: () => Promise<void>;
	chatHistory: { getMessages: () => Promise<LangChainMessage[]> };
}

interface LangChainMessage {
	content: unknown;
	readonly text: string;
}

/**
 * Gives the content of each message as a text, as n8n's own memory nodes do. The SDK gives a list of parts, which the models of
 * some providers refuse. To show what a save has changed, n8n asks for all messages again: it gets those of the last time, because
 * a request that failed then would end an agent that has its answer.
 */
function suitedToAgents(supplied: SupplyData): SupplyData {
	const memory = supplied.response as LangChainMemory;
	const { chatHistory } = memory;
	const read = chatHistory.getMessages.bind(chatHistory);
	let latest: LangChainMessage[] = [];
	let isSaved = false;
	const load = async () =>
		(latest = (await read()).map((message) => Object.assign(message, { content: message.text })));
	memory.loadMemoryVariables = async () => ({ chat_history: await load() });
	memory.saveContext = async () => await Promise.resolve(void (isSaved = true));
	chatHistory.getMessages = async () => {
		const isShown = isSaved;
		isSaved = false;
		return isShown ? latest : await load();
	};
	return supplied;
}

function memoryOf(context: ISupplyDataFunctions, load: () => Promise<Turn[]>): ChatMemory {
	const loadMessages = async (): Promise<Message[]> => {
		try {
			return (await load()).map(({ role, text }) => ({ role, content: [{ type: 'text', text }] }));
		} catch (error) {
			throw nodeErrorOf(context.getNode(), error);
		}
	};
	// The service has the messages already.
	const save = async (): Promise<void> => await Promise.resolve();
	const refuse = async (): Promise<never> =>
		await Promise.reject(
			new NodeOperationError(context.getNode(), 'The messages of a chat can only be read here', {
				description:
					'The memory is the chat itself. To add a message, send it. To forget old ones, limit their age or number.',
			}),
		);
	return {
		loadMessages,
		saveTurn: save,
		clear: refuse,
		// Agents save with the other two.
		chatHistory: { getMessages: loadMessages, addMessage: refuse, addMessages: save, clear: refuse },
	};
}
