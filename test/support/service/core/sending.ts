// cspell:ignore forbiddenword unfetched
import { ApiError, invalid } from './apiError';
import { fireEvent, statusBody } from './events';
import { plainType, type StoredMedia } from './mediaStore';
import { chatOfPhone, normalizeRecipient } from './phone';
import type { Settings } from './settings';
import type { Chat, Message, MessageMedia } from './records';
import type { Runtime } from './runtime';
import { addMessage, ensureChat } from './store';

/** A medium that is stored already, or has to be fetched before it is sent. */
export type MediaSource = { stored: StoredMedia } | { url: string; filename?: string; mimetype?: string };

/** A message to send. */
export interface Outgoing {
	/** Normalized chat id. */
	to: string;
	body: string;
	/** Message `type` and `raw_type`. */
	type?: { type: string; raw: string };
	media?: MediaSource;
	priority?: number;
}

/** A message the queue has taken on. */
export interface Queued {
	jobId: string;
	/** The message once it is sent; rejects when it could not be. */
	sent: Promise<Message>;
}

/** The longest text ("Limits": not shown). */
export const longestText = 4096;

/** The recipient's chat id; the description has checked that it is one. */
export function recipient(text: string): string {
	const chatId = normalizeRecipient(text);
	if (chatId === undefined) throw invalid(`${text} is neither a phone number nor a chat id.`);
	return chatId;
}

/** Whether the content policy refuses a text, as each that contains this word. */
export const isBlocked = (text: string): boolean => text.toLowerCase().includes('forbiddenword');

/** 400 `account_not_connected` unless the account is connected ("Errors"). */
export function requireConnected({ store }: Runtime): void {
	if (store.account.status === 'connected') return;
	throw new ApiError(400, 'account_not_connected', `The channel account is ${store.account.status}.`);
}

/** 400 `content_blocked` when the content policy refuses the text. */
export function requireAllowed(text: string): void {
	if (isBlocked(text)) {
		throw new ApiError(400, 'content_blocked', 'The content policy does not allow this message.');
	}
}

/** A message id as channels give them: it holds characters that a URL has to escape. */
const messageId = (runtime: Runtime, chatId: string, fromMe: boolean): string =>
	`${fromMe}_${chatId}_${runtime.nextId('message').replace('message-', '').padStart(12, '0')}`;

/** A message of a chat, not yet in it. */
export function composeMessage(
	runtime: Runtime,
	chatId: string,
	message: {
		body: string;
		fromMe: boolean;
		type?: { type: string; raw: string };
		media?: MessageMedia | null;
		timestamp?: number;
	},
): Message {
	const own = chatOfPhone(runtime.store.account.phone_number);
	const { media = null, fromMe } = message;
	return {
		id: messageId(runtime, chatId, fromMe),
		from: fromMe ? own : chatId,
		to: fromMe ? chatId : own,
		body: message.body,
		type: message.type?.type ?? 'chat',
		raw_type: message.type?.raw ?? 'chat',
		timestamp: message.timestamp ?? Math.floor(runtime.clock.now() / 1000),
		from_me: fromMe,
		has_media: media !== null,
		media,
	};
}

/** The part of a stored medium that a message shows. */
export const mediaOf = ({ filename, mimetype, size }: StoredMedia): MessageMedia => ({
	filename,
	mimetype,
	size,
});

const loopbackHosts = ['127.0.0.1', 'localhost', '[::1]'];

/** Only from this machine, so that no test reaches out; any other URL is recorded unfetched. */
async function fetchMedia(runtime: Runtime, source: Exclude<MediaSource, { stored: StoredMedia }>) {
	const url = new URL(source.url);
	const filename = source.filename ?? decodeURIComponent(url.pathname.split('/').pop() || 'file');
	if (!loopbackHosts.includes(url.hostname)) {
		const mimetype = source.mimetype ?? 'application/octet-stream';
		return runtime.media.add({ filename, mimetype, size: 0, sha256: null, bytes: null });
	}
	const response = await fetch(url, { signal: AbortSignal.timeout(60_000) });
	if (!response.ok) throw new Error(`${source.url} answered ${response.status}`);
	const bytes = Buffer.from(await response.arrayBuffer());
	const mimetype = source.mimetype ?? response.headers.get('content-type') ?? 'application/octet-stream';
	return runtime.media.addBytes({ filename, mimetype }, bytes);
}

