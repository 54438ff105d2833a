import groupBy from 'lodash/groupBy';

import { GET_CONTACTS, GET_TAGS } from '../../api/endpoints';
import type { RequestLimits } from '../../api/apiRequest';
import { numberInChatId } from '../../api/chatId';
import type { Client } from '../../api/client';
import type { Clock } from '../../api/clock';
import { ApiError, missingTotalError, unknownTagError, unreadableOptOutsError } from '../../api/errors';
import { listRecords } from '../../api/pagination';
import { recordsOf } from '../../api/records';
import { recordOrEmpty } from '../../api/values';

/** The contacts with certain tags, who get no messages. */
export interface OptOuts {
	/**
	 * Tells why a recipient gets no message.
	 *
	 * @param recipient a phone number or chat id
	 * @param tags names of the tags
	 * @param limits the request limits of the send; the requests for the list use them too
	 * @returns undefined if no contact with one of the tags can have this number
	 * @throws ApiError if the list cannot be read as a whole
	 */
	reasonToSkip(
		recipient: string,
		tags: readonly string[],
		limits: RequestLimits,
	): Promise<string | undefined>;
}

/** A run that takes longer reads the list again. */
const MAX_AGE_MS = 5 * 60 * 1000;

/** A phone number has at least so many digits, without its leading 0. */
const LAST_DIGITS = 6;

/** The numbers of the contacts with one tag, by their last digits. */
type TaggedNumbers = Readonly<Record<string, string[]>>;

/** Creates the opt-outs of one account and run. All items share the lists, one for each tag. */
export function createOptOuts(client: Client, clock: Clock): OptOuts {
	const lists = new Map<string, { readAt: number; numbers: Promise<TaggedNumbers> }>();

	const listOf = async (tag: string, limits: RequestLimits): Promise<TaggedNumbers> => {
		const known = lists.get(tag);
		if (known && clock.now() - known.readAt < MAX_AGE_MS) return await known.numbers;
		const numbers = readNumbers(client, tag, limits);
		lists.set(tag, { readAt: clock.now(), numbers });
		return await numbers;
	};

	return {
		async reasonToSkip(recipient, tags, limits) {
			const reasons = await Promise.all(
				tags.map(async (tag) => reasonFor(recipient, tag, await listOf(tag, limits))),
			);
			return reasons.find((reason) => reason !== undefined);
		},
	};
}

function reasonFor(recipient: string, tag: string, tagged: TaggedNumbers): string | undefined {
	// The ID of a group can begin like a phone number.
	if (recipient.endsWith('@g.us')) return undefined;
	const number = withoutOptionalDigits(numberInChatId(recipient));
	const similar = tagged[number.slice(-LAST_DIGITS)] ?? [];
	if (similar.includes(number)) return `The contact has the tag '${tag}'`;
	// Only the service knows the country of a number with a leading 0.
	if (number.startsWith('0') && similar.some((full) => full.endsWith(number.slice(1)))) {
		return `The number has no country code, and ends like that of a contact with the tag '${tag}'`;
	}
	return undefined;
}

async function readNumbers(client: Client, tag: string, limits: RequestLimits): Promise<TaggedNumbers> {
	const fail = (error: unknown): never => {
		throw error instanceof ApiError ? unreadableOptOutsError(tag, error) : error;
	};
	const request = { endpoint: GET_CONTACTS, parameters: { tags: tag }, limits };
	const contacts = await listRecords(withTotals(client), request, 'page', Infinity).catch(fail);
	const tagged = contacts.filter(({ tags }) => mayHave(tags, tag));
	if (tagged.length === 0) {
		const tags = recordsOf(await client.call({ endpoint: GET_TAGS, limits }).catch(fail));
		// With a misspelled tag, everybody would get the message. To the service, upper and lower case may differ.
		if (!tags.some(({ name }) => name === tag)) throw unknownTagError(tag);
	}
	const numbers = tagged.map(({ phone }) => withoutOptionalDigits(String(phone).replace(/\D/g, '')));
	return groupBy(numbers, (number) => number.slice(-LAST_DIGITS));
}

/** The client, which refuses a list that does not say how many records it has. */
function withTotals(client: Client): Client {
	return {
		...client,
		async call(request) {
			const body = await client.call(request);
			if (typeof recordOrEmpty(body.pagination).total !== 'number') throw missingTotalError();
			return body;
		},
	};
}

/** Whether a contact may have a tag. If the service does not show its tags, it is in the list because of its tag. */
function mayHave(tags: unknown, wanted: string): boolean {
	const key = (name: unknown) => String(name).normalize().trim().toLowerCase();
	return !Array.isArray(tags) || tags.some((name) => key(name) === key(wanted));
}

/** Mobile numbers of Brazil, Mexico and Argentina are in use with and without a digit after the country or area code. */
function withoutOptionalDigits(number: string): string {
	return number
		.replace(/^(55\d\d)9(\d{8})$/, '$1$2')
		.replace(/^521(\d{10})$/, '52$1')
		.replace(/^549(\d{10})$/, '54$1');
}
