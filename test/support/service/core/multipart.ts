import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { posix } from 'node:path';
import busboy from 'busboy';

import { invalid } from './apiError';
import { KEEP_BYTES, type FileRecord } from './mediaStore';

/** A form as it arrived. */
export interface Form {
	fields: Record<string, string>;
	file?: FileRecord & { bytes: Buffer | null };
}

/**
 * Reads a multipart form as a stream: the file is hashed as it passes and its bytes are only kept up to
 * `KEEP_BYTES`, so that an upload of any size takes little memory.
 */
export function readForm(request: IncomingMessage): Promise<Form> {
	return new Promise((resolve, reject) => {
		const form: Form = { fields: {} };
		let problem: string | undefined;
		// With `preservePath`, a name is seen as it came.
		const parser = busboy({ headers: request.headers, defParamCharset: 'utf8', preservePath: true });

		parser.on('field', (name, value) => {
			if (name in form.fields) problem ??= `The field ${name} is given twice.`;
			form.fields[name] = value;
		});
		parser.on('file', (name, stream, { filename, mimeType }) => {
			if (name !== 'file') problem ??= `Unknown field ${name}: the file belongs in the field file.`;
			else if (form.file) problem ??= 'The field file is given twice.';
			// As common receivers have it.
			if (/[\\\p{Cc}]/u.test(filename ?? ''))
				problem ??= 'The file name has a character in it that no name may have.';
			const hash = createHash('sha256');
			let kept: Buffer[] | null = [];
			let size = 0;
			// The parser tells of it, too.
			stream.on('error', () => {});
			stream.on('data', (chunk: Buffer) => {
				hash.update(chunk);
				size += chunk.length;
				if (size > KEEP_BYTES) kept = null;
				kept?.push(chunk);
			});
			stream.on('end', () => {
				const bytes = kept && Buffer.concat(kept);
				form.file ??= {
					filename: posix.basename(filename ?? '') || 'file',
					mimetype: mimeType,
					size,
					sha256: hash.digest('hex'),
					bytes,
				};
			});
		});
		parser.on('error', (error: Error) => {
			request.unpipe(parser);
			request.resume();
			reject(invalid(`The form cannot be read: ${error.message}.`));
		});
		parser.on('close', () => (problem === undefined ? resolve(form) : reject(invalid(problem))));
		request.on('close', () => {
			if (!request.complete) parser.destroy(new Error('the upload was cut off'));
		});
		request.pipe(parser);
	});
}
