import { Readable } from 'node:stream';
import type { IBinaryData } from 'n8n-workflow';

import { ApiError } from '../../../nodes/MessagingChannel/api/errors';
import { downloadedItem, fileOf } from '../../../nodes/MessagingChannel/operation/binary';
import { contextOf, withFiles } from './context';

const inMemory: IBinaryData = {
	data: Buffer.from('PNG!').toString('base64'),
	mimeType: 'image/png',
	fileName: 'cat.png',
};

describe('a file of an item', () => {
	test('in memory is there with its name, type, size and bytes', async () => {
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

	test('without a name gets one', () => {
		const nameless = { ...inMemory, fileName: undefined };
		const context = contextOf({ getInputData: () => [withFiles({ data: nameless })] });
		expect(fileOf(context, 0, 'data').filename).toBe('file');
	});

	test('that is not there is refused, and those that are there are named', () => {
		const context = contextOf({ getInputData: () => [withFiles({ photo: inMemory, invoice: inMemory })] });
		expect(() => fileOf(context, 0, 'data')).toThrow(
			expect.objectContaining({
				problem: "names 'data', but the input item has no file there",
				advice: 'The item has a file in: photo, invoice.',
				displayName: 'Input Binary Field',
			}) as Error,
		);
	});

	test('of an item without files is refused with advice', () => {
		const context = contextOf({ getInputData: () => [{ json: {} }] });
		expect(() => fileOf(context, 0, 'data')).toThrow(
			expect.objectContaining({
				advice: expect.stringContaining('Put a node before this one') as string,
			}) as Error,
		);
	});
});

describe('a downloaded file', () => {
	const download = async (headers: Record<string, unknown>) => {
		const context = contextOf({
			helpers: {
				prepareBinaryData: async (_: unknown, fileName: string, mimeType: string) =>
					await Promise.resolve({ fileName, mimeType, data: '', bytes: 4 }),
			},
		});
		return await downloadedItem(
			context,
			{ stream: Readable.from([]), headers, broken: () => undefined },
			'photo',
		);
	};

	test('that broke off is told as such, and one that cannot be kept as it is', async () => {
		const full = new Error('ENOSPC: no space left');
		const context = contextOf({
			helpers: { prepareBinaryData: async () => await Promise.reject(full) },
		});
		const error = new ApiError({
			message: 'It broke',
			description: '',
			code: 'network_error',
			httpStatus: null,
		});
		const file = { stream: Readable.from([]), headers: {} };

		await expect(downloadedItem(context, { ...file, broken: () => error }, 'photo')).rejects.toBe(error);
		await expect(downloadedItem(context, { ...file, broken: () => undefined }, 'photo')).rejects.toBe(full);
	});

	test.each([
		['attachment; filename="cat.png"', 'cat.png'],
		['attachment; filename=cat.png', 'cat.png'],
		['attachment; filename=cat.png ; size=4', 'cat.png'],
		['inline; filename="a cat; two.png"; size=4', 'a cat; two.png'],
		['attachment; filename="cat.png"; filename*=UTF-8\'\'%C3%A7ay%20%E7%8C%AB.png', 'çay 猫.png'],
		["attachment; filename*=utf-8''cat.png", 'cat.png'],
		["attachment; filename*=UTF-8''%E0%A4%A", '%E0%A4%A'],
		['attachment; filename="../../etc/passwd"', 'passwd'],
		['attachment; filename="C:\\\\temp\\\\cat.png"', 'cat.png'],
		["attachment; filename*=UTF-8''..%2F..%2Fcat.png", 'cat.png'],
		['attachment; filename=""', 'file'],
		['attachment', 'file'],
		[undefined, 'file'],
	])('%s: the file is called %s', async (header, expected) => {
		const { json } = await download({ 'content-disposition': header });
		expect(json.filename).toBe(expected);
	});

	test.each([
		['image/png', 'image/png'],
		['text/plain; charset=utf-8', 'text/plain'],
		['text/plain ; charset=utf-8', 'text/plain'],
		['', 'application/octet-stream'],
		[undefined, 'application/octet-stream'],
	])('of type %s is %s', async (header, expected) => {
		expect((await download({ 'content-type': header })).json.mimetype).toBe(expected);
	});

	test('is in the field that the user named, and described beside it', async () => {
		const item = await download({ 'content-type': 'image/png', 'content-disposition': 'filename="cat.png"' });
		expect(item.json).toEqual({ filename: 'cat.png', mimetype: 'image/png', size: 4 });
		expect(Object.keys(item.binary ?? {})).toEqual(['photo']);
	});
});
