import { Readable } from 'node:stream';
import type { IBinaryData } from 'n8n-workflow';

import type { Download } from '../../../nodes/MessagingChannel/api/download';
import { downloadedItem, fileOf } from '../../../nodes/MessagingChannel/n8n/binaryData';
import { contextOf, withFiles } from '../execution/context';

const inMemory: IBinaryData = {
	data: Buffer.from('PNG!').toString('base64'),
	mimeType: 'image/png',
	fileName: 'cat.png',
};

describe('a file of an item', () => {
	test('in memory has its name, type, size and bytes', async () => {
		const context = contextOf({ getInputData: () => [withFiles({ data: inMemory })] });
		const file = fileOf(context, 0, 'data');
		expect(file).toMatchObject({ filename: 'cat.png', mimetype: 'image/png' });
		expect(await file.size()).toBe(4);
		expect((await file.open()).toString()).toBe('PNG!');
	});

	test('in the binary store is opened as a stream, and only when it is sent', async () => {
		const stream = Readable.from([Buffer.from('PNG!')]);
		const opened: string[] = [];
		const context = contextOf({
			getInputData: () => [
				withFiles({ data: { ...inMemory, data: 'filesystem-v2', id: 'filesystem-v2:1' } }),
			],
			helpers: {
				getBinaryMetadata: async () => await Promise.resolve({ fileSize: 4 }),
				getBinaryStream: async (id: string) => {
					opened.push(id);
					return await Promise.resolve(stream);
				},
			},
		});
		const file = fileOf(context, 0, 'data');
		expect(await file.size()).toBe(4);
		expect(opened).toEqual([]);
		expect(await file.open()).toBe(stream);
		expect(opened).toEqual(['filesystem-v2:1']);
	});

	test("is found by its field, whose name only contains the path of 'Execution Logic' v2", () => {
		const context = contextOf({ getInputData: () => [withFiles({ 'old_files.data': inMemory })] });
		expect(fileOf(context, 0, 'old_files.data').filename).toBe('cat.png');
	});

	test("is recognised after n8n has moved it out of the execution's folder", () => {
		const id = 'filesystem-v2:workflows/1/executions/temp/binary_data/4f1c';
		const stored = { ...inMemory, data: 'filesystem-v2', id };
		const context = contextOf({ getInputData: () => [withFiles({ data: stored })] });
		expect(fileOf(context, 0, 'data').source).toBe('4f1c');
	});

	test('is missing where n8n has no input item', () => {
		expect(() => fileOf(contextOf({ getInputData: () => [] }), 0, 'data')).toThrow(
			"'Input Binary Field' is 'data', but the input item has no file in that field",
		);
	});

	test('that is missing is refused, and the existing ones are named', () => {
		const context = contextOf({ getInputData: () => [withFiles({ photo: inMemory, invoice: inMemory })] });
		expect(() => fileOf(context, 0, 'data')).toThrow(
			expect.objectContaining({
				problem: "is 'data', but the input item has no file in that field",
				description: 'The item has files in these fields: photo, invoice.',
				displayName: 'Input Binary Field',
			}) as Error,
		);
	});

	test('that is empty in the binary store is refused', () => {
		const empty = { ...inMemory, data: 'filesystem-v2', id: 'filesystem-v2:1', bytes: 0 };
		const context = contextOf({ getInputData: () => [withFiles({ data: empty })] });
		expect(() => fileOf(context, 0, 'data')).toThrow('the file in that field has no content');
	});

	test('of an item without files is refused with advice', () => {
		const context = contextOf({ getInputData: () => [{ json: {} }] });
		expect(() => fileOf(context, 0, 'data')).toThrow(
			expect.objectContaining({
				// Most nodes pass on no file, so an earlier one may have it.
				description: expect.stringMatching(
					/^Add a node before this one .*\. For a file of an earlier node, use an expression such as/,
				) as string,
			}) as Error,
		);
	});
});

describe('a downloaded file', () => {
	const download = async (
		file: Omit<Download, 'stream'>,
		stored: object = { data: '', bytes: 4 },
		media?: object,
	) => {
		const context = contextOf({
			helpers: {
				prepareBinaryData: async (_: unknown, fileName: string, mimeType: string) =>
					await Promise.resolve({ fileName, mimeType, ...stored }),
			},
		});
		return await downloadedItem(context, { stream: Readable.from([]), ...file }, 'photo', { ...media });
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
		const context = contextOf({ helpers: { prepareBinaryData } });
		await expect(downloadedItem(context, { stream: Readable.from([]) }, 'data')).rejects.toMatchObject({
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
