import type { FilePart } from './apiRequest';
import { streamOf, type ByteStream } from './byteStream';
import { errorOfUnreadableFile, type ApiError } from './errors';

/** A body of multipart form data. */
export interface Multipart {
	headers: { 'content-type': string; 'content-length': number };
	body: Buffer | ByteStream;
	/** Closes the file. Without it, a file that was not read to its end stays open. */
	close: () => void;
	/** Why the body broke off, if the file was to blame. */
	fault: () => ApiError | undefined;
}

/**
 * The fields and then the file as multipart form data (API spec, "Media"). A file that n8n keeps outside the memory
 * passes through it in pieces.
 *
 * @param boundary separates the parts; must not occur in them
 */
export async function multipart(
	fields: Record<string, unknown>,
	file: FilePart,
	boundary: string,
): Promise<Multipart> {
	const head = [
		...Object.entries(fields).map(
			([name, value]) => `${partHead(boundary, name)}\r\n\r\n${String(value)}\r\n`,
		),
		`${partHead(boundary, 'file')}; filename="${quoted(file.filename)}"\r\nContent-Type: ${file.mimetype}\r\n\r\n`,
	].join('');
	const tail = `\r\n--${boundary}--\r\n`;
	const size = await file.size();
	const content = await file.open();
	const isInMemory = Buffer.isBuffer(content);
	let fault: ApiError | undefined;
	const spoil = () => (fault = errorOfUnreadableFile());
	if (!isInMemory) content.once('error', spoil);
	return {
		headers: {
			'content-type': `multipart/form-data; boundary=${boundary}`,
			'content-length': Buffer.byteLength(head) + size + Buffer.byteLength(tail),
		},
		body: isInMemory
			? Buffer.concat([Buffer.from(head), content, Buffer.from(tail)])
			: streamOf(around(head, sized(content, size, spoil), tail), content),
		close: () => {
			if (!isInMemory) content.destroy();
		},
		fault: () => fault,
	};
}

function partHead(boundary: string, name: string): string {
	return `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"`;
}

/**
 * Quotes and line breaks are encoded as browsers do it, so that no name can break out. So are backslashes and all other
 * control characters, which common receivers refuse.
 */
function quoted(name: string): string {
	return name.replace(/["\\\p{Cc}]/gu, encodeURIComponent);
}

async function* around(head: string, content: AsyncIterable<Buffer>, tail: string): AsyncGenerator<Buffer> {
	yield Buffer.from(head);
	yield* content;
	yield Buffer.from(tail);
}

/** The content, if it has its size: the service would wait for what is missing, and take what is too much for the tail. */
async function* sized(content: ByteStream, size: number, errorOf: () => ApiError): AsyncGenerator<Buffer> {
	let left = size;
	for await (const chunk of content as AsyncIterable<Buffer>) {
		left -= chunk.length;
		if (left < 0) throw errorOf();
		yield chunk;
	}
	if (left > 0) throw errorOf();
}
