import { Readable } from 'node:stream';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { withMedia } from '../../../nodes/MessagingChannel/trigger/withMedia';
import { triggerRunOf } from '../../../nodes/MessagingChannel/trigger/delivery/trigger';
import { newNode } from './runOf';

/** The files of the account, by message ID. */
const FILES: Record<string, string> = { cat: 'Meow', dog: 'Woof' };

const message = (id: string, more: IDataObject = {}): IDataObject => ({
	id,
	has_media: true,
	media: { filename: 'a.png' },
	...more,
});
const item = (content: IDataObject, more: IDataObject = {}): INodeExecutionData => ({
	json: { event: 'message.received', event_id: `event ${String(content.id)}`, message: content, ...more },
});
const chatItem = (...messages: IDataObject[]): INodeExecutionData => ({
	json: { text: '', messages, event_ids: messages.map(({ id }) => `event ${String(id)}`) },
});
const file = (data: string) => ({ data, fileName: 'a.png', mimeType: 'image/png' });
const GONE = {
	error: expect.any(String),
	code: expect.any(String),
	httpStatus: 404,
	description: expect.any(String),
};

/** Downloads the files of the items. Resolves to the items, and what the service was asked for. */
async function downloaded(
	items: INodeExecutionData[],
	isWanted: (item: INodeExecutionData) => boolean = () => true,
) {
	let [running, most] = [0, 0];
	const { runOf, requests } = newNode({
		respond: async (path) => {
			most = Math.max(most, ++running);
			await new Promise(setImmediate);
			running--;
			const content = FILES[path.split('/').at(-2) ?? ''];
			if (content === undefined) return { statusCode: 404, body: Readable.from([]) };
			const headers = { 'content-type': 'image/png' };
			return { statusCode: 200, body: Readable.from([Buffer.from(content)]), headers };
		},
	});
	const context = runOf(items);
	const credentials = jest.spyOn(context, 'getCredentials');
	const left = await withMedia(triggerRunOf(context), items, isWanted);
	const ids = requests.map((path) => path.split('/').at(-2));
	return { left, ids, most, connections: credentials.mock.calls.length };
}

test('a file is attached to the item of its message, or the item says why not', async () => {
	const [cat, gone, dog] = [item(message('cat')), item(message('gone')), item(message('dog'))];
	const { left, ids, connections } = await downloaded([cat, gone, dog]);
	expect(left).toEqual([
		{ ...cat, binary: { data: file('Meow') } },
		{ json: { ...gone.json, media_error: GONE } },
		{ ...dog, binary: { data: file('Woof') } },
	]);
	expect([ids, connections]).toEqual([['cat', 'gone', 'dog'], 1]);
});

test.each([null, undefined, 'a.png', {}])(
	'a message that says %j of its file has one named by its type',
	async (media) => {
		const { left } = await downloaded([item(message('cat', { media }))]);
		expect(left[0]?.binary?.data).toMatchObject({ fileName: 'file.png', mimeType: 'image/png' });
	},
);

test('the messages of a chat name the field of their file', async () => {
	const hello = message('hello', { has_media: false });
	const [cat, gone, dog] = [message('cat'), message('gone'), message('dog')];
	const chat = chatItem(cat, hello, gone, dog);
	const { left, ids } = await downloaded([chat]);
	const named = [
		{ ...cat, media_field: 'data' },
		hello,
		{ ...gone, media_error: GONE },
		{ ...dog, media_field: 'data_2' },
	];
	expect(left).toEqual([
		{ json: { ...chat.json, messages: named }, binary: { data: file('Meow'), data_2: file('Woof') } },
	]);
	expect(ids).toEqual(['cat', 'gone', 'dog']);
});

test.each<[string, INodeExecutionData]>([
	['a message without a file', item(message('cat', { has_media: false }))],
	['a message that does not say whether it has one', item(message('cat', { has_media: undefined }))],
	['a message that says null of both', item(message('cat', { has_media: null, media: null }))],
	['an event without a message', { json: { event: 'message.received', event_id: '1' } }],
	['what became of a file that was sent', item(message('cat'), { event: 'message.delivered' })],
	['messages of a chat without files', chatItem(message('cat', { has_media: false }))],
])('nothing is downloaded for %s', async (_, other) => {
	const { left, ids, connections } = await downloaded([other]);
	expect([left, ids, connections]).toEqual([[other], [], 0]);
});

test.each(['https://cdn.example.com/cat', [{}], {}])(
	'a file beside a has_media of null is told: %j',
	async (media) => {
		const { left } = await downloaded([item(message('cat', { has_media: null, media }))]);
		expect(left[0]?.json.media_error).toMatchObject({
			error: expect.stringContaining("'message.has_media'"),
		});
	},
);

test('a file of a message without an ID is told', async () => {
	const { left } = await downloaded([item({ has_media: true })]);
	expect(left[0]?.json.media_error).toMatchObject({ error: expect.stringContaining("'message.id'") });
});

test('only the files that are wanted are downloaded', async () => {
	const items = [item(message('cat')), item(message('dog')), chatItem(message('cat'))];
	const { left, ids } = await downloaded(items, (each) => each === items[1]);
	expect(ids).toEqual(['dog']);
	expect([left[0], left[2]]).toEqual([items[0], items[2]]);
});

test.each([
	['many items', Array.from({ length: 40 }, () => item(message('cat')))],
	['one chat', [chatItem(...Array.from({ length: 40 }, () => message('cat')))]],
])('25 files of %s are downloaded at a time', async (_, items) => {
	expect((await downloaded(items)).most).toBe(25);
});