/** The message type of a medium sent as it is. */
export function typeOfMedia(mimetype: string): { type: string; raw: string } {
	const kind = plainType(mimetype).split('/')[0] ?? '';
	const type = ['image', 'video', 'audio'].includes(kind) ? kind : 'document';
	return { type, raw: type };
}

function followStatus(runtime: Runtime, chat: Chat, message: Message, jobId: string): void {
	const announce = (event: string, status: string) => {
		runtime.statuses.set(message.id, status);
		fireEvent(runtime, event, statusBody(runtime.store.account, chat, message, { event, jobId, status }));
	};
	announce('message.sent', 'sent');
	const change = (statuses: string[]): void => {
		const [status, ...later] = statuses;
		if (status === undefined) return;
		runtime.upcoming += 1;
		runtime.timers.after(runtime.random.between(5, 15), () => {
			runtime.upcoming -= 1;
			announce(`message.${status}`, status);
			change(later);
		});
	};
	change(['delivered', 'read']);
}

function failStatus(runtime: Runtime, outgoing: Outgoing, jobId: string): void {
	const chat = ensureChat(runtime.store, outgoing.to);
	const message = composeMessage(runtime, outgoing.to, { ...outgoing, media: null, fromMe: true });
	const event = 'message.status';
	const status = { event, jobId, status: 'failed' };
	fireEvent(runtime, event, statusBody(runtime.store.account, chat, message, status));
}

const SHOWN: Record<Settings['shownTexts'], (text: string) => string> = {
	'as-sent': (text) => text,
	trimmed: (text) => text.trim(),
	crlf: (text) => text.replace(/\n/g, '\r\n'),
	nfd: (text) => text.normalize('NFD'),
};

async function perform(runtime: Runtime, outgoing: Outgoing, jobId: string): Promise<Message> {
	const source = outgoing.media;
	const stored = !source || 'stored' in source ? source?.stored : fetchMedia(runtime, source);
	const media = await Promise.resolve(stored).catch((error: Error) => {
		failStatus(runtime, outgoing, jobId);
		return Promise.reject(error);
	});
	const type = outgoing.type ?? (media ? typeOfMedia(media.mimetype) : undefined);
	const message = composeMessage(runtime, outgoing.to, {
		body: SHOWN[runtime.settings.shownTexts](outgoing.body),
		fromMe: true,
		type,
		media: media ? mediaOf(media) : null,
	});
	const chat = addMessage(runtime.store, outgoing.to, message, runtime.clock.now());
	followStatus(runtime, chat, message, jobId);
	return message;
}

/** Puts a message in the send queue. */
export function queueSend(runtime: Runtime, outgoing: Outgoing): Queued {
	const jobId = runtime.nextId('job');
	const isLost = runtime.settings.losesMessages;
	const sent = new Promise<Message>((resolve, reject) => {
		runtime.queue.add({
			id: jobId,
			priority: outgoing.priority ?? 3,
			run: async () => {
				if (isLost) return;
				const sending = perform(runtime, outgoing, jobId);
				sending.then(resolve, reject);
				await sending;
			},
		});
	});
	// Only a synchronous send looks at the outcome; for the others a failure is told by an event.
	sent.catch(() => undefined);
	return { jobId, sent };
}

/** Notes that the service took a message on. */
export function noteAccepted(
	runtime: Runtime,
	message: { operationId: string; to: string; body: string; jobId: string | null },
): void {
	runtime.accepted.push({ order: runtime.accepted.length + 1, ...message, acceptedAt: Date.now() });
}

/** Takes a message on for an operation that queues it at once; 400 when it may not be sent. */
export function acceptSend(
	runtime: Runtime,
	operationId: string,
	{ to, body, ...more }: Omit<Outgoing, 'to'> & { to: string },
): Queued & { to: string } {
	requireAllowed(body);
	requireConnected(runtime);
	const outgoing = { ...more, body, to: recipient(to) };
	const queued = queueSend(runtime, outgoing);
	noteAccepted(runtime, { operationId, to: outgoing.to, body, jobId: queued.jobId });
	return { ...queued, to: outgoing.to };
}
