import { readdirSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { IBinaryData } from 'n8n-workflow';

import { close, listen } from '../support/localServer';
import { eventually } from '../support/poll';
import { useBinaryStore } from '../support/engine/binaryStore';
import { person, useEngine } from '../support/engine/engine';
import type { RunOptions } from '../support/engine/run';
import { byPhone } from '../support/operations/parameters';

const engine = useEngine();
const store = useBinaryStore();

const to = byPhone(person(1));
const upload = (file: IBinaryData, more: Partial<RunOptions> = {}): RunOptions => ({
	operation: 'media:sendImage',
	items: [{}],
	binary: { data: file },
	parameters: { to },
	...more,
});

describe('of 100 uploads that fail, none leaves a file open:', () => {
	const servers: Server[] = [];
	const sockets = new Set<Socket>();

	/** Where each connection ends so. */
	const serverThat = async (answers: (socket: Socket) => void): Promise<string> => {
		const server = createServer((socket) => {
			sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => {}));
			socket.once('data', () => answers(socket));
		});
		servers.push(server);
		return await listen(server);
	};
	const closed = async () => {
		for (const socket of sockets) socket.destroy();
		await Promise.all(servers.splice(0).map(close));
	};
	afterEach(closed);

	const openFiles = () => readdirSync('/dev/fd').length;

	const nowhere = async () => {
		const baseUrl = await serverThat(() => {});
		await closed();
		return baseUrl;
	};
	const resetting = async () => await serverThat((socket) => socket.resetAndDestroy());
	const refusing = async () =>
		await serverThat((socket) => socket.end('HTTP/1.1 429 Too Many Requests\r\nContent-Length: 2\r\n\r\n{}'));

	test.each([
		['refused', nowhere, 'network_error', 2],
		['reset', resetting, 'network_error', 1],
		['early 429', refusing, 'rate_limit_exceeded', 2],
	])('%s', async (_, begin, code, tries) => {
		const baseUrl = await begin();
		// More than a socket takes at once.
		const file = await store.keep(Buffer.alloc(4 * 1024 * 1024));
		const before = openFiles();

		const { output } = await engine.run(
			upload(file, {
				items: Array.from({ length: 100 / tries }, () => ({})),
				options: { maxAttempts: 2 },
				node: { onError: 'continueRegularOutput' },
				credential: { baseUrl, apiKey: 'key' },
			}),
		);

		expect(output.map(({ json }) => json.code)).toEqual(output.map(() => code));
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(output.map((__, item) => ({ item })));
		await closed();
		await eventually(openFiles, (now) => now <= before);
		expect(store.opened.splice(0)).toHaveLength(100);
	});
});

const photo = { data: 'aGVsbG8gaW1hZ2U=', mimeType: 'image/jpeg', fileName: 'photo.jpg' };

/** A file as another node may have made it. */
const odd = (file: object): IBinaryData => ({ ...photo, ...file }) as IBinaryData;

const received = async () =>
	(await engine.requests()).map(({ status, headers, multipart }) => ({
		...{ status, accept: headers.accept },
		...multipart?.file,
	}));

describe('a file is sent', () => {
	test.each([
		['with a name that stands in a folder', { fileName: '/tmp/a/çay' }, { filename: 'çay.jpg' }],
		[
			'without a name, as n8n names its type',
			{ fileName: undefined, fileExtension: 'oga', mimeType: 'audio/ogg; codecs=opus' },
			{ filename: 'file.ogg', mimetype: 'audio/ogg' },
		],
	])('%s', async (_, file, expected) => {
		const { output } = await engine.run(upload(odd(file)));

		expect(output).toEqual([{ json: expect.objectContaining({ queued: true }), pairedItem: { item: 0 } }]);
		expect(await received()).toEqual([
			expect.objectContaining({ status: 202, accept: 'application/json', size: 11, ...expected }),
		]);
	});
});

