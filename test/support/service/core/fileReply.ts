import type { Readable } from 'node:stream';

import type { Reply } from './call';
import type { StoredMedia } from './mediaStore';

/** RFC 6266: a plain name for old readers, the real one for the others. */
function disposition(kind: 'inline' | 'attachment', filename: string): string {
	const plain = filename.replace(/[^\x20-\x7e]|["\\]/g, '_');
	const encoded = encodeURIComponent(filename).replace(
		/['()*]/g,
		(char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
	);
	return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** A file: shown inline by default, as an attachment with `download` ("Media"). */
export const fileReply = (stored: StoredMedia, stream: Readable, download: boolean): Reply => ({
	status: 200,
	stream,
	headers: {
		'Content-Type': stored.mimetype,
		'Content-Length': String(stored.size),
		'Content-Disposition': disposition(download ? 'attachment' : 'inline', stored.filename),
	},
});
