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
interface Twins {
	/** Unix time in milliseconds of the first attempt to send one of them. */
	since: number;
	/** Sends that the service confirmed; each will have its message in the chat, now or later. */
	confirmed: number;
	/** Ids of the messages that stand for an unconfirmed send. */
	claimed: Set<string>;
}

/** A text message as it was sent. */
export interface TextMessage {
	to: string;
	message: string;
}

/** Finds out in the chat whether an unconfirmed text message was sent (API spec, "Errors", `send_timeout`). */
export interface SentMessages {
	/** Takes note of an attempt, made at this Unix time in milliseconds. */
	attempted(text: TextMessage, at: number): void;
	/** Takes note that an attempt was confirmed: by the service, or by the message found in the chat. */
	confirmed(text: TextMessage, found?: IDataObject): void;
	/**
	 * Looks for the message of an unconfirmed attempt, a few times over some seconds.
	 *
	 * @returns the message, or undefined when there is none that is certainly not another's
	 */
	find(text: TextMessage): Promise<IDataObject | undefined>;
}

export function createSentMessages(client: Client, clock: Clock): SentMessages {
	const groups = new Map<string, Twins>();
	const twinsOf = ({ to, message }: TextMessage): Twins => {
		const key = JSON.stringify([to, message]);
		const twins = groups.get(key) ?? { since: Infinity, confirmed: 0, claimed: new Set() };
		groups.set(key, twins);
		return twins;
	};

	const chatOf = async (to: string): Promise<unknown> => {
		if (to.includes('@')) return to;
		const [chat] = recordsOf(await client.call({ call: RESOLVE_CHAT, parameters: { phone: to } }));
		return chat?.id;
	};

	const look = async ({ to, message }: TextMessage, twins: Twins): Promise<IDataObject | undefined> => {
		const parameters = { chatId: await chatOf(to), limit: 200, includeRaw: false };
		const candidates = recordsOf(await client.call({ call: GET_MESSAGES, parameters })).filter(
			({ id, body, from_me, timestamp }) =>
				from_me === true &&
				body === message &&
				Number(timestamp) >= Math.floor(twins.since / 1000) &&
				!twins.claimed.has(String(id)),
		);
		return candidates.length > twins.confirmed ? candidates[0] : undefined;
	};

	return {
		attempted(text, at) {
			const twins = twinsOf(text);
			twins.since = Math.min(twins.since, at);
		},

		confirmed(text, found) {
			const twins = twinsOf(text);
			if (found?.verified) twins.claimed.add(String(found.id));
			else twins.confirmed++;
		},

		async find(text) {
			const twins = twinsOf(text);
			for (const pause of LOOKS_AFTER_MS) {
				await clock.sleep(pause);
				// Whatever hinders the look, the send stays what it is: unconfirmed.
				const found = await look(text, twins).catch(nothing);
				if (!found) continue;
				twins.claimed.add(String(found.id));
				return found;
			}
			return undefined;
		},
	};
}

async function nothing(error: unknown): Promise<undefined> {
	return error instanceof ApiError ? undefined : await Promise.reject(error);
}
