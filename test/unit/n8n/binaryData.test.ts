import { Readable } from 'node:stream';
import type { BinaryHelperFunctions, IBinaryData, INodeExecutionData } from 'n8n-workflow';

import type { Download } from '../../../nodes/MessagingChannel/api/download';
import { downloadedItem, fileOf } from '../../../nodes/MessagingChannel/n8n/binaryData';

/** n8n's helpers, of which any other use fails the test. */
const helpersWith = (parts: Partial<BinaryHelperFunctions> = {}) => parts as BinaryHelperFunctions;

const withFiles = (binary: Record<string, IBinaryData>): INodeExecutionData => ({ json: {}, binary });

const inMemory: IBinaryData = {
	data: Buffer.from('PNG!').toString('base64'),
	mimeType: 'image/png',
	fileName: 'cat.png',
};

describe('a file of an item', () => {
	test('in memory has its name, type, size and bytes', async () => {
		const item = withFiles({ data: inMemory });
		const file = fileOf(helpersWith(), item, 'data');
		expect(file).toMatchObject({ filename: 'cat.png', mimetype: 'image/png' });
		expect(await file.size()).toBe(4);
		expect((await file.open()).toString()).toBe('PNG!');
	});

	test('in the binary store is opened as a stream, and only when it is sent', async () => {
		const stream = Readable.from([Buffer.from('PNG!')]);
		const opened: string[] = [];
		const item = withFiles({ data: { ...inMemory, data: 'filesystem-v2', id: 'filesystem-v2:1' } });
		const helpers = helpersWith({
			getBinaryMetadata: async () => await Promise.resolve({ fileSize: 4 }),
			getBinaryStream: async (id: string) => {
				opened.push(id);
				return await Promise.resolve(stream);
			},
		});
		const file = fileOf(helpers, item, 'data');
		expect(await file.size()).toBe(4);
		expect(opened).toEqual([]);
		expect(await file.open()).toBe(stream);
		expect(opened).toEqual(['filesystem-v2:1']);
	});

	test("is found by its field, whose name only contains the path of 'Execution Logic' v2", () => {
		const item = withFiles({ 'old_files.data': inMemory });
		expect(fileOf(helpersWith(), item, 'old_files.data').filename).toBe('cat.png');
	});

	test("is recognised after n8n has moved it out of the execution's folder", () => {
		const id = 'filesystem-v2:workflows/1/executions/temp/binary_data/4f1c';
		const stored = { ...inMemory, data: 'filesystem-v2', id };
		const item = withFiles({ data: stored });
		expect(fileOf(helpersWith(), item, 'data').source).toBe('4f1c');
	});

	const missing = "is 'data', but the input item has no file in that field";

	test.each<[string, INodeExecutionData | undefined, string, RegExp]>([
		['where n8n has no input item', undefined, missing, /^Add a node before this one/],
		// Most nodes pass on no file, so an earlier one may have it.
		[
			'of an item without files',
			{ json: {} },
			missing,
			/^Add a node before this one .*\. For a file of an earlier node, use an expression such as/,
		],
		[
			'of an item with others',
			withFiles({ photo: inMemory, invoice: inMemory }),
			missing,
			/^The item has files in these fields: photo, invoice\.$/,
		],
		[
			'that is empty in the binary store',
			withFiles({ data: { ...inMemory, data: 'filesystem-v2', id: 'filesystem-v2:1', bytes: 0 } }),
			"is 'data', but the file in that field has no content",
			/^Check the node that created the file\./,
		],
	])('%s is refused', (_, item, problem, advice) => {
		expect(() => fileOf(helpersWith(), item, 'data')).toThrow(
			expect.objectContaining({
				problem,
				description: expect.stringMatching(advice) as string,
				displayName: 'Input Binary Field',
			}),
		);
	});
});

describe('a downloaded file', () => {
	const download = async (
		file: Omit<Download, 'stream'>,
		stored: object = { data: '', bytes: 4 },
		media?: object,
	) => {
		const helpers = helpersWith({
			prepareBinaryData: async (_, fileName, mimeType) =>
				await Promise.resolve({ fileName, mimeType, ...stored } as IBinaryData),
		});
		return await downloadedItem({ helpers }, { stream: Readable.from([]), ...file }, 'photo', { ...media });
	};

	test('is in the field that the user named, and described beside it', async () => {
		const item = await download({ filename: 'cat.png', mimetype: 'image/png' });
		expect(item.json).toEqual({ filename: 'cat.png', mimetype: 'image/png', size: 4 });
		expect(Object.keys(item.binary ?? {})).toEqual(['photo']);
	});

	test('in memory of n8n 1.x, which stores no size in bytes, has the size of its content', async () => {
		expect((await download({}, { data: inMemory.data })).json.size).toBe(4);
	});

	test('that n8n could not store fails with the reason and advice', async () => {
		const prepareBinaryData = async () => await Promise.reject(new Error('ENOSPC: no space left on device'));
		const helpers = helpersWith({ prepareBinaryData });
		await expect(downloadedItem({ helpers }, { stream: Readable.from([]) }, 'data')).rejects.toMatchObject({
			message: 'n8n could not store the file',
			description:
				"Ask your n8n administrator whether n8n's storage for binary data is full or cannot be written (ENOSPC: no space left on device).",
			code: 'storage_error',
		});
	});

	test.each<[string, Omit<Download, 'stream'>, object, object]>([
		['that of the response', { filename: 'a.png' }, { filename: 'b.png' }, { filename: 'a.png' }],
		['that of the message', {}, { filename: '1-b.png' }, { filename: '1-b.png', mimetype: 'image/png' }],
		['a number', {}, { filename: 7, mimetype: 'image/png' }, { filename: '7.png' }],
		[
			'made of the type',
			{ mimetype: 'application/octet-stream' },
			{ filename: null, mimetype: 'audio/ogg; codecs=opus' },
			{ filename: 'file.ogg', mimetype: 'audio/ogg' },
		],
		['a default', {}, { filename: {}, mimetype: {} }, { filename: 'file' }],
	])('has a name: %s', async (_, file, media, expected) => {
		expect((await download(file, undefined, media)).json).toMatchObject(expected);
	});
});
