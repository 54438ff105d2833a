import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest, Endpoint, Parameters } from './apiRequest';
import type { Client } from './client';
import { GET_CONTACTS, MAX_MESSAGES_PER_REQUEST } from './endpoints';
import { ApiError } from './errors';
import {
	countOf,
	flagOf,
	idOf,
	isRecord,
	kindOf,
	recordOrEmpty,
	recordsOf,
	type ResponseBody,
	secondsOf,
} from './values';
import { unreadableResponseError } from './responseErrors';
import { UnreadableField } from './unreadable';

/** How a list is paginated (API spec, "Response envelope"). */
export type Pagination = 'none' | 'page' | 'cursor';

/** The page size to read all records (API spec, "Limits"). Page-based lists have no documented maximum, so it is their default. */
const MAX_PAGE_SIZE: Record<Pagination, number> = {
	none: Infinity,
	page: 50,
	cursor: MAX_MESSAGES_PER_REQUEST,
};

/** How often a list is read whose records move between pages, or that gets shorter meanwhile. */
const MAX_PASSES = 3;

/** No account has more pages, so a longer list has no end. */
const MAX_PAGES = 10_000;

/** One page of a list, and the state of the list after it. */
interface Page {
	records: IDataObject[];
	/** Whether it has a record that no earlier page had. */
	isNew: boolean;
	/** Whether it has fewer records than its page size. */
	isShort: boolean;
	/** Whether all wanted records are found. */
	isEnough: boolean;
	/** How many records of the service's total are not found yet; undefined when it reports no usable total. */
	missing: number | undefined;
	/** Whether the total may be that of this page alone, which is no whole list. */
	isOwnTotal: boolean;
}

/**
 * Tells whether a page has the last records that are wanted.
 *
 * @param isShort whether it has fewer records than its page size
 */
export type IsLast = (page: IDataObject[], isShort: boolean) => boolean;

/** Why a list could not be read to its end: it changes, the service is at fault, or the API has no way to the rest. */
type Obstacle = 'change' | 'service' | 'api';

/** A list that could not be read to its end. */
export class UnfinishedList extends ApiError {
	constructor(message: string, obstacle: Obstacle) {
		const description = {
			change: 'Run again. If it happens again, report this to the provider of the service.',
			service: 'Report this to the provider of the service.',
			api: 'The API reads a chat by the times of its messages, which are whole seconds, so the others of that second cannot be read.',
		}[obstacle];
		super({ message, description, code: 'unexpected_answer', httpStatus: null });
	}
}

type ReadPage = (position: Parameters, pageSize: number) => Promise<Page>;

/**
 * Reads the records of a list, with as many requests as needed. A record that appears twice, because others were added or
 * removed meanwhile, is returned once. What is returned is whole, up to the limit or the last page: a page that is shorter
 * than asked for does not end a list, unless the limit is within one page.
 *
 * @param limit maximum number of records; Infinity for all
 * @throws ApiError when a request fails, when the list has no end, or when all records are wanted and the service returns
 *   fewer than its total, or a list that gets shorter each time
 */
export async function listRecords(
	client: Client,
	request: ApiRequest,
	pagination: Pagination,
	limit: number,
	isLast: IsLast = () => false,
): Promise<IDataObject[]> {
	const { endpoint } = request;
	if (pagination === 'none') {
		const body = await client.call(request);
		const records = recordsInList(endpoint, body, pagination);
		// The API does not say that this list has pages, but the response does.
		return hasFurtherPages(body, records.length)
			? await listRecords(client, request, 'page', limit, isLast)
			: records.slice(0, limit);
	}

	for (let read = 0; read < MAX_PASSES; read++) {
		const { records, hasShrunk } = await readList(client, request, pagination, limit, isLast);
		// A record that leaves the list moves those after it, so that one can be on no page. A cursor still finds it.
		const isAccepted = limit < Infinity && read === MAX_PASSES - 1;
		if (!hasShrunk || isAccepted || pagination === 'cursor') return records;
	}
	throw new UnfinishedList('The list changed each time it was read', 'change');
}