describe('a file that is not in a field of the item is sent', () => {
	test.each([
		['from an expression that names the field of the item', '={{ $binary.data }}', 'binary'],
		["from an expression, with 'Execution Logic' v2", '={{ $json._files.data }}', 'json'],
		["by its name, with 'Execution Logic' v2", 'data', 'json'],
	])('%s', async (_, binaryPropertyName, place) => {
		const file = await store.keep(Buffer.from('hello image'));
		const { output } = await engine.run({
			...upload(file),
			items: [place === 'json' ? { _files: { data: { ...file } } } : {}],
			binary: place === 'json' ? undefined : { data: file },
			parameters: { to, binaryPropertyName },
		});

		expect(output).toEqual([{ json: expect.objectContaining({ queued: true }), pairedItem: { item: 0 } }]);
		expect(await received()).toEqual([
			expect.objectContaining({ status: 202, filename: 'photo.jpg', mimetype: 'image/jpeg', size: 11 }),
		]);
	});
});

describe('a file is refused before anything is sent', () => {
	const refused = async (file: IBinaryData) => {
		const { error } = await engine.run(upload(file));
		expect(await engine.requests()).toEqual([]);
		return { message: error?.message, description: error?.description };
	};

	test('without its content', async () => {
		expect(await refused({ mimeType: 'image/jpeg', fileName: 'photo.jpg' } as IBinaryData)).toEqual({
			message: "'Input Binary Field' is 'data', but the file in that field has no content",
			description: expect.stringContaining('Check the node that created the file.'),
		});
	});

	test.each([
		[odd({ data: 'hello!' }), 'is not valid Base64', /^Check the node that created/],
		[odd({ mimeType: 'jpeg' }), "has no valid MIME type: 'jpeg'", /^Check the node/],
	])('that an expression gives, %#', async (file, problem, advice) => {
		const binaryPropertyName = '={{ $json.file }}';
		const { error } = await engine.run(
			upload(file, { items: [{ file: { ...file } }], parameters: { to, binaryPropertyName } }),
		);
		expect(await engine.requests()).toEqual([]);
		expect(error?.message).toBe(
			`'Input Binary Field' is an expression, but the file that it gives ${problem}`,
		);
		expect(error?.description).toMatch(advice);
	});

	test('when an expression gives all files of the item', async () => {
		const { error } = await engine.run(
			upload(photo, { parameters: { to, binaryPropertyName: '={{ $binary }}' } }),
		);

		expect(error).toMatchObject({
			message: "'Input Binary Field' is all files of the item, not one of them",
			description: 'Enter the name of one of their fields: data.',
		});
		expect(await engine.requests()).toEqual([]);
	});

	test('that n8n has deleted', async () => {
		const file = await store.keep(Buffer.from('hello image'));
		await store.forget(file);

		expect(await refused(file)).toEqual({
			message: "'Input Binary Field' is 'data', but n8n cannot read the file in that field",
			description: expect.stringContaining('Run the previous nodes again.'),
		});
	});
});

describe('a file is not sent, and its service is not left waiting, when the store has', () => {
	test.each([
		['nothing of it', 0],
		['more than it', 100_001],
	])('%s', async (_, length) => {
		const file = await store.keep(Buffer.alloc(100_000));
		store.resize(file, length);

		const { output } = await engine.run(upload(file, { node: { onError: 'continueRegularOutput' } }));

		expect(output).toEqual([
			{
				json: {
					error: 'n8n could not read the whole file',
					code: 'storage_error',
					httpStatus: null,
					description: expect.stringContaining('The file was not sent.'),
					to: expect.any(String),
					outcome: 'not_sent',
				},
				pairedItem: { item: 0 },
			},
		]);
		const [request, ...more] = await eventually(received, ([first]) => first !== undefined);
		expect(request).toMatchObject({ status: null });
		expect(more).toEqual([]);
	});
});
