import attempt from 'lodash/attempt';
import isError from 'lodash/isError';
import orderBy from 'lodash/orderBy';

import type { DeliveryRecord } from '../core/webhookDelivery';
import type { RequestRecord } from '../core/requestLog';
import type { Runtime } from '../core/runtime';
import { deliveryWords, requestWords } from './words';

/** The latest of everything. The control API has them all. */
export const SHOWN = 100;

/** The page shows the beginning of a longer text. */
const SHOWN_CHARACTERS = 10_000;

/** The message that a line is about: lines of one message have the same key. */
interface LineMessage {
	key: string;
	chat: string;
	text: string;
	isOwn: boolean;
}

/** One text behind a line, such as the body of the answer. */
type Part = Record<'title' | 'text', string>;

/** The text, or its beginning. */
export const shortened = (text: string): string =>
	text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}… (${text.length} characters)` : text;

const recordOf = (value: unknown) => (value ?? {}) as Record<string, unknown>;

function parsed(text: string): unknown {
	const value: unknown = attempt(JSON.parse, text);
	return isError(value) ? text : value;
}

const textOf = (...values: unknown[]) =>
	values.find((value): value is string => typeof value === 'string') ?? '';

/** The name of a chat, or its number. */
const nameOf = ({ store }: Runtime, id: string): string => {
	const chat = store.chats.get(id.includes('@') ? id : `${id.replace(/\D/g, '')}@c.us`);
	return (chat?.name || id.replace(/@.*/, '')).replace(/^(?=\d{7,15}$)/, '+');
};

function requestMessage(runtime: Runtime, record: RequestRecord): LineMessage | undefined {
	const body = recordOf(record.multipart?.fields ?? record.body);
	const answer = recordOf(runtime.log.answerOf(record));
	const jobId = textOf(answer.job_id, recordOf(answer.data).job_id);
	if (typeof body.to !== 'string') return undefined;
	const text = textOf(body.message, body.caption, record.multipart?.file?.filename, body.template_name);
	return { key: `job ${jobId || record.order}`, chat: nameOf(runtime, body.to), text, isOwn: true };
}

/** A request of n8n; `at` is when it began, in milliseconds. */
function requestLine(runtime: Runtime, record: RequestRecord) {
	const { order, method, path, status, receivedAt: at, finishedAt } = record;
	return {
		...requestWords(record),
		key: `request ${order}`,
		at,
		ms: finishedAt === null ? null : finishedAt - at,
		what: `${method} ${path.replace(/^.*\/external/, '').replace('%40', '@')}`,
		status,
		message: requestMessage(runtime, record),
	};
}

function deliveryMessage(runtime: Runtime, { body, source }: DeliveryRecord): LineMessage | undefined {
	const event = recordOf(parsed(body));
	const { id, body: text, from_me: isOwn } = recordOf(event.message);
	const { id: chatId } = recordOf(event.chat);
	if (source === 'test' || typeof id !== 'string') return undefined;
	const key = event.job_id === undefined ? `message ${id}` : `job ${textOf(event.job_id)}`;
	return { key, chat: nameOf(runtime, textOf(chatId)), text: textOf(text), isOwn: isOwn === true };
}

/** An event on its way to n8n; `at` is null before the first attempt. */
function deliveryLine(runtime: Runtime, record: DeliveryRecord, place: number) {
	const { event, eventId, attempts } = record;
	const last = attempts.at(-1);
	return {
		...deliveryWords(record),
		key: `delivery ${place}`,
		at: attempts[0]?.at ?? null,
		ms: last?.ms ?? null,
		what: event,
		status: last?.status ?? null,
		attempts: attempts.length,
		eventId,
		message: deliveryMessage(runtime, record),
	};
}

/** What n8n and the service exchanged, the latest first. */
export function timelineOf(runtime: Runtime) {
	const deliveries = runtime.deliverer.records();
	const first = Math.max(0, deliveries.length - SHOWN);
	const requests = runtime.log.find({}).slice(-SHOWN);
	const lines = [
		...requests.map((record) => requestLine(runtime, record)),
		...deliveries.slice(first).map((record, index) => deliveryLine(runtime, record, first + index)),
	];
	return orderBy(lines, ({ at }) => at ?? Infinity, 'desc').slice(0, SHOWN);
}

const pretty = (value: unknown): string => {
	const read = typeof value === 'string' ? parsed(value) : value;
	return shortened(typeof read === 'string' ? read : JSON.stringify(read, null, 2));
};

/** The texts behind a line of the timeline; none if it is gone. */
export function partsOf({ log, deliverer }: Runtime, key: string): Part[] {
	const [kind, number] = key.split(' ');
	const part = (title: string, value: unknown): Part[] =>
		value === undefined || value === '' ? [] : [{ title, text: pretty(value) }];
	if (kind === 'request') {
		const record = log.find({ after: Number(number) - 1 })[0];
		if (record?.order !== Number(number)) return [];
		return [
			...part('Query of the request', Object.keys(record.query).length > 0 ? record.query : undefined),
			...part('Body of the request', record.multipart ?? record.body),
			...part('Body of the answer', log.answerOf(record)),
			...part('Headers of the request', { ...record.headers, authorization: 'Bearer …' }),
		];
	}
	const record = deliverer.records()[Number(number)];
	if (!record) return [];
	return [
		...part('Body of the event', record.body),
		...record.attempts.flatMap(({ status, error, responseBody }, index) =>
			part(`Answer to attempt ${index + 1}: ${status ?? error}`, responseBody),
		),
		...part('Headers of the event', record.attempts.at(-1)?.headers),
	];
}
