import type { Readable } from 'node:stream';

import { invalid, notFound } from './apiError';
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

/** What can be done with a record that has an ID, of those in a map of the store. */
export function recordsOf<Kept extends { id: string }>(
	mapIn: (store: Store) => Map<string, Kept>,
	what: string,
) {
	const find = (runtime: Runtime, id = ''): Kept => {
		const found = mapIn(runtime.store).get(id);
		if (!found) throw notFound(`${what} ${id}`);
		return found;
	};
	return {
		/** The record, or 404. */
		find,
		getAll: ({ runtime }: CheckedRequest) => data([...mapIn(runtime.store).values()]),
		get: ({ runtime, path }: CheckedRequest) => data(find(runtime, path.id)),
		update: ({ runtime, path, body }: CheckedRequest<Partial<Kept>>) =>
			data(Object.assign(find(runtime, path.id), body)),
		remove: ({ runtime, path }: CheckedRequest) => {
			mapIn(runtime.store).delete(find(runtime, path.id).id);
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
