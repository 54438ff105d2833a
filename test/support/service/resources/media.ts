import { ApiError, invalid, notFound } from '../core/apiError';
import { data, type CheckedRequest, type Reply } from '../core/call';
import { presignedUrl } from '../core/links';
import { openMedia } from '../core/mediaStore';
import { fileReply } from '../core/fileReply';
import { acceptSend, typeOfMedia, type MediaSource } from '../core/sending';

interface MediaBody {
	to: string;
	media_url?: string;
	media_data?: string;
	mimetype?: string;
	filename?: string;
	caption?: string;
	as_document?: boolean;
	as_voice?: boolean;
	as_sticker?: boolean;
}

/** Each flag, and each endpoint that equals it ("Media"), with the message type it makes. */
const types = {
	image: { type: 'image', raw: 'image' },
	document: { type: 'document', raw: 'document' },
	audio: { type: 'audio', raw: 'audio' },
	voice: { type: 'voice', raw: 'ptt' },
	sticker: { type: 'sticker', raw: 'sticker' },
};

/** The bytes of a base64 text; 400 when it is none. */
function decode(text: string): Buffer {
	const bytes = Buffer.from(text, 'base64');
	// Buffer skips what it does not know: only a text that comes back unchanged was base64.
	if (bytes.toString('base64').replace(/=+$/, '') !== text.replace(/=+$/, '')) {
		throw invalid('The field media_data must be base64.');
	}
	return bytes;
}

function sourceOf({ runtime, body, form }: CheckedRequest<MediaBody>): MediaSource {
	if (form?.file) return { stored: runtime.media.add(form.file) };
	const { media_url: url, media_data: base64 = '', filename, mimetype } = body;
	if (url !== undefined) return { url, filename, mimetype };
	return { stored: runtime.media.addBytes({ filename, mimetype: mimetype ?? '' }, decode(base64)) };
}

function kindOf(body: MediaBody, kind: keyof typeof types | undefined): keyof typeof types | undefined {
	if (kind) return kind;
	if (body.as_sticker) return 'sticker';
	if (body.as_voice) return 'voice';
	return body.as_document ? 'document' : undefined;
}

/** POST /messages/send-media and the endpoints that fix the kind */
const sendAs =
	(kind?: keyof typeof types) =>
	(call: CheckedRequest<MediaBody>): Reply => {
		const { runtime, operationId, form } = call;
		const body = form ? (form.fields as unknown as MediaBody) : call.body;
		const caption = body.caption ?? '';
		const media = sourceOf({ ...call, body });
		const fixed = kindOf(body, kind);
		const mimetype = 'stored' in media ? media.stored.mimetype : media.mimetype;
		const type = fixed ? types[fixed] : mimetype === undefined ? undefined : typeOfMedia(mimetype);
		const { jobId } = acceptSend(runtime, operationId, { to: body.to, body: caption, media, type });
		return { status: 202, json: { success: true, queued: true, job_id: jobId } };
	};

export const send = sendAs();
export const sendImage = sendAs('image');
export const sendDocument = sendAs('document');
export const sendAudio = sendAs('audio');
export const sendVoice = sendAs('voice');
export const sendSticker = sendAs('sticker');

/** GET /media/{filename} */
export const downloadFile = ({ runtime, path, query }: CheckedRequest<unknown, { download: boolean }>) => {
	const filename = path.filename ?? '';
	const stored = runtime.media.find(filename);
	const stream = stored && openMedia(stored);
	if (!stored || !stream) throw notFound(`The file ${filename}`);
	return fileReply(stored, stream, query.download ? 'attachment' : undefined);
};

interface FromMessageQuery {
	format?: 'json';
}

/** GET /messages/{messageId}/media */
export const downloadFromMessage = ({ runtime, path, query }: CheckedRequest<unknown, FromMessageQuery>) => {
	const message = runtime.store.messagesById.get(path.messageId ?? '');
	const stored = message?.media ? runtime.media.find(message.media.filename) : undefined;
	if (!message || !stored) {
		throw new ApiError(404, 'no_media', 'The message does not exist or has no media.');
	}
	if (query.format === 'json') {
		const { filename, mimetype, size } = stored;
		const download_url = presignedUrl(runtime, filename);
		return data({ message_id: message.id, filename, mimetype, size, download_url });
	}
	const stream = openMedia(stored);
	if (!stream) throw new ApiError(404, 'no_media', 'The bytes of this medium were not kept.');
	return fileReply(stored, stream);
};
