import type { RequestFilter, RequestRecord } from './control';
import { sha256 } from './mediaStore';

const keep = 50_000;
const keepText = 64 * 1024;
const keepAnswers = 200;

/** Every request that arrived, the latest of them. */
export interface RequestLog {
	open(request: Pick<RequestRecord, 'method' | 'path' | 'query' | 'headers' | 'rawHeaders'>): RequestRecord;
	close(record: RequestRecord, status: number | null): void;
	find(filter: RequestFilter): RequestRecord[];
	/** Keeps what was answered, of the latest requests. */
	noteAnswer(record: RequestRecord, answer: unknown): void;
	answerOf(record: RequestRecord): unknown;
	clear(): void;
}

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

/** An empty log. */
export function createRequestLog(): RequestLog {
	let records: RequestRecord[] = [];
	let arrived = 0;
	let inFlight = 0;
	const answers = new Map<number, unknown>();
	return {
		open: (request) => {
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
		close: (record, status) => {
			if (record.finishedAt !== null) return;
			inFlight -= 1;
			record.finishedAt = Date.now();
			record.status = status;
		},
		find: ({ operationId, method, path, accepted, after = 0 }) =>
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
		noteAnswer: ({ order }, answer) => {
			answers.set(order, answer);
			answers.delete(order - keepAnswers);
		},
		answerOf: ({ order }) => answers.get(order),
		clear: () => {
			records = [];
		},
	};
}
