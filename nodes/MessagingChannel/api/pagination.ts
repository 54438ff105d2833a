import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest, Endpoint, Parameters } from './apiRequest';
import type { Client } from './client';
import { ApiError, errorOfUnreadableAnswer } from './errors';
import { isRecord } from './isRecord';
import { recordsOf, type ResponseBody } from './records';

/** How the records of a list are spread over answers (API spec, "Response envelope"). */
export type Pagination = 'none' | 'page' | 'cursor';

/** Asked for when everything is wanted. The spec shows no maximum for page-based lists, so theirs is the default. */
const LARGEST_PAGE: Record<Pagination, number> = { none: Infinity, page: 50, cursor: 200 };

/** A list whose records keep moving is not chased forever. */
const MOST_PASSES = 3;

/** More pages than any account has: the list has no end. */
const MOST_PAGES = 10_000;

/** One answer of a list. */
interface Page {
	records: IDataObject[];
	/** Whether it has a record that no page before had. */
	isNew: boolean;
	/** Whether it has fewer records than fit on it. */
	isShort: boolean;
	/** Whether all records are found that are wanted, or that there are. */
	isEnough: boolean;
	/** How many records the service tells of that are not found yet; undefined when it does not tell. */
	missing: number | undefined;
}

/** The last second that has a date. */
const LATEST_SECOND = 8.64e12 - 1;

type ReadPage = (position: Parameters, pageSize: number) => Promise<Page>;

/**
 * The records of a list, at most `limit` of them, from as many answers as that takes. A record that shows up twice,
 * because others came or went meanwhile, is returned once.
 *
 * @param limit Infinity for everything
 * @throws ApiError when a call does not succeed, when the list has no end, or when everything is wanted and the service
 *   gives less than it tells
 */
export async function listRecords(
	client: Client,
	request: ApiRequest,
	pagination: Pagination,
	limit: number,
): Promise<IDataObject[]> {
	const { endpoint } = request;
	if (pagination === 'none') return listIn(endpoint, await client.call(request)).slice(0, limit);

	let pages = 0;
	const found = new Map<string, IDataObject>();
	const readPage: ReadPage = async (position, pageSize) => {
		const parameters = { ...request.parameters, ...position, limit: pageSize };
		if (++pages > MOST_PAGES) throw endlessList();
		const answer = await client.call({ ...request, parameters });
		const records = listIn(endpoint, answer);
		const { limit: pageLength = pageSize, total } = paginationOf(answer);
		const before = found.size;
		for (const record of records) found.set(keyOf(record), record);
		// A total that is smaller than what was found says nothing.
		const missing = total >= found.size ? total - found.size : undefined;
		const isShort = records.length < Math.min(pageLength, pageSize);
		return {
			records,
			isNew: found.size > before,
			isShort,
			isEnough: found.size >= limit || missing === 0 || (isShort && missing === undefined),
			missing,
		};
	};
	const follow = pagination === 'page' ? followPages : followCursor;
	const { missing } = await follow(readPage, Math.min(limit, LARGEST_PAGE[pagination]));
	if (missing && limit === Infinity) throw incompleteList(found.size, found.size + missing);
	return [...found.values()].slice(0, limit);
}

/**
 * A record that moved to the front meanwhile is missing at the end, so the list is then read again. A short page may
 * also not be the last one: from then on the pages are as long as the service makes them, and are followed past it.
 *
 * @returns the page at which nothing is left to read
 */
async function followPages(readPage: ReadPage, pageSize: number): Promise<Page> {
	/** How many pages the list is known to have. */
	let known = 0;
	let longest = 0;
	for (let pass = 1; ; pass++) {
		for (let number = 1; ; number++) {
			const page = await readPage({ page: number }, pass === 1 ? pageSize : longest || pageSize);
			if (page.isEnough) return page;
			const isRepeated = !page.isNew && number > known;
			if (isRepeated && !page.isShort) throw repeatedPage();
			if (page.isNew || pass === 1) known = Math.max(known, number);
			longest = Math.min(pageSize, Math.max(longest, page.records.length));
			const isLast = page.records.length === 0 || (page.isShort && (pass === 1 || isRepeated));
			if (isLast && pass === MOST_PASSES) return page;
			if (isLast) break;
		}
	}
}

/**
 * Messages come newest first and the cursor takes only older ones, in whole seconds: one second more keeps those that
 * share the oldest message's second.
 *
 * @returns the page at which nothing is left to read
 */
async function followCursor(readPage: ReadPage, pageSize: number): Promise<Page> {
	let page = await readPage({}, pageSize);
	let cursor = Infinity;
	while (!page.isEnough && page.records.length > 0) {
		const oldest = page.records.reduce(
			(least, { timestamp }) => Math.min(least, Number(timestamp)),
			Infinity,
		);
		// A cursor that stays where it was, or is no date, leads nowhere.
		if (!(oldest < cursor && oldest > 0 && oldest < LATEST_SECOND)) throw repeatedPage();
		cursor = oldest;
		page = await readPage({ before: isoOf(oldest + 1) }, pageSize);
		if (page.isNew || page.isEnough) continue;
		if (page.isShort) break;
		// A page full of one second hides whatever else is in that second.
		throw repeatedPage();
	}
	return page;
}

/**
 * The records of one answer of a list. One that is not simply an array is taken for one record: the spec does not show
 * the shape of every list.
 */
function listIn(endpoint: Endpoint, answer: ResponseBody): IDataObject[] {
	const records = recordsOf(answer);
	const isBare = 'data' in answer && typeof answer.data !== 'object';
	const isBlank = !Array.isArray(answer.data) && records.some((record) => Object.keys(record).length === 0);
	if (isBare || isBlank) throw errorOfUnreadableAnswer(endpoint, 200);
	return records;
}

function isoOf(unixSeconds: number): string {
	return new Date(unixSeconds * 1000).toISOString();
}

/** What the service tells about the pages of a list: the length of each, and the records in all, NaN when it does not. */
function paginationOf({ pagination }: ResponseBody): { limit?: number; total: number } {
	const { limit, total } = isRecord(pagination) ? pagination : {};
	return {
		limit: typeof limit === 'number' && limit > 0 ? limit : undefined,
		total: typeof total === 'number' ? total : NaN,
	};
}

function endlessList(): ApiError {
	return new ApiError({
		message: `The list of the service has no end: it was read up to page ${MOST_PAGES}`,
		description: 'Set a Limit instead of Return All, and tell the provider of the service.',
		code: 'unexpected_answer',
		httpStatus: null,
	});
}

/** The API gives records an id, contacts their phone number. */
function keyOf(record: IDataObject): string {
	return JSON.stringify(record.id ?? record.phone ?? record);
}

function repeatedPage(): ApiError {
	return new ApiError({
		message: 'The service returned the same page of the list again and again',
		description: 'Set a Limit instead of Return All, and tell the provider of the service.',
		code: 'unexpected_answer',
		httpStatus: null,
	});
}

function incompleteList(found: number, total: number): ApiError {
	return new ApiError({
		message: `The list is incomplete: the service gave ${found} of ${total} records`,
		description:
			'Run again. If it stays so, set a Limit instead of Return All to get those that can be read, and tell the provider of the service.',
		code: 'unexpected_answer',
		httpStatus: null,
	});
}
