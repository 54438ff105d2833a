import type { BinaryHelperFunctions } from 'n8n-workflow';

/** A stream of bytes, as n8n hands it out. */
export type ByteStream = Awaited<ReturnType<BinaryHelperFunctions['getBinaryStream']>>;

/** A file to upload. */
export interface FilePart {
	filename: string;
	mimetype: string;
	/** Its length in bytes. */
	size: () => Promise<number>;
	/** The file's bytes from the beginning: as they are when they are in memory, else as a stream. */
	open: () => Promise<Buffer | ByteStream>;
}

/** A body of multipart form data. */
export interface Multipart {
	headers: { 'content-type': string; 'content-length': number };
	body: Buffer | ByteStream;
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
	const content = await file.open();
	return {
		headers: {
			'content-type': `multipart/form-data; boundary=${boundary}`,
			'content-length': Buffer.byteLength(head) + (await file.size()) + Buffer.byteLength(tail),
		},
		body: Buffer.isBuffer(content)
			? Buffer.concat([Buffer.from(head), content, Buffer.from(tail)])
			: around(head, content, tail),
	};
}

function partHead(boundary: string, name: string): string {
	return `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"`;
}

/** As browsers write names in a form, so that none can break out of its quotes. */
function quoted(name: string): string {
	return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function around(head: string, content: ByteStream, tail: string): ByteStream {
	async function* bytes() {
		yield Buffer.from(head);
		yield* content;
		yield Buffer.from(tail);
	}
	// Community nodes may not import 'stream'; the class of the stream at hand is the same.
	const { from } = content.constructor as unknown as {
		from: (source: AsyncIterable<Buffer>) => ByteStream;
	};
	return from(bytes());
}
