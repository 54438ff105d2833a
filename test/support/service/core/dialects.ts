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
	events?: null;
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
		events: null,
	},
};

type Fields = Record<string, unknown>;

/** A message, chat or webhook in a dialect. */
function translated(value: unknown, forms: Forms): unknown {
	if (Array.isArray(value)) return value.map((entry) => translated(entry, forms));
	if (typeof value !== 'object' || value === null) return value;
	const fields: Fields = Object.fromEntries(
		Object.entries(value).map(([name, each]) => [name, translated(each, forms)]),
	);
	const put = <T>(name: string, form: ((known: T) => unknown) | undefined, known: T | null | undefined) => {
		if (form && known !== undefined && known !== null) fields[name] = form(known);
	};
	for (const name of ['total', 'limit', 'waiting', 'active', 'delayed', 'failed'] as const) {
		const count = (value as Fields)[name];
		if (typeof count === 'number') put(name, forms.count, count);
	}
	const { id, timestamp, from_me, has_media, last_message_at, is_active, phone, type } = value as {
		[name: string]: never;
	};
	if (from_me !== undefined) {
		put('id', forms.messageId, id);
		put('timestamp', forms.time, timestamp);
		put('from_me', forms.flag, from_me);
		put('has_media', forms.flag, has_media);
	} else if (id !== undefined && type !== undefined) {
		put('type', forms.chatType, type);
		put('phone', forms.phone, phone);
		put('last_message_at', forms.time, last_message_at && Date.parse(last_message_at) / 1000);
	} else if ('is_channel_user' in value) {
		put('phone', forms.contactPhone ?? forms.phone, phone);
	} else if (is_active !== undefined && 'timeout_seconds' in value) {
		put('is_active', forms.flag, is_active);
		if (forms.events === null) fields.events = null;
	}
	return fields;
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
