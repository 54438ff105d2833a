import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import type { Call } from './call';
import type { Client } from './client';
import type { Clock } from './clock';
import { ApiError } from './errors';
import { recordsOf } from './records';

const RESOLVE_CHAT: Call = { method: 'GET', path: '/chats/resolve', permission: 'chats:read' };
const GET_MESSAGES: Call = { method: 'GET', path: '/chats/{chatId}/messages', permission: 'messages:read' };

/** A message passes through the service's queue before it shows in its chat. */
const LOOKS_AFTER_MS = [1000, 2000, 4000];

/** Messages with the same text to the same recipient cannot be told apart, only counted. */
export interface Twins {
	/** Unix time in milliseconds of the first attempt to send one of them. */
	since: number;
	/** Sends that the service confirmed; each will have its message in the chat, now or later. */
	confirmed: number;
	/** Ids of the messages that stand for an unconfirmed send. */
	claimed: string[];
}

/** Twins by recipient and text. Plain data, so that it can be kept with an execution. */
export type TwinsByText = Record<string, Twins>;

/** A text message as it was sent. */
export interface TextMessage {
	to: string;
	message: string;
}

/** Finds out in the chat whether an unconfirmed text message was sent (API spec, "Errors", `send_timeout`). */
export interface SentMessages {
	/** Takes note of an attempt, made at this Unix time in milliseconds. */
	attempted(text: TextMessage, at: number): void;
	/** Takes note that the service confirmed an attempt, with this record in its answer. */
	confirmed(text: TextMessage, answer?: IDataObject): void;
	/**
	 * Looks for the message of an unconfirmed attempt, a few times over some seconds.
	 *
	 * @returns the message, or undefined when there is none that is certainly not another's
	 */
	find(text: TextMessage): Promise<IDataObject | undefined>;
}

/**
 * @param known what earlier runs have noted; continued here
 */
export function createSentMessages(client: Client, clock: Clock, known: TwinsByText = {}): SentMessages {
	const twinsOf = (text: TextMessage): Twins =>
		(known[keyOf(text)] ??= { since: clock.now(), confirmed: 0, claimed: [] });

	/** A recipient can be written in several ways; the service knows which are the same. */
	const twinsIn = (chatId: unknown, text: TextMessage): Twins => {
		const twins = twinsOf({ ...text, to: String(chatId ?? text.to) });
		twins.since = Math.min(twins.since, twinsOf(text).since);
		return twins;
	};

	const chatOf = async (to: string): Promise<unknown> => {
		if (to.includes('@')) return to;
		const [chat] = recordsOf(await client.call({ call: RESOLVE_CHAT, parameters: { phone: to } }));
		return chat?.id;
	};

	const look = async (text: TextMessage): Promise<IDataObject | undefined> => {
		const chatId = await chatOf(text.to);
		const twins = twinsIn(chatId, text);
		const parameters = { chatId, limit: 200, includeRaw: false };
		const candidates = recordsOf(await client.call({ call: GET_MESSAGES, parameters })).filter(
			({ id, body, from_me, timestamp }) =>
				from_me === true &&
				body === text.message &&
				Number(timestamp) >= Math.floor(twins.since / 1000) &&
				!twins.claimed.includes(String(id)),
		);
		const found = candidates.length > twins.confirmed ? candidates[0] : undefined;
		if (found) twins.claimed.push(String(found.id));
		return found;
	};

	return {
		attempted(text, at) {
			const twins = twinsOf(text);
			twins.since = Math.min(twins.since, at);
		},

		confirmed(text, answer) {
			twinsIn(answer?.to, text).confirmed++;
		},

		async find(text) {
			for (const pause of LOOKS_AFTER_MS) {
				await clock.sleep(pause);
				// Whatever hinders the look, the send stays what it is: unconfirmed.
				const found = await look(text).catch(nothing);
				if (found) return found;
			}
			return undefined;
		},
	};
}

/** A chat with one person has that person's number before the channel's suffix. */
function keyOf({ to, message }: TextMessage): string {
	const text = JSON.stringify([to.split('@')[0], message]);
	return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

async function nothing(error: unknown): Promise<undefined> {
	return error instanceof ApiError ? undefined : await Promise.reject(error);
}
