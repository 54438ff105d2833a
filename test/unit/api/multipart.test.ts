import { Readable } from 'node:stream';
import fc from 'fast-check';
import FormData from 'form-data';

import { multipart } from '../../../nodes/MessagingChannel/api/multipart';
import type { FilePart } from '../../../nodes/MessagingChannel/api/apiRequest';

const fileOf = (content: Buffer, filename = 'cat.png', streamed = false): FilePart => ({
	filename,
	mimetype: 'image/png',
	source: 'UE5HIQ==',
	size: async () => await Promise.resolve(content.length),
	open: async () =>
		await Promise.resolve(streamed ? Readable.from([content], { objectMode: false }) : content),
});

async function bytesOf(body: Awaited<ReturnType<typeof multipart>>['body']): Promise<Buffer> {
	if (Buffer.isBuffer(body)) return body;
	const chunks: Buffer[] = [];
	for await (const chunk of body) chunks.push(Buffer.from(chunk as Uint8Array));
	return Buffer.concat(chunks);
}

test.each([
	['in memory', false],
	['streamed', true],
])('a form with a file %s is what a well-known library makes of the same parts', async (_, streamed) => {
	const content = Buffer.from('PNG!');
	const form = new FormData();
	form.setBoundary('edge');
	form.append('to', '905551234567');
	form.append('caption', 'Çay?');
	form.append('file', content, { filename: 'cat.png', contentType: 'image/png' });

	const fields = { to: '905551234567', caption: 'Çay?' };
	const { headers, body } = await multipart(fields, fileOf(content, 'cat.png', streamed), 'edge');

	expect((await bytesOf(body)).toString()).toBe(form.getBuffer().toString());
	expect(headers).toEqual({
		'content-type': 'multipart/form-data; boundary=edge',
		'content-length': form.getLengthSync(),
	});
});

test.each([
	['quotes', 'a "cat".png', 'a %22cat%22.png'],
	['line breaks', 'a\r\nX-Evil: 1\r\n.png', 'a%0D%0AX-Evil: 1%0D%0A.png'],
	['letters of any script', 'çağ 猫.png', 'çağ 猫.png'],
	['a backslash', 'a\\b.png', 'a%5Cb.png'],
	['control characters', 'a\u0000\u001f\u007f\u0085.png', 'a%00%1F%7F%C2%85.png'],
])('a file name with %s stays in its quotes', async (_, filename, expected) => {
	const { body } = await multipart({}, fileOf(Buffer.from('x'), filename), 'edge');
	expect((await bytesOf(body)).toString('utf8').split('\r\n')[1]).toBe(
		`Content-Disposition: form-data; name="file"; filename="${expected}"`,
	);
});

test('the length announced is the length sent, whatever is in it', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.dictionary(fc.string(), fc.string({ unit: 'grapheme' })),
			fc.uint8Array({ maxLength: 2000 }),
			fc.string({ unit: 'grapheme' }),
			fc.boolean(),
			async (fields, content, filename, streamed) => {
				const file = fileOf(Buffer.from(content), filename, streamed);
				const { headers, body } = await multipart(fields, file, 'edge');
				const bytes = await bytesOf(body);
				expect(headers['content-length']).toBe(bytes.length);
				expect(bytes.includes(Buffer.from(content))).toBe(true);
			},
		),
	);
});

test('a large file is passed on in pieces', async () => {
	const piece = Buffer.alloc(64 * 1024);
	let opened = 0;
	const pieces = Readable.from(
		(function* () {
			for (let count = 0; count < 100; count++) {
				opened++;
				yield piece;
			}
		})(),
		{ objectMode: false },
	);
	const { body } = await multipart(
		{},
		{
			...fileOf(piece),
			source: 'UE5HIQ==',
			size: async () => await Promise.resolve(6_553_600),
			open: async () => await Promise.resolve(pieces),
		},
		'edge',
	);

	if (Buffer.isBuffer(body)) throw new Error('It was read into memory.');
	await body[Symbol.asyncIterator]().next();
	expect(opened).toBeLessThan(20);
});

test.each([
	['breaks off', Readable.from([Buffer.from('PN')], { objectMode: false })],
	['is too long', Readable.from([Buffer.from('PNG'), Buffer.from('!!')], { objectMode: false })],
	[
		'cannot be read',
		new Readable({
			read: function () {
				this.destroy(new Error('EIO: i/o error, read'));
			},
		}),
	],
])('a file that %s is told apart from a connection that does', async (_, content) => {
	const { body, fileError } = await multipart(
		{},
		{ ...fileOf(Buffer.from('PNG!')), open: async () => await Promise.resolve(content) },
		'edge',
	);

	expect(fileError()).toBeUndefined();
	await expect(bytesOf(body)).rejects.toThrow();
	expect(fileError()).toMatchObject({
		message: 'n8n could not read the whole file',
		description:
			"The file was not sent. It is damaged in n8n's storage or was deleted while it was read. Run the previous nodes again.",
		code: 'storage_error',
		neverSent: true,
		permanent: true,
		ambiguous: false,
	});
});

test('a file that nobody wants any more is not at fault', async () => {
	const content = Readable.from([Buffer.from('PNG!')], { objectMode: false });
	const { body, close, fileError } = await multipart(
		{},
		{ ...fileOf(Buffer.from('PNG!')), open: async () => await Promise.resolve(content) },
		'edge',
	);

	const reading = bytesOf(body).catch(() => undefined);
	close();
	await reading;
	expect(fileError()).toBeUndefined();
});
