// cspell:ignore güzel Şubat faturası Eubat faturas Aphoto
import type { INodeParameters } from 'n8n-workflow';

import {
	badIds,
	caseWith,
	get,
	operationsOf,
	post,
	queued,
	type BadInput,
	type Case,
	type ExpectedItem,
	type OperationCases,
} from './case';
import { byPhone } from './parameters';

/** The text "hello image". */
const photo = { fileName: 'photo.jpg', mimeType: 'image/jpeg', base64: 'aGVsbG8gaW1hZ2U=' };

const received = {
	filename: 'photo.jpg',
	mimetype: 'image/jpeg',
	size: 11,
	sha256: '84d8fd5280a5162aaf5c5d9aeb069b2660500eabeeda58ce2bb10595827e08ad',
};

const to = byPhone('+90 555 123 45 67');

const answer = queued('905551234567');

/** A send of a file that the input item carries. */
const upload = (
	path: string,
	additionalFields?: INodeParameters,
	fields: Record<string, string> = {},
	file: Partial<typeof received> = {},
): Case => ({
	parameters: { to, ...(additionalFields && { additionalFields }) },
	input: [{ file: photo }],
	requests: [
		{
			method: 'POST',
			path,
			multipart: { fields: { to: '905551234567', ...fields }, file: { ...received, ...file } },
		},
	],
	items: [{ json: answer }],
});

const withMarkdown = (path: string): Case => {
	const { parameters, ...rest } = upload(path, { caption: '**New** in' }, { caption: '*New* in' });
	return { ...rest, parameters: { ...parameters, options: { format: 'markdown' } } };
};

const fromUrl = (
	path: string,
	additionalFields: INodeParameters,
	fields: Record<string, string | boolean>,
): Case =>
	caseWith(
		{ to, mediaSource: 'url', mediaUrl: 'https://example.com/photo.jpg', additionalFields },
		post(path, { to: '905551234567', media_url: 'https://example.com/photo.jpg', ...fields }),
		answer,
	);

const fromBase64 = (
	path: string,
	mediaData: string,
	additionalFields: INodeParameters = {},
	fields: Record<string, string | boolean> = {},
): Case =>
	caseWith(
		{ to, mediaSource: 'base64', mediaData, mimetype: 'image/jpeg', additionalFields },
		post(path, { to: '905551234567', media_data: photo.base64, mimetype: 'image/jpeg', ...fields }),
		answer,
	);

const words = { caption: 'A "photo", çok güzel', filename: 'summer.jpg' };

const asBase64 = { mediaSource: 'base64', mediaData: photo.base64 };

const bad: BadInput[] = [
	{ at: 'binaryPropertyName', value: 'photo', good: 'data', label: 'Input Binary Field', says: "'photo'" },
	{ at: 'binaryPropertyName', value: '', label: 'Input Binary Field' },
	{ at: 'to.value', value: 'Ada', label: 'To', says: "'Ada'" },
	{ at: 'mediaSource', value: 'disk', label: 'Media Source', says: 'disk' },
	{
		at: 'mediaUrl',
		value: '/tmp/photo.jpg',
		label: 'Media URL',
		says: '/tmp/photo.jpg',
		with: { mediaSource: 'url' },
	},
	{ at: 'mediaUrl', value: '', label: 'Media URL', with: { mediaSource: 'url' } },
	{
		at: 'mediaData',
		value: 'not base64!',
		label: 'Media Data',
		with: { mediaSource: 'base64', mimetype: 'image/jpeg' },
	},
	{
		at: 'mimetype',
		value: 'jpeg',
		label: 'MIME Type',
		says: 'jpeg',
		with: asBase64,
	},
	{ at: 'mimetype', value: '', label: 'MIME Type', with: asBase64 },
];

/** A send whose endpoint says what kind of media it is. */
const sending = (path: string): Omit<OperationCases, 'resource' | 'operation'> => ({
	minimal: upload(path),
	full: upload(path, words, { caption: words.caption }, { filename: 'summer.jpg' }),
	more: {
		'converts Markdown in the caption to the marks of the channel': withMarkdown(path),
		'names the address of the file': fromUrl(path, words, words),
		'sends the file as Base64': fromBase64(path, photo.base64, words, words),
	},
	bad,
});

const message = {
	chatId: '905551234567@c.us',
	body: 'Look',
	media: { mimetype: 'image/jpeg', filename: 'photo.jpg', base64: photo.base64 },
};

