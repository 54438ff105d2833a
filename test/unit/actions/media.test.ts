import { media } from '../../../nodes/MessagingChannel/actions/media';
import type { Operation } from '../../../nodes/MessagingChannel/operation/operation';
import { located, photo, requestFor } from '../entered';

function operation(value: string): Operation {
	const found = media.operations.find((candidate) => candidate.value === value);
	if (!found) throw new Error(`There is no media operation ${value}`);
	return found;
}

const to = located('phone', '+90 555 123 45 67');
const sent = '905551234567';
const url = 'https://example.com/photo.jpg';
const sends = ['send', 'sendAudio', 'sendDocument', 'sendImage', 'sendSticker', 'sendVoice'];

/** The request for media at a URL, of which nothing goes out. */
const requestForUrl = (additionalFields: object, name = 'send') =>
	requestFor(operation(name), { to, mediaSource: 'url', mediaUrl: url, additionalFields });

const requestForFile = (additionalFields: object, name = 'send') =>
	requestFor(operation(name), { to, additionalFields });

describe.each(sends)('%s', (name) => {
	test('sends the file of the input item as a form, unless the user says otherwise', () => {
		const { parameters, file } = requestForFile({ caption: 'Look' }, name);
		expect(parameters).toEqual({ to: sent, caption: 'Look' });
		expect(file).toEqual(photo);
	});

	test('sends an address as JSON', () => {
		const { parameters, file, endpoint } = requestForUrl({ caption: 'Look', filename: 'holiday.jpg' }, name);
		expect(parameters).toEqual({ to: sent, mediaUrl: url, caption: 'Look', filename: 'holiday.jpg' });
		expect(file).toBeUndefined();
		expect(endpoint).toEqual(operation(name).endpoint);
	});

	test('sends Base64 with its type as JSON', () => {
		const entered = { to, mediaSource: 'base64', mediaData: 'aGVsbG8=', mimetype: 'text/plain' };
		const { parameters, file } = requestFor(operation(name), entered);
		expect(parameters).toEqual({ to: sent, mediaData: 'aGVsbG8=', mimetype: 'text/plain' });
		expect(file).toBeUndefined();
	});

	test('gives the file the name that the recipient is to see', () => {
		expect(requestForFile({ filename: 'holiday.jpg' }, name).file).toEqual({
			...photo,
			filename: 'holiday.jpg',
		});
	});
});

describe('how media is sent', () => {
	const flags = [
		['asDocument', '/messages/send-document'],
		['asSticker', '/messages/send-sticker'],
		['asVoice', '/messages/send-voice'],
	] as const;

	test.each(flags)('%s goes as a field with an address', (flag) => {
		const { endpoint, parameters } = requestForUrl({ [flag]: true });
		expect(endpoint.path).toBe('/messages/send-media');
		expect(parameters).toMatchObject({ [flag]: true });
	});

	test.each(flags)('%s has no field in a form, so a file goes to %s', (flag, path) => {
		const { endpoint, parameters, file } = requestForFile({ [flag]: true });
		expect(endpoint.path).toBe(path);
		expect(parameters).toEqual({ to: sent });
		expect(file).toEqual(photo);
	});

	test.each(flags)('%s that is switched off changes nothing', (flag) => {
		expect(requestForFile({ [flag]: false }).endpoint.path).toBe('/messages/send-media');
		expect(requestForUrl({ [flag]: false }).parameters).toMatchObject({ [flag]: false });
	});

	test.each([
		[['asDocument', 'asVoice']],
		[['asSticker', 'asVoice']],
		[['asDocument', 'asSticker', 'asVoice']],
	])('%j at once is refused', (names) => {
		const set = Object.fromEntries(names.map((name) => [name, true]));
		expect(() => requestForUrl(set)).toThrow("'Send as' is set twice");
		expect(() => requestForFile(set)).toThrow("'Send as' is set twice");
	});
});

