// cspell:ignore güzel Şubat faturası Eubat faturas Aphoto
import type { INodeParameters } from 'n8n-workflow';

import {
	caseWith,
	get,
	operationsOf,
	post,
	queued,
	badIds,
	wrong,
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
const sentTo = { to: '905551234567' };
const answer = queued('905551234567');

/** A send of a file that the input item carries. */
const upload = (
	path: string,
	additionalFields: INodeParameters = {},
	fields = {},
	filename = 'photo.jpg',
) => ({
	parameters: { to, additionalFields },
	input: [{ file: photo }],
	requests: [
		{
			method: 'POST' as const,
			path,
			multipart: { fields: { ...sentTo, ...fields }, file: { ...received, filename } },
		},
	],
	items: [{ json: answer }],
});

const fromUrl = (
	path: string,
	additionalFields: INodeParameters,
	fields: Record<string, string | boolean>,
) => {
	const mediaUrl = 'https://example.com/photo.jpg';
	const parameters = { to, mediaSource: 'url', mediaUrl, additionalFields };
	return caseWith(parameters, post(path, { ...sentTo, media_url: mediaUrl, ...fields }), answer);
};

const fromBase64 = (
	path: string,
	additionalFields: INodeParameters,
	fields: Record<string, string | boolean>,
): Case =>
	caseWith(
		{ to, mediaSource: 'base64', mediaData: photo.base64, mimetype: 'image/jpeg', additionalFields },
		post(path, { ...sentTo, media_data: photo.base64, mimetype: 'image/jpeg', ...fields }),
		answer,
	);

const caption = 'A "photo", çok güzel';
const words = { caption, filename: 'summer.jpg' };
const noField = { ...wrong('binaryPropertyName', 'photo', 'Input Binary Field', "'photo'"), good: 'data' };

/** A send whose endpoint says what kind of media it is. */
const sending = (path: string): Omit<OperationCases, 'resource' | 'operation'> => ({
	minimal: upload(path),
	full: upload(path, words, { caption }, words.filename),
	more: {
		'names the address of the file': fromUrl(path, words, words),
		'sends the file as Base64': fromBase64(path, words, words),
	},
	bad: [noField, wrong('to.value', 'Ada', 'To', "'Ada'")],
});

const message = {
	chatId: '905551234567@c.us',
	body: 'Look',
	media: { mimetype: 'image/jpeg', filename: 'photo.jpg', base64: photo.base64 },
};
const turkish = { ...message, media: { ...message.media, filename: 'Şubat faturası (2).jpg' } };

const messageId = 'false_905551234567@c.us_000000000001';
const messagePath = '/messages/false_905551234567%40c.us_000000000001/media';

const downloaded = (field: string, filename: string): ExpectedItem => ({
	json: { filename, mimetype: 'image/jpeg', size: 11 },
	binary: { [field]: { ...photo, fileName: filename } },
});

/** A download, which puts out one file. */
const download = (
	parameters: INodeParameters,
	request: ReturnType<typeof get>,
	...file: Parameters<typeof downloaded>
) => ({ parameters, requests: [request], items: [downloaded(...file)] });

export const media = operationsOf('media', {
	downloadFile: {
		seed: { messages: [message, turkish] },
		minimal: download({ filename: '1-photo.jpg' }, get('/media/1-photo.jpg'), 'data', '1-photo.jpg'),
		full: download(
			{ filename: '1-photo.jpg', binaryPropertyName: 'photo', options: { download: true } },
			get('/media/1-photo.jpg', { download: 'true' }),
			'photo',
			'1-photo.jpg',
		),
		more: {
			'takes a name with spaces and letters of any language': download(
				{ filename: '2-Şubat faturası (2).jpg' },
				get('/media/2-%C5%9Eubat%20faturas%C4%B1%20(2).jpg'),
				'data',
				'2-Şubat faturası (2).jpg',
			),
		},
		bad: [
			wrong('filename', '../account', 'File Name', "'../account'"),
			wrong('filename', '', 'File Name'),
			wrong('binaryPropertyName', '', 'Put Output File in Field'),
		],
	},
	downloadFromMessage: {
		seed: { messages: [message] },
		minimal: download({ messageId }, get(messagePath), 'data', 'file.jpg'),
		full: download(
			{
				messageId,
				binaryPropertyName: 'photo',
				options: { download: true, inline: false, format: 'file' },
			},
			get(messagePath, { download: 'true', inline: 'false' }),
			'photo',
			'file.jpg',
		),
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
		bad: [...badIds('messageId', 'Message ID'), wrong('options.format', 'xml', 'Format', 'xml')],
	},
	send: {
		minimal: upload('/messages/send-media'),
		full: fromUrl(
			'/messages/send-media',
			{ ...words, asDocument: true, asVoice: false, asSticker: false },
			{ ...words, as_document: true, as_voice: false, as_sticker: false },
		),
		more: {
			'sends a file of the item with a caption and another name': upload(
				'/messages/send-media',
				words,
				{ caption },
				words.filename,
			),
			'sends the file as Base64': fromBase64(
				'/messages/send-media',
				{ ...words, asVoice: true },
				{ ...words, as_voice: true },
			),
			'keeps a name from breaking out of the form': upload(
				'/messages/send-media',
				{ filename: 'the "best"\nphoto.jpg' },
				{},
				'the %22best%22%0Aphoto.jpg',
			),
		},
		bad: [
			noField,
			wrong('binaryPropertyName', '', 'Input Binary Field'),
			wrong('mediaSource', 'disk', 'Media Source', 'disk'),
			wrong('mediaUrl', '', 'Media URL', '', { mediaSource: 'url' }),
			wrong('mediaData', 'not base64!', 'Media Data', '', { mediaSource: 'base64', mimetype: 'image/jpeg' }),
			wrong('mimetype', '', 'MIME Type', '', { mediaSource: 'base64', mediaData: photo.base64 }),
			wrong('additionalFields', { asVoice: true, asSticker: true }, 'Send as Sticker'),
		],
	},
	sendAudio: sending('/messages/send-audio'),
	sendDocument: sending('/messages/send-document'),
	sendImage: sending('/messages/send-image'),
	sendSticker: sending('/messages/send-sticker'),
	sendVoice: sending('/messages/send-voice'),
});
