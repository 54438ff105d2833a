import mapValues from 'lodash/mapValues';
import { createHash } from 'node:crypto';

/** How the service writes what its API leaves open, or says otherwise. */
export type Dialect =
	/** As the API says. */
	| 'documented'
	/** Times in milliseconds, flags as 1 and 0, IDs of messages and numbers of contacts as numbers. */
	| 'numbers'
	/** Times and counts as digits, and flags as text. */
	| 'texts'
	/** Times with a blank and no zone, as databases write them; types in capitals, phone numbers as people write them. */
	| 'database'
	/** The chats come in pages of one, although their list has none. */
	| 'pages'
	/** Times in a form that nobody can read, and flags and events that are null. */
	| 'unreadable';

interface Forms {
	/** Of Unix seconds. */
	time?: (seconds: number) => unknown;
	flag?: (value: boolean) => unknown;
	messageId?: (id: string) => unknown;
	chatType?: (type: string) => string;
	phone?: (digits: string) => string;
	/** Of a contact, instead of `phone`. */
	contactPhone?: (digits: string) => unknown;
	/** Of a list or a queue. */
	count?: (count: number) => unknown;
	/** Of a webhook. */
	events?: () => null;
	chatsInPage?: number;
}

const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString();

/** A number that stands for a text, without loss in JSON. */
const numberOf = (text: string) => parseInt(createHash('sha1').update(text).digest('hex').slice(0, 12), 16);

const DIALECTS: Record<Dialect, Forms> = {
	documented: {},
	numbers: { time: (seconds) => seconds * 1000, flag: Number, messageId: numberOf, contactPhone: Number },
	texts: { time: String, flag: (value) => (value ? 'True' : 'False'), count: String },
	database: {
		time: (seconds) => isoOf(seconds).replace('T', ' ').replace('Z', ''),
		chatType: (type) => type.toUpperCase(),
		phone: (digits) => digits.replace(/^(..)(...)(...)/, '+$1 $2 $3 '),
	},
	pages: { chatsInPage: 1 },
	unreadable: {
		time: (seconds) => isoOf(seconds).slice(0, 10).split('-').reverse().join('.'),
		flag: () => null,
		events: () => null,
	},
};

type Fields = Record<string, unknown>;

const COUNTS = ['total', 'limit', 'waiting', 'active', 'delayed', 'failed'];

/** How the fields of a message, chat, contact or webhook are written. */
function formsOf(record: Fields, forms: Forms): Record<string, ((known: never) => unknown) | undefined> {
	const { time, flag } = forms;
	if ('from_me' in record) return { id: forms.messageId, timestamp: time, from_me: flag, has_media: flag };
	if ('id' in record && 'type' in record) {
		const ofChat = time && ((text: string) => time(Date.parse(text) / 1000));
		return { type: forms.chatType, phone: forms.phone, last_message_at: ofChat };
	}
	if ('is_channel_user' in record) return { phone: forms.contactPhone ?? forms.phone };
	if ('is_active' in record && 'timeout_seconds' in record) return { is_active: flag, events: forms.events };
	return {};
}

/** What the service writes, in a dialect. */
function translated(value: unknown, forms: Forms): unknown {
	if (Array.isArray(value)) return value.map((entry) => translated(entry, forms));
	if (typeof value !== 'object' || value === null) return value;
	const own = formsOf(value as Fields, forms);
	return mapValues(value as Fields, (field, name) => {
		const form = COUNTS.includes(name) && typeof field === 'number' ? forms.count : own[name];
		return form && field !== null && field !== undefined ? form(field as never) : translated(field, forms);
	});
}

/** The body of an event in a dialect. */
export function inDialect(dialect: Dialect, body: unknown): unknown {
	return dialect === 'documented' ? body : translated(body, DIALECTS[dialect]);
}

/** A request to an operation. */
interface Asked {
	operationId: string | null;
	query: Record<string, string | string[]>;
}

/** The query that the API describes: without the page of a list that has pages only in the dialect. */
export function documentedQuery(dialect: Dialect, { operationId, query }: Asked): Asked['query'] {
	const isPaged = operationId === 'chat.getAll' && DIALECTS[dialect].chatsInPage !== undefined;
	return isPaged ? {} : { ...query };
}

/** The body of a response in a dialect. */
export function answerInDialect(dialect: Dialect, { operationId, query }: Asked, body: unknown): unknown {
	const { chatsInPage: limit } = DIALECTS[dialect];
	const { data } = body as { data?: unknown };
	if (limit === undefined || operationId !== 'chat.getAll' || !Array.isArray(data))
		return inDialect(dialect, body);
	const page = Number(query.page ?? 1);
	const pagination = { page, limit, total: data.length };
	return { success: true, data: data.slice((page - 1) * limit, page * limit), pagination };
}

/** The ID that a caller means by one in this dialect. */
export function idFromDialect(dialect: Dialect, id: string, known: Iterable<string>): string {
	const { messageId } = DIALECTS[dialect];
	return (messageId && [...known].find((each) => String(messageId(each)) === id)) ?? id;
}
