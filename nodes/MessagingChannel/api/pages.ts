import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest, Parameters } from './call';
import type { Answer, Client } from './client';
import { ApiError, isRecord } from './errors';
import { recordsOf } from './records';

/** How the records of a list are spread over answers (API spec, "Response envelope"). */
export type Paging = 'none' | 'page' | 'cursor';

/** Asked for when everything is wanted. The spec shows no maximum for page-based lists, so theirs is the default. */
const LARGEST_PAGE: Record<Paging, number> = { none: Infinity, page: 50, cursor: 200 };

/** A list whose records keep moving is not chased forever. */
const MOST_PASSES = 3;

/** One answer of a list. */
interface Page {
	records: IDataObject[];
	/** Whether it has a record that no page before had. */
	isNew: boolean;
	/** Whether nothing can follow it. */
	isLast: boolean;
	/** Whether all records are found that are wanted, or that there are. */
	isEnough: boolean;
}

type ReadPage = (position: Parameters) => Promise<Page>;

/**
 * The records of a list, at most `limit` of them, from as many answers as that takes. A record that shows up twice,
 * because others came or went meanwhile, is returned once.
 *
 * @throws ApiError when a call does not succeed, or when the service repeats a page forever
 */
export async function listRecords(
	client: Client,
	request: ApiRequest,
	paging: Paging,
	limit: number,
): Promise<IDataObject[]> {
	if (paging === 'none') return recordsOf(await client.call(request)).slice(0, limit);

	const found = new Map<string, IDataObject>();
	const pageSize = Math.min(limit, LARGEST_PAGE[paging]);
	const readPage: ReadPage = async (position) => {
		const parameters = { ...request.parameters, ...position, limit: pageSize };
		const answer = await client.call({ ...request, parameters });
		const records = recordsOf(answer);
		const { limit: pageLength = pageSize, total } = paginationOf(answer);
		const before = found.size;
		for (const record of records) found.set(keyOf(record), record);
		const isLast = records.length < Math.min(pageLength, pageSize);
		return {
			records,
			isNew: found.size > before,
			isLast,
			isEnough: found.size >= Math.min(limit, total ?? Infinity) || (isLast && total === undefined),
		};
	};
	await (paging === 'page' ? followPages(readPage) : followCursor(readPage));
	return [...found.values()].slice(0, limit);
}

/** A record that moved to the front meanwhile is missing at the end, so the list is then read again. */
async function followPages(readPage: ReadPage): Promise<void> {
	for (let pass = 1; pass <= MOST_PASSES; pass++) {
		for (let number = 1; ; number++) {
			const page = await readPage({ page: number });
			if (page.isEnough) return;
			if (page.isLast) break;
			if (!page.isNew && pass === 1) throw repeatedPage();
		}
	}
}

/**
 * Messages come newest first and the cursor takes only older ones, in whole seconds: one second more keeps those that
 * share the oldest message's second.
 */
async function followCursor(readPage: ReadPage): Promise<void> {
	let page = await readPage({});
	while (!page.isEnough && !page.isLast) {
		const oldest = Math.min(...page.records.map(({ timestamp }) => Number(timestamp)));
		if (!Number.isFinite(oldest)) throw repeatedPage();
		page = await readPage({ before: isoOf(oldest + 1) });
		// A page full of one second hides whatever else is in that second.
		if (!page.isNew && !page.isLast) throw repeatedPage();
	}
}

function isoOf(unixSeconds: number): string {
	return new Date(unixSeconds * 1000).toISOString();
}

/** What the service tells about the pages of a list: the length of each, and the records in all. */
function paginationOf({ pagination }: Answer): { limit?: number; total?: number } {
	const { limit, total } = isRecord(pagination) ? pagination : {};
	return {
		limit: typeof limit === 'number' ? limit : undefined,
		total: typeof total === 'number' ? total : undefined,
	};
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
