import type { Readable } from 'node:stream';

import { invalid, notFound, type ApiError } from './apiError';
import type { Form } from './multipart';
import type { Runtime } from './runtime';
import type { Store } from './store';

/** A request that the description has checked, on its way to a handler. */
export interface CheckedRequest<Body = unknown, Query = unknown> {
	runtime: Runtime;
	operationId: string;
	/** Decoded path parameters. */
	path: Record<string, string>;
	/** With defaults filled in. */
	query: Query;
	/** With defaults filled in; undefined for a form. */
	body: Body;
	form?: Form;
}

/** What a handler answers. */
export type Reply =
	{ status: number; json: unknown } | { status: number; stream: Readable; headers: Record<string, string> };

/** Answers one operation. The description has checked body and query, so each handler names their types. */
export type Handler = (call: CheckedRequest<never, never>) => Reply | Promise<Reply>;

/** The envelope's success case ("Response envelope"). */
export const data = (value: unknown, status = 200): Reply => ({
	status,
	json: { success: true, data: value },
});

/** Success without data. */
export const done = (): Reply => ({ status: 200, json: { success: true } });

/**
 * What can be done with the records in a map of the store.
 *
 * @param what they are called when one is missing
 * @param keyOf reads the key of a record in the path
 */
export function recordsOf<Kept extends object>(
	mapIn: (store: Store) => Map<string, Kept>,
	what: string,
	keyOf: (path: Record<string, string>) => string = ({ id = '' }) => id,
	missing: (key: string) => ApiError = (key) => notFound(`${what} ${key}`),
) {
	type Call<Body = unknown> = Pick<CheckedRequest<Body>, 'runtime' | 'path' | 'body'>;
	const find = ({ runtime, path }: Pick<Call, 'runtime' | 'path'>): Kept => {
		const found = mapIn(runtime.store).get(keyOf(path));
		if (!found) throw missing(keyOf(path));
		return found;
	};
	return {
		/** The record, or 404. */
		find,
		getAll: ({ runtime }: Call) => data([...mapIn(runtime.store).values()]),
		get: (call: Call) => data(find(call)),
		update: (call: Call<Partial<Kept>>) => data(Object.assign(find(call), call.body)),
		remove: (call: Call) => {
			find(call);
			mapIn(call.runtime.store).delete(keyOf(call.path));
			return done();
		},
	};
}

/** The query of a page based list. */
export interface PageQuery {
	page: number;
	limit: number;
}

/** The longest page of contacts, scheduled messages and broadcasts ("Limits": not shown). */
const MAX_PAGE = 100;

/** One page of a list ("Response envelope"). */
export function pageOf<Item>(items: Item[], { page, limit }: PageQuery): Reply {
	if (limit > MAX_PAGE) throw invalid(`The query parameter limit must be at most ${MAX_PAGE}.`);
	const start = (page - 1) * limit;
	const pagination = { page, limit, total: items.length };
	return { status: 200, json: { success: true, data: items.slice(start, start + limit), pagination } };
}
