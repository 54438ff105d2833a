import type { FilePart } from './apiRequest';
import { streamOf, type ByteStream } from './byteStream';
import { ApiError } from './errors';

/** A body of multipart form data. */
export interface Multipart {
	headers: { 'content-type': string; 'content-length': number };
	body: Buffer | ByteStream;
	/** Closes the file. Otherwise, a file that was not read to its end stays open. */
	close: () => void;
	/** The error of the file, when the body ended early because of it. */
	fileError: () => ApiError | undefined;
}

/**
 * Builds multipart form data from the fields and the file (API spec, "Media"). A file that n8n does not hold in memory is
 * streamed.
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
		`${partHead(boundary, 'file')}; filename="${escapeName(file.filename)}"\r\nContent-Type: ${file.mimetype}\r\n\r\n`,
	].join('');
	const tail = `\r\n--${boundary}--\r\n`;
	const size = await file.size();
	const content = await file.open();
	const isInMemory = Buffer.isBuffer(content);
	let fileError: ApiError | undefined;
	const setFileError = () => (fileError = unreadableFileError());
	if (!isInMemory) content.once('error', setFileError);
	return {
		headers: {
			'content-type': `multipart/form-data; boundary=${boundary}`,
			'content-length': Buffer.byteLength(head) + size + Buffer.byteLength(tail),
		},
		body: isInMemory
			? Buffer.concat([Buffer.from(head), content, Buffer.from(tail)])
			: streamOf(withHeadAndTail(head, withSize(content, size, setFileError), tail), content),
		close: () => {
			if (!isInMemory) content.destroy();
		},
		fileError: () => fileError,
	};
}

function partHead(boundary: string, name: string): string {
	return `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"`;
}

/**
 * Encodes quotes and line breaks as browsers do, so that a name cannot end its header. Backslashes and other control
 * characters are encoded too, because common servers reject them.
 */
function escapeName(name: string): string {
	return name.replace(/["\\\p{Cc}]/gu, encodeURIComponent);
}

async function* withHeadAndTail(
	head: string,
	content: AsyncIterable<Buffer>,
	tail: string,
): AsyncGenerator<Buffer> {
	yield Buffer.from(head);
	yield* content;
	yield Buffer.from(tail);
}

/**
 * Passes the content on if it has this size. With less, the service would wait for the rest; with more, it would read the
 * surplus as the end of the form.
 *
 * @param size in bytes
 */
async function* withSize(content: ByteStream, size: number, toError: () => ApiError): AsyncGenerator<Buffer> {
	let left = size;
	for await (const chunk of content as AsyncIterable<Buffer>) {
		left -= chunk.length;
		if (left < 0) throw toError();
		yield chunk;
	}
	if (left > 0) throw toError();
}

/**
 * The error for a file to upload that n8n's binary store does not return in full. A request with an incomplete body does
 * not count as received (RFC 9112, section 8).
 */
function unreadableFileError(): ApiError {
	return new ApiError({
		message: 'n8n could not read the whole file',
		description:
			"The file was not sent. It is damaged in n8n's storage or was deleted while it was read. Run the previous nodes again.",
		code: 'storage_error',
		httpStatus: null,
		neverSent: true,
		permanent: true,
	});
}
