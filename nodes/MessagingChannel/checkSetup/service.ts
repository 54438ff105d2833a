import type { IDataObject } from 'n8n-workflow';

import { type Chat, type Message, parseChat, parseMessage } from '../api/message';
import type { Client } from '../api/client';
import type { Clock } from '../api/clock';
import { GET_ACCOUNT, GET_CHATS, GET_HEALTH, messagesRequest } from '../api/endpoints';
import { readQueue, type Queue } from '../api/queue';
import { flagOf, recordsOf } from '../api/values';
import { unreadableResponseError } from '../api/responseErrors';
import { readWebhookState, type WebhookState } from '../webhook/webhookState';
import { readRateLimit, withOthers, type RateLimit } from './rateLimit';
import { attempt, isLimited, valueOf, type Read } from './read';

/** What the service says. */
export interface ServiceFacts {
	/** How long it took, in milliseconds. */
	health: Read<number>;
	account: Read<IDataObject>;
	chats: Read<Chat[]>;
	/** The newest message of the first chat with one; null if there is none. */
	message: Read<Message | null>;
	queue: Read<Queue>;
	rateLimit: Read<RateLimit>;
	webhook: Read<WebhookState>;
}

/** What was not read. */
const NOTHING: Omit<ServiceFacts, 'health'> = {
	account: undefined,
	chats: undefined,
	message: undefined,
	queue: undefined,
	rateLimit: undefined,
	webhook: undefined,
};

/**
 * Reads what the service says. If it is not there, or refuses the key, nothing else is asked.
 *
 * @param secret the signing secret, which signs the list of receivers
 */
export async function readService(client: Client, secret: string, clock: Clock): Promise<ServiceFacts> {
	let sentAt = 0;
	// What it waits before that, for the rate limit, is not the service's time.
	const beforeAttempt = () => void (sentAt = clock.elapsed());
	const health = await attempt(async () => {
		const { success } = await client.call({ endpoint: GET_HEALTH, beforeAttempt });
		// Other servers have a path with this name, too.
		if (flagOf(success) !== true) throw unreadableResponseError(GET_HEALTH, 200);
		return clock.elapsed() - sentAt;
	});
	if ('error' in health)
		return { ...NOTHING, health, rateLimit: isLimited(health.error) ? health : undefined };
	const limitBefore = await attempt(async () => await readRateLimit(client));
	const { counted, made } = counting(client);
	const [account, chats, queue, webhook] = await Promise.all([
		attempt(async () => recordsOf(await counted.call({ endpoint: GET_ACCOUNT }))[0] ?? {}),
		attempt(async () => recordsOf(await counted.call({ endpoint: GET_CHATS })).map(parseChat)),
		attempt(async () => await readQueue(counted)),
		attempt(async () => await readWebhookState(counted, secret, clock.now())),
	]);
	const listed = valueOf(chats) ?? [];
	// A chat without a time should have no message.
	const chatId = (listed.find(({ lastMessageAt }) => lastMessageAt !== undefined) ?? listed[0])?.id;
	const message = await attempt(async () => (chatId === undefined ? null : await newestIn(counted, chatId)));
	const rateLimit = await attempt(async () =>
		withOthers(valueOf(limitBefore), await readRateLimit(counted), made()),
	);
	return { health, account, chats, message, queue, rateLimit, webhook };
}

/** The client, and how many requests it has made. */
function counting(client: Client): { counted: Client; made: () => number } {
	let requests = 0;
	// Retries count, too.
	const beforeAttempt = () => void requests++;
	const call: Client['call'] = async (request) => await client.call({ ...request, beforeAttempt });
	return { counted: { ...client, call }, made: () => requests };
}

async function newestIn(client: Client, chatId: string): Promise<Message | null> {
	const [record] = recordsOf(await client.call(messagesRequest(chatId, { limit: 1 })));
	return record ? parseMessage(record) : null;
}
