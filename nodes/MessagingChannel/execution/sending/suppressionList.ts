import groupBy from 'lodash/groupBy';

import { GET_CONTACTS } from '../../api/endpoints';
import type { RequestLimits } from '../../api/apiRequest';
import type { Client } from '../../api/client';
import type { Clock } from '../../api/clock';
import { ApiError } from '../../api/errors';
import { parseContact, type Contact } from '../../api/contact';
import { hasTotal, listRecords } from '../../api/pagination';
import { tagNamesOf } from '../../api/tag';
import { kindOf } from '../../api/values';
import { UnreadableField } from '../../api/unreadable';
import { compareRecipients, isHiddenId, isPerson } from '../../recipients/recipient';
import { withNumber } from '../../recipients/hiddenNumbers';
import { endingOf } from '../../recipients/recipientList';
import { unusableListError, unknownTagError, unreadableSuppressionListError } from './sendErrors';

/** How old a list may be when a recipient is looked up in it. */
const MAX_AGE_MS = 5 * 60 * 1000;

/** Tells why a recipient gets no message; undefined if no contact with one of the tags can have this number. */
export type ReasonToSkip = (
	recipient: string,
	tags: readonly string[],
	limits: RequestLimits,
) => Promise<string | undefined>;

/** The numbers of the contacts with one tag, by their last digits. */
type TaggedNumbers = Readonly<Record<string, string[]>>;

/** The lists of several tags, which age together. */
interface Lists {
	/** By `clock.elapsed`; undefined until they are read. */
	readAt?: number;
	byTag: Promise<Array<[tag: string, tagged: TaggedNumbers]>>;
}

/** Creates the suppression list of one account and run. All items with the same tags and limits share the lists, one for each tag. */
export function createSuppressionList(client: Client, clock: Clock, account: object = {}): ReasonToSkip {
	const known = new Map<string, Lists>();

	const read = async (tags: readonly string[], limits: RequestLimits): Promise<Awaited<Lists['byTag']>> => {
		const lists: Awaited<Lists['byTag']> = [];
		// One list after the other keeps to the limit of requests in flight.
		for (const tag of tags) lists.push([tag, await readNumbers(client, tag, limits, account)]);
		return lists;
	};

	const listsOf = (tags: readonly string[], limits: RequestLimits): Lists => {
		// A list that could not be read in time for one item can be read in time for another.
		const key = JSON.stringify([tags, limits.maxAttempts, limits.maxRateLimitWait]);
		const found = known.get(key);
		if (found && (found.readAt === undefined || clock.elapsed() - found.readAt < MAX_AGE_MS)) return found;
		const lists: Lists = { byTag: read(tags, limits).finally(() => (lists.readAt = clock.elapsed())) };
		known.set(key, lists);
		return lists;
	};

	return async (recipient, tags, limits) => {
		const reasons = (await listsOf(tags, limits).byTag).map(([tag, tagged]) =>
			// The number behind a listed ID can have become known since the list was read.
			reasonFor(isIn(tagged, recipient) ? recipient : withNumber(account, recipient), tag, tagged),
		);
		return reasons.find((reason) => reason !== undefined);
	};
}

function reasonFor(recipient: string, tag: string, tagged: TaggedNumbers): string | undefined {
	// A number that is sent has its country code, unless it begins with 0.
	const compared = recipient.replace(/^(?=[1-9]\d*$)/, '+');
	// Without the 0 before it, a number within the country can look like one of another country.
	const sameness = (tagged[endingOf(recipient)] ?? [])
		.flatMap((phone) => [phone, `0${phone}`])
		.map((phone) => compareRecipients(compared, phone));
	if (sameness.includes('same')) return `The contact has the tag '${tag}'`;
	// An ID that hides the number can be that of any contact with a number.
	if (isHiddenId(recipient) && !Object.values(tagged).flat().every(isHiddenId))
		return `The chat ID does not show the phone number, so this can be a contact with the tag '${tag}'`;
	return sameness.includes('perhaps')
		? `The number has no country code, and ends like that of a contact with the tag '${tag}'`
		: undefined;
}

function isIn(tagged: TaggedNumbers, recipient: string): boolean {
	return (tagged[endingOf(recipient)] ?? []).some((phone) => compareRecipients(recipient, phone) === 'same');
}

async function readNumbers(
	client: Client,
	tag: string,
	limits: RequestLimits,
	account: object,
): Promise<TaggedNumbers> {
	const fail = (error: unknown): never => {
		throw error instanceof ApiError ? unreadableSuppressionListError(tag, error) : error;
	};
	const contacts = await readContacts(client, tag, limits).catch(fail);
	const numberOf = ({ phone, record }: Contact) =>
		phone !== undefined && isPerson(phone)
			? phone
			: fail(new UnreadableField('contact.phone', kindOf(record.phone)));
	const tagged = contacts.filter((contact) => mayHave(contact, tag));
	if (tagged.length === 0) {
		const tags = await tagNamesOf(client, limits).catch(fail);
		// With a misspelled tag, everybody would get the message. To the service, upper and lower case may differ.
		if (!tags.includes(tag)) throw unknownTagError(tag);
		if (contacts.length > 0)
			fail(unusableListError('The service lists contacts for this tag, and none of them shows it'));
	}
	return groupBy(
		tagged.map((contact) => withNumber(account, numberOf(contact))),
		endingOf,
	);
}

/** Reads the contacts with a tag. Refuses a page without the total. */
async function readContacts(client: Client, tag: string, limits: RequestLimits): Promise<Contact[]> {
	const call: Client['call'] = async (page) => {
		const body = await client.call(page);
		if (!hasTotal(body))
			throw unusableListError('The list is incomplete: the service does not say how many records it has');
		return body;
	};
	const request = { endpoint: GET_CONTACTS, parameters: { tags: tag }, limits };
	return (await listRecords({ ...client, call }, request, 'page', Infinity)).map(parseContact);
}

/** Whether a contact may have a tag. If the service does not show their names, it is in the list because of its tag. */
function mayHave({ tags }: Contact, wanted: string): boolean {
	const key = (name: string) => name.normalize().trim().toLowerCase();
	return !tags || tags.some((name) => key(name) === key(wanted));
}