describe('what cannot be sent is refused', () => {
	test.each([
		[{ mediaSource: 'url', mediaUrl: '' }, "'Media URL' is empty"],
		[{ mediaSource: 'url', mediaUrl: 'photo.jpg' }, "'Media URL' is not a valid URL: 'photo.jpg'"],
		[{ mediaSource: 'url', mediaUrl: 'file:///etc/passwd' }, "'Media URL' is not a valid URL"],
		[{ mediaSource: 'url', mediaUrl: 'javascript:alert(1)' }, "'Media URL' is not a valid URL"],
		[{ mediaSource: 'base64', mediaData: '', mimetype: 'text/plain' }, "'Media Data' is empty"],
		[
			{ mediaSource: 'base64', mediaData: 'not base64!', mimetype: 'text/plain' },
			"'Media Data' is not valid Base64",
		],
		[{ mediaSource: 'base64', mediaData: 'aGVsbG8=', mimetype: '' }, "'MIME Type' is empty"],
		[
			{ mediaSource: 'base64', mediaData: 'aGVsbG8=', mimetype: 'jpeg' },
			"'MIME Type' is not a valid MIME type: 'jpeg'",
		],
		[{ mediaSource: 'ftp' }, "'Media Source' is not one of the options: 'ftp'"],
		[{ binaryPropertyName: '' }, "'Input Binary Field' is empty"],
	])('%j', (entered, problem) => {
		expect(() => requestFor(operation('sendImage'), { to, ...entered })).toThrow(problem);
	});

	const base64 = (mediaData: string) =>
		requestFor(operation('send'), { to, mediaSource: 'base64', mediaData, mimetype: 'text/plain' })
			.parameters;

	test.each([
		['data:image/jpeg;base64,aGVsbG8=', 'aGVsbG8='],
		['DATA:image/jpeg;charset=utf-8;BASE64,aGVsbG8=', 'aGVsbG8='],
		[' \ndata:;base64,aGVs\r\nbG8=\n', 'aGVsbG8='],
		['aGVs\nbG8=', 'aGVsbG8='],
		[' aGVsbG8= ', 'aGVsbG8='],
		['aGVsbG8', 'aGVsbG8='],
		['-_-_', '+/+/'],
		['_-8', '/+8='],
		['QQ', 'QQ=='],
		['QUJD', 'QUJD'],
	])('Base64 is taken as people have it: %j', (mediaData, expected) => {
		expect(base64(mediaData)).toMatchObject({ mediaData: expected });
	});

	test.each([
		'a',
		'abcde',
		'abcd=',
		'abcd==',
		'ab=',
		'ab===',
		'a=bc',
		'=',
		'ab!d',
		'data:text/plain,hello',
		'çay=',
	])('%j is no Base64', (mediaData) => {
		expect(() => base64(mediaData)).toThrow("'Media Data' is not valid Base64");
	});

	test('Base64 may be as long as a text can be', () => {
		const long = 'aGVs'.repeat(16 * 1024 * 1024);
		expect(base64(`${long}aGVsbG8`)?.mediaData).toHaveLength(long.length + 8);
	});

	test.each(['image/jpeg', 'image/svg+xml', 'audio/ogg; codecs=opus', "x-a!b/x#$&'*"])(
		'%j is a MIME type',
		(mimetype) => {
			const entered = { to, mediaSource: 'base64', mediaData: 'QUJD', mimetype };
			expect(requestFor(operation('send'), entered).parameters).toMatchObject({ mimetype });
		},
	);

	test.each([
		'image/jpeg\r\nX-Evil: 1',
		'image/jpeg;\nx=1',
		'image\n/jpeg',
		'image/',
		'/jpeg',
		'image/jpeg/x',
	])('%j is none', (mimetype) => {
		const entered = { to, mediaSource: 'base64', mediaData: 'QUJD', mimetype };
		expect(() => requestFor(operation('send'), entered)).toThrow("'MIME Type' is not a valid MIME type");
	});
});

describe('downloading a file', () => {
	const named = (filename: string) => requestFor(operation('downloadFile'), { filename });

	test.each(['photo.jpg', 'Über uns (1).pdf', '3EB0C767D82B', '..photo.jpg'])('%j is a name', (filename) => {
		expect(named(filename).parameters).toEqual({ filename });
	});

	test.each(['../account', 'a/b', 'a\\b', '.', '..', '...', '/etc/passwd', 'a\u0000b', 'cut \ud83d.jpg'])(
		'%j would lead elsewhere and is refused',
		(filename) => {
			expect(() => named(filename)).toThrow("'File Name' is not a valid file name");
		},
	);
});

describe('downloading from a message', () => {
	const download = operation('downloadFromMessage');
	const asked = (options: object) => requestFor(download, { messageId: 'message-1', options });

	test('gets the file unless the details are asked for', () => {
		expect(asked({}).parameters).toEqual({ messageId: 'message-1' });
		expect(asked({ format: 'file' }).parameters).toEqual({ messageId: 'message-1' });
		expect(asked({ format: 'json' }).parameters).toEqual({ messageId: 'message-1', format: 'json' });
	});

	test('knows from that whether the answer is a file', () => {
		const isFile = (parameters: object) =>
			download.download?.({ parameters: { ...parameters }, settings: {}, file: () => photo });
		expect(isFile({})).toBe(true);
		expect(isFile({ format: 'json' })).toBe(false);
	});
});
