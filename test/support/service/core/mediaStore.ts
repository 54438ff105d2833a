import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';

/** A stored medium. */
export interface StoredMedia {
	/** Unique, and what `GET /media/{filename}` asks for. */
	filename: string;
	mimetype: string;
	size: number;
	sha256: string | null;
	/** Null when the medium was larger than what is kept, or was never fetched. */
	bytes: Buffer | null;
	/** Generated on demand. */
	synthetic?: boolean;
}

/** One uploaded file, without its bytes. */
export interface FileRecord {
	filename: string;
	mimetype: string;
	size: number;
	sha256: string;
}

/** Media up to this size are kept; of larger ones only size and SHA-256. */
export const KEEP_BYTES = 32 * 1024 * 1024;

/** The most bytes kept for all media together. */
const keepAltogether = 512 * 1024 * 1024;

const extensions: Record<string, string> = {
	'image/jpeg': 'jpg',
	'image/png': 'png',
	'image/webp': 'webp',
	'audio/ogg': 'ogg',
	'audio/mpeg': 'mp3',
	'video/mp4': 'mp4',
	'application/pdf': 'pdf',
	'text/plain': 'txt',
};

/** The part of a mimetype that says what it is. */
export const plainType = (mimetype: string): string => mimetype.split(';')[0]?.trim() ?? '';

const safeName = (name: string): string =>
	name
		.replace(/[^\p{L}\p{M}\p{N} ._()-]/gu, '_')
		.replace(/\.{2,}/g, '.')
		.replace(/^\.+/, '');

/** The account's media. */
export function createMediaStore() {
	const media = new Map<string, StoredMedia>();
	let kept = 0;
	const put = (stored: StoredMedia): StoredMedia => {
		media.set(stored.filename, stored);
		return stored;
	};
	const add = ({
		filename,
		bytes,
		...file
	}: Omit<StoredMedia, 'filename' | 'synthetic'> & { filename?: string }): StoredMedia => {
		const keep = bytes !== null && kept + bytes.length <= keepAltogether;
		if (keep) kept += bytes.length;
		const given = safeName(filename ?? `file.${extensions[plainType(file.mimetype)] ?? 'bin'}`);
		return put({ ...file, filename: `${media.size + 1}-${given}`, bytes: keep ? bytes : null });
	};
	return {
		add,
		addBytes: (file: { filename?: string; mimetype: string }, bytes: Buffer) =>
			add({
				...file,
				size: bytes.length,
				sha256: sha256(bytes),
				bytes: bytes.length <= KEEP_BYTES ? bytes : null,
			}),
		addSynthetic: (size: number, mimetype: string) => {
			const filename = `synthetic-${size}.bin`;
			return put({ filename, mimetype, size, sha256: null, bytes: null, synthetic: true });
		},
		find: (filename: string) => media.get(filename),
	};
}

/** Lower-case hex SHA-256. */
export const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

const block = Buffer.alloc(64 * 1024, 'synthetic media ');

function* syntheticBlocks(size: number): Generator<Buffer> {
	for (let left = size; left > 0; left -= block.length) {
		yield left >= block.length ? block : block.subarray(0, left);
	}
}

/** The medium's bytes, or undefined when they were not kept. */
export function openMedia(stored: StoredMedia): Readable | undefined {
	if (stored.synthetic) return Readable.from(syntheticBlocks(stored.size), { objectMode: false });
	return stored.bytes ? Readable.from([stored.bytes], { objectMode: false }) : undefined;
}
