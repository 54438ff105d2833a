import type { FaultEffect } from './faults';
import { sha256, type FileRecord } from './mediaStore';

/** One request as it arrived, and what became of it. */
export interface RequestRecord {
	/** Counts up from 1 in order of arrival. */
	order: number;
	/** Null when no operation has this method and path. */
	operationId: string | null;
	method: string;
	/** Path as received, without the query. */
	path: string;
	query: Record<string, string | string[]>;
	/** Names in lower case. */
	headers: Record<string, string | string[] | undefined>;
	/** Names and values in turn, exactly as received. */
	rawHeaders: string[];
	/** Parsed JSON body; strings above 64 KiB are replaced by their length and SHA-256. */
	body: unknown;
	multipart?: { fields: Record<string, string>; file?: FileRecord };
	/** Milliseconds of the machine's clock. */
	receivedAt: number;
	/** Null while the request runs. */
	finishedAt: number | null;
	/** Requests in flight when this one arrived, itself included. */
	inFlight: number;
	/** Null while it runs, or when the socket was destroyed instead of an answer. */
	status: number | null;
	/** The service took the request: its handler ran and succeeded, whatever the caller got to see. */
	accepted: boolean;
	fault?: FaultEffect['kind'];
	/** Why the service refused the request. */
	refusal?: { error: string; message: string };
}

/** Which requests: the path as in the record, and only those with a larger order number than `after`. */
export interface RequestFilter extends Partial<
	Pick<RequestRecord, 'operationId' | 'method' | 'path' | 'accepted'>
> {
	after?: number;
}

type Arrived = Pick<RequestRecord, 'method' | 'path' | 'query' | 'headers' | 'rawHeaders'>;

const keep = 50_000;
const keepText = 64 * 1024;
const keepAnswers = 200;

/** A body fit for the log: long texts, such as base64 media, only by length and hash. */
export function bodyForLog(body: unknown): unknown {
	if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
	return Object.fromEntries(
		Object.entries(body).map(([name, value]) => [
			name,
			typeof value === 'string' && value.length > keepText
				? `[${value.length} characters, SHA-256 ${sha256(value)}]`
				: (value as unknown),
		]),
	);
}

/** Every request that arrived, the latest of them. */
export function createRequestLog() {
	let records: RequestRecord[] = [];
	let arrived = 0;
	let inFlight = 0;
	const answers = new Map<number, unknown>();
	return {
		open: (request: Arrived) => {
			inFlight += 1;
			const record: RequestRecord = {
				...request,
				order: ++arrived,
				operationId: null,
				body: undefined,
				receivedAt: Date.now(),
				finishedAt: null,
				inFlight,
				status: null,
				accepted: false,
			};
			records.push(record);
			if (records.length > keep * 1.2) records = records.slice(-keep);
			return record;
		},
		close: (record: RequestRecord, status: number | null) => {
			if (record.finishedAt !== null) return;
			inFlight -= 1;
			record.finishedAt = Date.now();
			record.status = status;
		},
		find: ({ operationId, method, path, accepted, after = 0 }: RequestFilter): RequestRecord[] =>
			records
				.slice(-keep)
				.filter(
					(record) =>
						record.order > after &&
						(operationId === undefined || record.operationId === operationId) &&
						(method === undefined || record.method === method.toUpperCase()) &&
						(path === undefined || record.path === path) &&
						(accepted === undefined || record.accepted === accepted),
				),
		/** Keeps what was answered, of the latest requests. */
		noteAnswer: ({ order }: RequestRecord, answer: unknown) => {
			answers.set(order, answer);
			answers.delete(order - keepAnswers);
		},
		answerOf: ({ order }: RequestRecord) => answers.get(order),
		clear: () => {
			records = [];
		},
	};
}
