import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest, Parameters } from './call';
import type { Answer, Client } from './client';
import { ApiError, isRecord } from './errors';
import { recordsOf } from './records';

/** How the records of a list are spread over answers (API spec, "Response envelope"). */
export type Paging = 'none' | 'page' | 'cursor';

/** Asked for when everything is wanted. The spec shows no maximum for page-based lists, so theirs is the default. */
const LARGEST_PAGE: Record<Paging, number> = { none: Infinity, page: 50, cursor: 200 };

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
	const found = new Map<string, IDataObject>();
	if (paging === 'none') return recordsOf(await client.call(request)).slice(0, limit);

	const pageSize = Math.min(limit, LARGEST_PAGE[paging]);
	let position: Parameters = paging === 'page' ? { page: 1 } : {};
	while (found.size < limit) {
		const answer = await client.call({
			...request,
			parameters: { ...request.parameters, ...position, limit: pageSize },
		});
		const records = recordsOf(answer);
		const before = found.size;
		for (const record of records) found.set(keyOf(record), record);
		if (isLast(answer, records, pageSize, found.size)) break;
		if (found.size === before) throw repeatedPage();
		position = paging === 'page' ? { page: Number(position.page) + 1 } : { before: cursorAfter(records) };
	}
	return [...found.values()].slice(0, limit);
}

function isLast(answer: Answer, records: IDataObject[], pageSize: number, found: number): boolean {
	const total = isRecord(answer.pagination) ? answer.pagination.total : undefined;
	if (records.length === 0) return true;
	return typeof total === 'number' ? found >= total : records.length < pageSize;
}

/** The API gives records an id, contacts their phone number. */
function keyOf(record: IDataObject): string {
	return JSON.stringify(record.id ?? record.phone ?? record);
}

/**
 * Messages come newest first and the cursor takes only older ones, in whole seconds: one second more keeps those that
 * share the oldest message's second.
 */
function cursorAfter(records: IDataObject[]): string {
	const oldest = Math.min(...records.map(({ timestamp }) => Number(timestamp)));
	if (!Number.isFinite(oldest)) throw repeatedPage();
	return new Date((oldest + 1) * 1000).toISOString();
}

function repeatedPage(): ApiError {
	return new ApiError({
		message: 'The service returned the same page of the list again and again',
		description: 'Set a Limit instead of Return All, and tell the provider of the service.',
		code: 'unexpected_answer',
		httpStatus: null,
	});
}
