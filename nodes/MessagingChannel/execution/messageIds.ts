import groupBy from 'lodash/groupBy';
import intersection from 'lodash/intersection';
import partition from 'lodash/partition';
import takeWhile from 'lodash/takeWhile';
import type { IDataObject } from 'n8n-workflow';

import type { RequestLimits } from '../api/apiRequest';
import type { Client } from '../api/client';
import type { Clock } from '../api/clock';
import type { Message } from '../api/message';
import { readQueue } from '../api/queue';
import { idOf } from '../api/values';
import { runPartitioned } from './runPartitioned';
import { chatIdOf, identifiedMessages, messagesBackTo, SEARCH_DELAYS_MS } from './sending/chatMessages';
import { ownMessagesIn, type KnownSend, type KnownSends } from './sending/knownSends';
import { sameTextDigest } from './sending/digest';

/** A text of this run that the service has confirmed. */
export interface ConfirmedText {
	/** The recipient as it was sent. */
	to: string;
	message: string;
	/** The record in the response. */
	record: IDataObject;
}

/** A text whose message was found. */
export interface FoundMessage {
	record: IDataObject;
	messageId: IDataObject[string];
}

/**
 * Finds the messages of a run in their chats. The service does not say which message became of a send, so the messages
 * that a chat shows before and after the run are compared.
 */
export interface MessageIds {
	/** Remembers what the chat of a recipient shows, before the first message of the run to it. Never fails. */
	remember(to: string, limits: RequestLimits): Promise<void>;
	/**
	 * Finds the messages of the texts. Never fails.
	 *
	 * @param texts all texts of the run that the service has confirmed
	 * @returns those whose message is certain: the only new one with its text, which no other send can be
	 */
	find(
		texts: readonly ConfirmedText[],
		limits: RequestLimits,
		concurrency: number,
	): Promise<readonly FoundMessage[]>;
}

/** The texts that this process sent, as the search needs them. */
interface SendsOfRun {
	/** The messages that were found in their chats while the run was sending, or before. */
	matchedIds: ReadonlySet<string | undefined>;
	/** The texts since the run began, by their digests. */
	byText: Readonly<Record<string, KnownSend[]>>;
}

/**
 * Creates the search for the messages of one account and run.
 *
 * @param known the texts that this process sent from the account
 * @param runBegan when the run began, in Unix milliseconds
 */
export function createMessageIds(
	client: Client,
	clock: Clock,
	known: KnownSends,
	runBegan: number,
): MessageIds {
	/** The message IDs of each chat before the run; undefined if they could not be read. */
	const earlier = new Map<string, Promise<ReadonlySet<unknown> | undefined>>();
	/** How many messages had failed in the queue before the run; undefined if that could not be read. */
	let failedBefore: Promise<number | undefined> | undefined;

	const idsIn = async (to: string, limits: RequestLimits): Promise<ReadonlySet<unknown>> => {
		const chatId = await chatIdOf(client, to, limits);
		const messages = chatId === undefined ? [] : await identifiedMessages(client, chatId, limits);
		return new Set(messages.map(({ id }) => id));
	};

	/** The messages of a chat that are newer than these, newest first; none if they cannot all be read. */
	const messagesAfter = async (
		before: ReadonlySet<unknown>,
		chat: string,
		limits: RequestLimits,
	): Promise<Message[]> => {
		const isBefore = ({ id }: Message) => before.has(id);
		const chatId = await chatIdOf(client, chat, limits);
		if (chatId === undefined) return [];
		const messages = await messagesBackTo(client, chatId, limits, (page) => page.some(isBefore));
		return takeWhile(messages, (message) => !isBefore(message));
	};

	/** Whether all messages of the run have left the queue, and none of them failed there. */
	const areAllSent = async (limits: RequestLimits): Promise<boolean> => {
		for (const delayMs of SEARCH_DELAYS_MS) {
			await clock.sleep(delayMs);
			const { unsent, failed } = await readQueue(client, limits);
			if (unsent !== undefined && unsent > 0) continue;
			return unsent === 0 && failed !== undefined && failed === (await failedBefore);
		}
		return false;
	};

	const findInChat = async (
		chat: string,
		texts: readonly ConfirmedText[],
		{ matchedIds, byText }: SendsOfRun,
		limits: RequestLimits,
	): Promise<FoundMessage[]> => {
		const recipients = [...new Set(texts.map(({ to }) => to))];
		const earlierIds = await Promise.all(recipients.map((to) => earlier.get(to)));
		if (earlierIds.includes(undefined)) return [];
		// A read under another notation of the number can show messages of this run, or of somebody who writes meanwhile.
		const before = new Set(intersection(...earlierIds.map((ids) => [...(ids ?? [])])));
		const added = (await messagesAfter(before, chat, limits)).filter(
			({ id, fromMe }) => fromMe === true && !matchedIds.has(id),
		);
		// The chat does not show them all.
		if (added.length < texts.length) return [];
		return texts.flatMap(({ message, record }) => {
			const digest = sameTextDigest(message);
			const sends = byText[digest] ?? [];
			const { free, unmatched } = ownMessagesIn(added, digest, sends, [chat, ...recipients]);
			// One of the sends is this one.
			return free.length === 1 && unmatched.length <= 1 ? [{ record, messageId: free[0]?.record.id }] : [];
		});
	};

	return {
		async remember(to, limits) {
			failedBefore ??= readQueue(client, limits)
				.then(({ failed }) => failed)
				.catch(() => undefined);
			await failedBefore;
			if (!earlier.has(to))
				earlier.set(
					to,
					idsIn(to, limits).catch(() => undefined),
				);
			await earlier.get(to);
		},

		async find(texts, limits, concurrency) {
			const [verified, unknown] = partition(texts, ({ record }) => record.verified === true);
			const found = verified.map(({ record }) => ({ record, messageId: record.id }));
			if (unknown.length === 0 || !(await areAllSent(limits).catch(() => undefined))) return found;
			const sends = [...known.values()];
			const sendsOfRun = {
				matchedIds: new Set(sends.map(({ messageId }) => messageId)),
				byText: groupBy(
					sends.filter(({ attemptedAt }) => attemptedAt >= runBegan),
					'textDigest',
				),
			};
			// The API does not say that the response to a synchronous send names the chat.
			const chats = Object.entries(groupBy(unknown, ({ to, record }) => idOf(record.to) ?? to));
			const foundInChats = await runPartitioned(chats, {
				concurrency: () => concurrency,
				// Without its ID, the message was sent all the same.
				run: async ([chat, sent]) => await findInChat(chat, sent, sendsOfRun, limits).catch(() => undefined),
			});
			return [...found, ...foundInChats.flatMap((inChat) => inChat ?? [])];
		},
	};
}
