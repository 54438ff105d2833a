import { notFound, invalid } from '../core/apiError';
import { data, type CheckedRequest } from '../core/call';
import { parseDateTime } from '../core/clock';
import { presignedUrl } from '../core/links';
import { chatOfPhone, normalizePhone } from '../core/phone';
import { rawMessage } from '../core/rawMessage';
import type { Message } from '../core/records';
import { firstNotOlder } from '../core/store';

/** GET /chats */
export const getAll = ({ runtime }: CheckedRequest) =>
	data(
		[...runtime.store.chats.values()].sort((a, b) =>
			(b.last_message_at ?? '').localeCompare(a.last_message_at ?? ''),
		),
	);

/** GET /chats/resolve */
export const resolve = ({ runtime, query }: CheckedRequest<unknown, { phone: string }>) => {
	const phone = normalizePhone(query.phone);
	if (phone === undefined) throw invalid('The query parameter phone must be a phone number.');
	const chat = runtime.store.chats.get(chatOfPhone(phone));
	if (!chat) throw notFound(`A chat with ${phone}`);
	return data({ id: chat.id, name: chat.name, phone });
};

interface MessagesQuery {
	limit: number;
	before?: string;
	include_raw: boolean;
	include_presigned_url: boolean;
}

/** GET /chats/{chatId}/messages; a chat without messages, known or not, is an empty list. */
export const getMessages = ({ runtime, path, query }: CheckedRequest<unknown, MessagesQuery>) => {
	const messages = runtime.store.messages.get(path.chatId ?? '') ?? [];
	const before = query.before === undefined ? undefined : parseDateTime(query.before);
	const end = before === undefined ? messages.length : firstNotOlder(messages, before / 1000);
	const { most = query.limit, hides = -1 } = runtime.settings.chatPages ?? {};
	const page = messages
		.slice(Math.max(0, end - Math.min(query.limit, most)), end)
		.reverse()
		.filter((_, place, { length }) => length < query.limit || place !== hides);
	const present = (message: Message) => ({
		...message,
		media:
			message.media && query.include_presigned_url
				? { ...message.media, presigned_url: presignedUrl(runtime, message.media.filename) }
				: message.media,
		...(query.include_raw ? { raw: rawMessage(message) } : {}),
	});
	return data(page.map(present));
};
