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

/**
 * A file ("Media").
 *
 * @param kind the `Content-Disposition`; not set for none
 * @param isNamed whether it has the name, too
 */
export const fileReply = (
	stored: StoredMedia,
	stream: Readable,
	kind?: 'inline' | 'attachment',
	isNamed = false,
): Reply => ({
	status: 200,
	stream,
	headers: {
		'Content-Type': stored.mimetype,
		'Content-Length': String(stored.size),
		...(kind && { 'Content-Disposition': isNamed ? disposition(kind, stored.filename) : kind }),
	},
});
