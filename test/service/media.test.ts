import { createHash, randomBytes } from 'node:crypto';

import { callerOf, useService } from '../support/service/testing';

const service = useService();
const call = callerOf(() => service);
const to = '905551112233';

beforeEach(async () => {
	await service.control.setSendDelay({ minMs: 0, maxMs: 0 });
});

const authorization = () => ({ authorization: `Bearer ${service.apiKey}` });
const get = (path: string) => fetch(service.baseUrl + path, { headers: authorization() });
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function upload(endpoint: string, fields: Record<string, string | Blob>) {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) {
		if (typeof value === 'string') form.append(name, value);
		else form.append(name, value, 'çay saati.bin');
	}
	const url = `${service.baseUrl}/messages/${endpoint}`;
	const response = await fetch(url, { method: 'POST', headers: authorization(), body: form });
	return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function sentMedia() {
	await service.control.idle();
	const [message] = await service.control.messages({ chatId: to });
	if (!message?.media) throw new Error('No medium was sent.');
	return { message, media: message.media };
}

test('an uploaded file is hashed, recorded, put in the chat and served again', async () => {
	await service.control.configure({ namesFiles: true });
	const bytes = randomBytes(300_000);
	const file = new Blob([bytes], { type: 'application/x-thing' });
	const answer = await upload('send-document', { to, caption: 'see', file });
	expect(answer).toEqual({ status: 202, body: { success: true, queued: true, job_id: 'job-1' } });
	const [request] = await service.control.requests({ operationId: 'media.sendDocument' });
	expect(request?.multipart).toEqual({
		fields: { to, caption: 'see' },
		file: {
			filename: 'çay saati.bin',
			mimetype: 'application/x-thing',
			size: bytes.length,
			sha256: hash(bytes),
		},
	});
	const { message, media } = await sentMedia();
	expect(message).toMatchObject({ body: 'see', type: 'document', has_media: true });

	const inline = await get(`/messages/${encodeURIComponent(message.id)}/media`);
	expect(inline.headers.get('content-type')).toBe('application/x-thing');
	expect(inline.headers.get('content-disposition')).toMatch(/^inline; /);
	expect(hash(await bytesOf(inline))).toBe(hash(bytes));

	const attached = await get(`/media/${encodeURIComponent(media.filename)}?download=true`);
	expect(attached.headers.get('content-disposition')).toContain('attachment; filename=');
	expect(attached.headers.get('content-disposition')).toContain('%C3%A7ay%20saati.bin');
	expect(hash(await bytesOf(attached))).toBe(hash(bytes));

	const { body } = await call('GET', `/messages/${encodeURIComponent(message.id)}/media?format=json`);
	expect(body.data).toMatchObject({ message_id: message.id, size: bytes.length });
	const { download_url } = body.data as { download_url: string };
	const linked = await fetch(download_url);
	expect(hash(await bytesOf(linked))).toBe(hash(bytes));
	expect(linked.headers.get('content-security-policy')).toBe('sandbox');
});

test('without the habit, only an attachment is marked, and without its name', async () => {
	await upload('send-image', { to, file: new Blob(['a'], { type: 'image/png' }) });
	const { message, media } = await sentMedia();
	const dispositionOf = async (path: string) => (await get(path)).headers.get('content-disposition');
	const ofMessage = `/messages/${encodeURIComponent(message.id)}/media`;
	const ofFile = `/media/${encodeURIComponent(media.filename)}`;
	expect(await Promise.all([ofMessage, `${ofMessage}?download=true`, ofFile].map(dispositionOf))).toEqual([
		null,
		null,
		null,
	]);
	expect(await dispositionOf(`${ofFile}?download=true`)).toBe('attachment');
});

test('of a file above the cap only size and hash are kept', async () => {
	await service.control.configure({ keepMediaBytes: 1000 });
	const bytes = randomBytes(2000);
	await upload('send-image', { to, file: new Blob([bytes], { type: 'image/png' }) });
	const { media } = await sentMedia();
	expect(media.size).toBe(2000);
	expect((await get(`/media/${encodeURIComponent(media.filename)}`)).status).toBe(404);
});

test.each([
	['a flag', { to, file: new Blob(['a']), as_voice: 'true' }, 'as_voice'],
	['no file', { to, caption: 'a' }, 'file'],
	['no recipient', { file: new Blob(['a']) }, 'to'],
	['the file in another field', { to, document: new Blob(['a']) }, 'document'],
])('a form with %s is refused', async (_name, fields, field) => {
	const answer = await upload('send-media', fields as Record<string, string | Blob>);
	expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } });
	expect(answer.body.message).toContain(field);
});

test.each(['a\\b.png', 'a\tb.png'])(
	'a form with the file name %j is refused, as by common receivers',
	async (name) => {
		const body = [
			'--edge\r\nContent-Disposition: form-data; name="to"',
			to,
			`--edge\r\nContent-Disposition: form-data; name="file"; filename="${name}"`,
			'x\r\n--edge--\r\n',
		];
		const response = await fetch(`${service.baseUrl}/messages/send-media`, {
			method: 'POST',
			headers: { ...authorization(), 'content-type': 'multipart/form-data; boundary=edge' },
			body: `${body[0]}\r\n\r\n${body[1]}\r\n${body[2]}\r\n\r\n${body[3]}`,
		});
		expect(response.status).toBe(400);
		expect(await response.json()).toMatchObject({ error: 'validation_error' });
	},
);

test('base64 needs its mimetype, must be base64, and excludes a URL', async () => {
	const media_data = Buffer.from('OggS').toString('base64');
	const mimetype = 'audio/ogg; codecs=opus';
	const refused = [
		{ media_data },
		{ media_data: '%%%', mimetype },
		{ media_data, mimetype, media_url: 'http://a.example/' },
		{},
	];
	for (const body of refused) {
		expect((await call('POST', '/messages/send-voice', { to, ...body })).status).toBe(400);
	}
	expect((await call('POST', '/messages/send-voice', { to, media_data, mimetype })).status).toBe(202);
	const { message } = await sentMedia();
	expect(message).toMatchObject({ type: 'voice', raw_type: 'ptt', media: { mimetype, size: 4 } });
});

test('a URL on this machine is fetched', async () => {
	const source = `${service.origin}/links/none`;
	expect((await call('POST', '/messages/send-media', { to, media_url: source })).status).toBe(202);
	await service.control.incomingMessage({
		from: '905550000001',
		media: { mimetype: 'image/png', base64: 'aGVsbG8=' },
	});
	const { body } = await call('GET', '/chats/905550000001@c.us/messages');
	const [{ media }] = body.data as [{ media: { presigned_url: string } }];
	await service.control.idle();
	await call('POST', '/messages/send-media', { to, media_url: media.presigned_url });
	expect((await sentMedia()).message).toMatchObject({ type: 'image', media: { size: 5 } });
});

test('a generated file has the size its name says', async () => {
	const response = await get('/media/synthetic-3000000.bin');
	expect(response.headers.get('content-length')).toBe('3000000');
	expect((await bytesOf(response)).length).toBe(3_000_000);
});
