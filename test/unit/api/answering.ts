import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../../../nodes/MessagingChannel/api/apiRequest';
import type { Client } from '../../../nodes/MessagingChannel/api/client';
import { listRecords, type Pagination } from '../../../nodes/MessagingChannel/api/pagination';
import type { ResponseBody } from '../../../nodes/MessagingChannel/api/values';

/** What a list is asked for. */
export interface Asked extends Record<string, unknown> {
	page: number;
	limit: number;
	before?: string;
}

/** What the service answers, by what it is asked for and how often it was asked. */
export type Answer = (asked: Asked, call: number) => ResponseBody;

const request: ApiRequest = {
	endpoint: { method: 'GET', path: '/contacts', permission: 'chats:read' },
	parameters: { search: 'a' },
};

/** What is read of such a list: the records or the error, and what was asked for. */
export async function read(
	answer: Answer,
	pagination: Pagination,
	limit = Infinity,
	path = request.endpoint.path,
) {
	const asked: Asked[] = [];
	const client: Client = {
		call: async ({ parameters = {} }) => {
			asked.push(parameters as Asked);
			if (asked.length > 10_001) throw new Error('It reads on and on.');
			return await Promise.resolve(answer(parameters as Asked, asked.length));
		},
		download: async () => await Promise.reject(new Error('Not for lists.')),
	};
	const found = await listRecords(
		client,
		{ ...request, endpoint: { ...request.endpoint, path } },
		pagination,
		limit,
	).catch((error: unknown) => error);
	return { found, asked };
}

/** Records with the ids from 0. */
export const records = (count: number): IDataObject[] => Array.from({ length: count }, (_, id) => ({ id }));

/** What `read` finds in a list: these records, or an error with this message. */
export const expected = (outcome: IDataObject[] | string) =>
	typeof outcome === 'string'
		? expect.objectContaining({ code: 'unexpected_answer', message: outcome })
		: outcome;