const messageId = 'false_905551234567@c.us_000000000001';
const messagePath = '/messages/false_905551234567%40c.us_000000000001/media';

const downloaded = (field = 'data', filename = '1-photo.jpg'): ExpectedItem => ({
	json: { filename, mimetype: 'image/jpeg', size: 11 },
	binary: { [field]: { ...photo, fileName: filename } },
});

export const media = operationsOf('media', {
	downloadFile: {
		seed: {
			messages: [message, { ...message, media: { ...message.media, filename: 'Şubat faturası (2).jpg' } }],
		},
		minimal: {
			parameters: { filename: '1-photo.jpg' },
			requests: [get('/media/1-photo.jpg')],
			items: [downloaded()],
		},
		full: {
			parameters: { filename: '1-photo.jpg', binaryPropertyName: 'photo', options: { download: true } },
			requests: [get('/media/1-photo.jpg', { download: 'true' })],
			items: [downloaded('photo')],
		},
		more: {
			'takes a name with spaces and letters of any language': {
				parameters: { filename: '2-Şubat faturası (2).jpg' },
				requests: [get('/media/2-%C5%9Eubat%20faturas%C4%B1%20(2).jpg')],
				items: [downloaded('data', '2-Şubat faturası (2).jpg')],
			},
		},
		bad: [
			{ at: 'filename', value: '../account', label: 'File Name', says: "'../account'" },
			{ at: 'filename', value: 'photo.jpg\nX: y', label: 'File Name' },
			{ at: 'filename', value: '', label: 'File Name' },
			{ at: 'binaryPropertyName', value: '', label: 'Put Output File in Field' },
		],
	},
	downloadFromMessage: {
		seed: { messages: [message] },
		minimal: {
			parameters: { messageId },
			requests: [get(messagePath)],
			items: [downloaded('data', 'file.jpg')],
		},
		full: {
			parameters: {
				messageId,
				binaryPropertyName: 'photo',
				options: { download: true, inline: false, format: 'file' },
			},
			requests: [get(messagePath, { download: 'true', inline: 'false' })],
			items: [downloaded('photo', 'file.jpg')],
		},
		more: {
			'gets the details and a link instead of the file': caseWith(
				{ messageId, options: { format: 'json' } },
				get(messagePath, { format: 'json' }),
				{
					message_id: messageId,
					filename: '1-photo.jpg',
					mimetype: 'image/jpeg',
					size: 11,
					download_url: /\/links\/1-photo\.jpg\?expires=\d+&token=/,
				},
			),
		},
		bad: [
			...badIds('messageId', 'Message ID'),
			{ at: 'options.format', value: 'xml', label: 'Format', says: 'xml', with: { options: {} } },
		],
	},
	send: {
		minimal: upload('/messages/send-media'),
		full: fromUrl(
			'/messages/send-media',
			{ ...words, asDocument: true, asVoice: false, asSticker: false },
			{ ...words, as_document: true, as_voice: false, as_sticker: false },
		),
		more: {
			'sends a file of the item as a document to the endpoint for documents': upload(
				'/messages/send-document',
				{ asDocument: true },
			),
			'sends a file of the item as a voice note to the endpoint for voice notes': upload(
				'/messages/send-voice',
				{ asVoice: true },
			),
			'sends a file of the item as a sticker to the endpoint for stickers': upload('/messages/send-sticker', {
				asSticker: true,
			}),
			'sends a file of the item with a caption and another name': upload(
				'/messages/send-media',
				words,
				{ caption: words.caption },
				{ filename: 'summer.jpg' },
			),
			'sends the file as Base64': fromBase64(
				'/messages/send-media',
				photo.base64,
				{ ...words, asVoice: true },
				{ ...words, as_voice: true },
			),
			'takes Base64 as a data URL': fromBase64(
				'/messages/send-media',
				'data:image/jpeg;base64,aGVsbG8gaW1hZ2U=',
			),
			'keeps a name from breaking out of the form': upload(
				'/messages/send-media',
				{ filename: 'the "best"\nphoto.jpg' },
				{},
				{ filename: 'the %22best%22%0Aphoto.jpg' },
			),
		},
		bad: [
			...bad,
			{ at: 'additionalFields', value: { asVoice: true, asSticker: true }, label: 'Send as Sticker' },
		],
	},
	sendAudio: sending('/messages/send-audio'),
	sendDocument: sending('/messages/send-document'),
	sendImage: sending('/messages/send-image'),
	sendSticker: sending('/messages/send-sticker'),
	sendVoice: sending('/messages/send-voice'),
});