async function readList(
	client: Client,
	request: ApiRequest,
	pagination: 'page' | 'cursor',
	limit: number,
	isLast: IsLast,
): Promise<{ records: IDataObject[]; hasShrunk: boolean }> {
	let pages = 0;
	let lastTotal = NaN;
	let hasShrunk = false;
	const maxPageSize = MAX_PAGE_SIZE[pagination];
	const found = new Map<string, IDataObject>();
	const readPage: ReadPage = async (position, pageSize) => {
		const parameters = { ...request.parameters, ...position, limit: pageSize };
		if (++pages > MAX_PAGES) throw endlessList();
		const body = await client.call({ ...request, parameters });
		const records = recordsInList(request.endpoint, body, pagination);
		const { limit: reportedSize = pageSize, total } = paginationIn(body);
		const countBefore = found.size;
		for (const record of records) found.set(recordKey(request.endpoint, record), record);
		// A total below the number of found records is wrong.
		const missing = total >= found.size ? total - found.size : undefined;
		const isShort = records.length < Math.min(reportedSize, pageSize);
		// Of a total that tells only what is left, the last page has all.
		const isWhole = missing !== undefined || (isShort && total > records.length);
		hasShrunk ||= isWhole && total < lastTotal;
		lastTotal = total;
		const isOneLook = isShort && missing === undefined && limit <= maxPageSize;
		return {
			records,
			isNew: found.size > countBefore,
			isShort,
			isEnough: found.size >= limit || isOneLook || isLast(records, isShort),
			missing,
			isOwnTotal: limit === Infinity && total === records.length,
		};
	};
	const readPages = pagination === 'page' ? followPages : followCursor;
	const { isEnough, missing } = await readPages(readPage, Math.min(limit, maxPageSize));
	if (missing && !isEnough && limit === Infinity) throw incompleteList(found.size, found.size + missing);
	return { records: [...found.values()].slice(0, limit), hasShrunk };
}

/**
 * Reads pages by their numbers. If a record moves to the front meanwhile, it is missing at the end, so the list is read
 * again. A short page may not be the last one: later passes use the page size that the service has shown, and read on after
 * short pages. A whole list of one page takes two requests, because its total may be that of the page.
 *
 * @returns the page after which nothing is left to read
 */
async function followPages(readPage: ReadPage, pageSize: number): Promise<Page> {
	/** The highest page number that had new records. */
	let knownPages = 0;
	let largestPage = 0;
	for (let pass = 1; ; pass++) {
		for (let number = 1; ; number++) {
			const page = await readPage({ page: number }, pass === 1 ? pageSize : largestPage || pageSize);
			const { records, isNew, isShort, isEnough, missing, isOwnTotal } = page;
			// A total can be too small: one that the first pass reaches may be the size of that page.
			const isTotalReached = missing === 0 && ((isShort && !isOwnTotal) || !isNew || pass > 1);
			if (isEnough || isTotalReached) return page;
			const isTotalKnown = missing !== undefined;
			const isRepeated = !isNew && number > knownPages;
			if (isRepeated && !isShort && (isTotalKnown || pass === 1)) throw repeatedPage();
			if (isNew || pass === 1) knownPages = Math.max(knownPages, number);
			largestPage = Math.min(pageSize, Math.max(largestPage, records.length));
			const isEnd = records.length === 0 || isRepeated;
			if (isEnd && (pass === MAX_PASSES || !isTotalKnown)) return page;
			const leavesOut = pass === 1 && isShort && missing !== 0 && (isTotalKnown || largestPage < pageSize);
			if (isEnd || leavesOut) break;
		}
	}
}

/**
 * Reads pages by the time of the oldest message (API spec, "Chats"). Messages come newest first, and the cursor selects
 * older ones. Times are whole seconds, so the cursor is set one second later: other messages of the same second are then
 * included. The list ends where nothing is older.
 *
 * @returns the page after which nothing is left to read
 */
async function followCursor(readPage: ReadPage, pageSize: number): Promise<Page> {
	let page = await readPage({}, pageSize);
	let before = Infinity;
	while (!page.isEnough && page.records.length > 0) {
		const seconds = timesOf(page.records).map(Math.floor);
		if (seconds.length === 0) {
			// Without a time, there is no cursor.
			const isTimeless = page.records.every(({ timestamp = null }) => timestamp === null);
			if (isTimeless && page.isShort) return page;
			throw new UnreadableField('message.timestamp', kindOf(page.records[0]?.timestamp));
		}
		const oldest = Math.min(...seconds);
		const newest = Math.max(...seconds);
		// A cursor that changes nothing would repeat the page. That of some services includes its own second.
		const isStuck = newest === before && (!page.isNew || oldest + 1 === before);
		if (newest > before || (isStuck && !page.isShort)) throw repeatedPage();
		if (isStuck) {
			// Of a page that was cut off, the rest would be missing without a word.
			const rest = await readPage({ before: toIso(oldest) }, pageSize);
			if (rest.isNew || timesOf(rest.records).some((time) => time >= oldest + 1)) throw repeatedPage();
			return rest;
		}
		if (oldest < newest) {
			before = oldest + 1;
			page = await readPage({ before: toIso(before) }, pageSize);
			continue;
		}
		// No cursor tells the messages of one second apart. If the page may not have all of them, the rest cannot be read.
		const older = await readPage({ before: toIso(oldest) }, pageSize);
		if (page.isShort && !older.isNew) return older;
		throw timesOf(older.records).some((time) => time >= oldest)
			? repeatedPage()
			: tooManyInOneSecond(oldest, page.records.length);
	}
	return page;
}

/** The times of messages, in Unix seconds, without those whose times are not understood. */
export function timesOf(messages: readonly IDataObject[]): number[] {
	return messages.map(({ timestamp }) => secondsOf(timestamp)).filter((time) => time !== undefined);
}

/**
 * The records in one response. Without pages, a value that is not an array counts as one record, because the API spec does not
 * show the shape of every list.
 *
 * @throws ApiError when the response holds neither a record nor a list
 */
function recordsInList(endpoint: Endpoint, body: ResponseBody, pagination: Pagination): IDataObject[] {
	const records = recordsOf(body);
	const isBare = 'data' in body && typeof body.data !== 'object';
	const isList = Array.isArray(body.data) || body.data === null;
	const isBlank = !isList && records.some((record) => Object.keys(record).length === 0);
	const isMissing = isBare || isBlank;
	if (isMissing && flagOf(body.success) !== true) throw unreadableResponseError(endpoint, 200);
	// The API shows how lists with pages look. The pages of another one could have no end.
	if (isMissing || (!isList && pagination !== 'none')) throw new UnreadableField('data', kindOf(body.data));
	return records;
}

function toIso(unixSeconds: number): string {
	return new Date(unixSeconds * 1000).toISOString();
}

/** The page size and the total number of records that the service reports; a missing total is NaN. */
function paginationIn({ pagination }: ResponseBody): { limit?: number; total: number } {
	const { limit, total } = recordOrEmpty(pagination);
	return {
		limit: countOf(limit) || undefined,
		total: countOf(total) ?? NaN,
	};
}

function hasFurtherPages({ pagination }: ResponseBody, found: number): boolean {
	const { limit = 0, total } = paginationIn({ pagination });
	return isRecord(pagination) && (Number.isNaN(total) ? found >= limit : found < total);
}

/** Whether a response tells how many records its list has. */
export function hasTotal(body: ResponseBody): boolean {
	return !Number.isNaN(paginationIn(body).total);
}

/**
 * Whether a list has a page after this one. If the service does not say how many records there are, a full page has one.
 *
 * @param count how many records it has
 * @param found how many it has together with the pages before it
 */
export function hasNextPage(body: ResponseBody, count: number, found: number): boolean {
	const { limit = MAX_PAGE_SIZE.page, total } = paginationIn(body);
	return count > 0 && (Number.isNaN(total) ? count >= limit : found < total);
}

function endlessList(): UnfinishedList {
	return new UnfinishedList(
		`The list has no end: the node stopped reading after page ${MAX_PAGES}`,
		'service',
	);
}

/** Contacts have no id; their phone number identifies them, unless the channel hides it. Other records can share a number. */
function recordKey({ path }: Endpoint, record: IDataObject): string {
	const phone = path === GET_CONTACTS.path ? idOf(record.phone) : undefined;
	return idOf(record.id) ?? phone ?? JSON.stringify(record);
}

function repeatedPage(): UnfinishedList {
	return new UnfinishedList('The service keeps returning the same page of the list', 'service');
}

function tooManyInOneSecond(second: number, count: number): UnfinishedList {
	return new UnfinishedList(
		`The chat has more messages in one second, ${toIso(second)}, than one request returns: ${count}`,
		'api',
	);
}

function incompleteList(found: number, total: number): UnfinishedList {
	return new UnfinishedList(
		`The list is incomplete: the service returned ${found} of ${total} records`,
		'change',
	);
}
