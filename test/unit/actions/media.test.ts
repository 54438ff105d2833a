// cspell:ignore Ddata Über
import { media } from '../../../nodes/MessagingChannel/actions/media';
import type { Operation } from '../../../nodes/MessagingChannel/operation/operation';
import { located, requestFor } from '../entered';

function operation(value: string): Operation {
	const found = media.operations.find((candidate) => candidate.value === value);
	if (!found) throw new Error(`There is no media operation ${value}`);
	return found;
}

const to = located('phone', '+90 555 123 45 67');
const fromUrl = { mediaSource: 'url', mediaUrl: 'https://example.com/photo.jpg' };

test.each([
	[['asDocument', 'asVoice'], "'Send as Document' is on together with 'Send as Voice Note'"],
	[['asSticker', 'asVoice'], "'Send as Sticker' is on together with 'Send as Voice Note'"],
	[['asDocument', 'asSticker', 'asVoice'], "'Send as Document' is on together with 'Send as Sticker'"],
])('%j at once is refused', (names, message) => {
	const additionalFields = Object.fromEntries(names.map((name) => [name, true]));
	for (const source of [{}, fromUrl])
		expect(() => requestFor(operation('send'), { to, ...source, additionalFields })).toThrow(
			expect.objectContaining({
				message,
				description: 'Choose only one of document, sticker and voice note.',
			}),
		);
});

test.each([
	['asDocument', 'sendDocument'],
	['asSticker', 'sendSticker'],
	['asVoice', 'sendVoice'],
	['', 'send'],
])('a file of the item goes with the flag %j to the endpoint of %s', (flag, equivalent) => {
	const additionalFields = { caption: 'Summer', ...(flag && { [flag]: true }) };
	expect(requestFor(operation('send'), { to, additionalFields })).toEqual({
		endpoint: operation(equivalent).endpoint,
		parameters: { to: '905551234567', caption: 'Summer' },
		file: expect.objectContaining({ filename: 'photo.jpg' }),
	});
	expect(requestFor(operation('send'), { to, ...fromUrl, additionalFields })).toMatchObject({
		endpoint: operation('send').endpoint,
		parameters: { mediaUrl: fromUrl.mediaUrl, ...additionalFields },
	});
});

describe('the URL of a file', () => {
	const requestForUrl = (mediaUrl: string) =>
		requestFor(operation('send'), { to, mediaSource: 'url', mediaUrl }).parameters;

	test.each(['http://example.com/photo.jpg', 'https://example.com/photo.jpg'])('may be %s', (mediaUrl) => {
		expect(requestForUrl(mediaUrl)).toMatchObject({ mediaUrl });
		expect(requestForUrl(` ${mediaUrl}\n`)).toMatchObject({ mediaUrl });
	});

	test.each([
		...['file:///etc/passwd', 'javascript:alert(1)', 'xhttps://example.com', 'photo.jpg'],
		// A browser would leave out the control character.
		'\u0001https://example.com',
	])('may not be %s', (mediaUrl) => {
		expect(() => requestForUrl(mediaUrl)).toThrow(
			expect.objectContaining({
				message: expect.stringContaining("'Media URL' is not a valid URL"),
				description: "Enter a URL that starts with 'https://' or 'http://'.",
			}),
		);
	});
});

describe('a file as text', () => {
	const base64 = (mediaData: unknown) =>
		requestFor(operation('send'), { to, mediaSource: 'base64', mediaData, mimetype: 'text/plain' })
			.parameters;

	test.each([
		['data:image/jpeg;base64,aGVsbG8=', 'aGVsbG8='],
		[' \ndata:;base64,aGVs\r\nbG8=\n', 'aGVsbG8='],
		[' aGVsbG8= ', 'aGVsbG8='],
		['data:text/plain;base64, aGVs \n  bG8=', 'aGVsbG8='],
		['aGVsbG8', 'aGVsbG8='],
		['-_-_', '+/+/'],
		['_-8', '/+8='],
		['QQ', 'QQ=='],
	])('Base64 is taken as people have it: %j', (mediaData, expected) => {
		expect(base64(mediaData)).toMatchObject({ mediaData: expected });
	});

	const file = { mimeType: 'image/jpeg', fileName: 'photo.jpg', fileSize: '5 kB' };

	test.each<[unknown, string]>([
		...[
			...['a', 'abcde', 'abcd==', 'ab=', 'a=bc', '!QUJD', 'ab!d', 'QUJDdata:;base64,QUJD'],
			// A form that was sent has made blanks of its plus signs.
			'aGVs aGVsbG8',
			...['data:text/plain,hello', 'data:image/jpeg;base64,'],
			// Names of a file and of its field, and a file within other text.
			...['photo.jpg', 'data', 'data0', 'file', 'attachment_0', '[object Object]'],
		].map((text): [string, string] => [text, 'is not valid Base64']),
		...['database', 'filesystem-v2', 'filesystem-v2:workflows/1/binary_data/4f1c'].map(
			(text): [string, string] => [text, `is not a file, but only where n8n has stored it: '${text}'`],
		),
		// As `$binary.data`, with its content, and `$binary` give it.
		...[file, { ...file, data: 'aGVsbG8=' }, { photo: file, invoice: file }].map(
			(value): [object, string] => [value, 'is a file, not its content in Base64'],
		),
	])('%j %s', (mediaData, problem) => {
		expect(() => base64(mediaData)).toThrow(
			expect.objectContaining({
				message: `'Media Data' ${problem}`,
				description: expect.stringMatching(/^Set 'Media Source' to 'Input Item' and choose the file/),
			}),
		);
	});

	test.each([
		['Offer for May', 'Offer for May.txt'],
		['Offer 3/4.50', 'Offer 3/4.50.txt'],
		['offer.pdf', 'offer.pdf'],
		['', undefined],
	])('with the File Name %j is called %j', (filename, expected) => {
		const entered = { to, mediaSource: 'base64', mediaData: 'QUJD', mimetype: 'text/plain' };
		const { parameters } = requestFor(operation('send'), { ...entered, additionalFields: { filename } });
		expect(parameters?.filename).toBe(expected);
	});

	test.each([
		['https://a.example/b/Offer.PDF?x=1', 'Bill', 'Bill.pdf'],
		['https://a.example/b/offer.pdf', 'bill.docx', 'bill.docx'],
		['https://a.example/b', 'Bill', 'Bill'],
		['https://a.example', 'Bill', 'Bill'],
		['https://a.example/b/offer.pdf', '', undefined],
	])('the file of %s with the File Name %j is called %j', (mediaUrl, filename, expected) => {
		const entered = { to, mediaSource: 'url', mediaUrl, additionalFields: { filename } };
		expect(requestFor(operation('send'), entered).parameters?.filename).toBe(expected);
	});

	test('Base64 may be as long as a text can be', () => {
		const long = 'aGVs'.repeat(16 * 1024 * 1024);
		expect(base64(`${long}aGVsbG8`)?.mediaData).toHaveLength(long.length + 8);
	});

	test.each([
		['image/svg+xml', 'image/svg+xml'],
		['audio/ogg; codecs=opus', 'audio/ogg; codecs=opus'],
		["x-a!b/x#$&'*", "x-a!b/x#$&'*"],
		[' image/jpeg\n', 'image/jpeg'],
	])('%j is a MIME type', (entered, mimetype) => {
		const parameters = { to, mediaSource: 'base64', mediaData: 'QUJD', mimetype: entered };
		expect(requestFor(operation('send'), parameters).parameters).toMatchObject({ mimetype });
	});

	test.each([
		...['image/jpeg\r\nX-Evil: 1', 'image/jpeg;\nx=1', 'image\n/jpeg', 'image/', '/jpeg', 'image/jpeg/x'],
	])('%j is none', (mimetype) => {
		const entered = { to, mediaSource: 'base64', mediaData: 'QUJD', mimetype };
		expect(() => requestFor(operation('send'), entered)).toThrow(
			expect.objectContaining({
				message: expect.stringContaining("'MIME Type' is not a valid MIME type"),
				description: 'Enter a type such as image/jpeg.',
			}),
		);
	});
});

describe('downloading a file', () => {
	const named = (filename: string) => requestFor(operation('downloadFile'), { filename });

	test.each([
		['Über uns (1).pdf', 'Über uns (1).pdf'],
		['..photo.jpg', '..photo.jpg'],
		['photo.', 'photo.'],
		[' photo 1.jpg\n', 'photo 1.jpg'],
	])('%j is the name %j', (entered, filename) => {
		expect(named(entered).parameters).toEqual({ filename });
	});

	test.each(['../account', 'a/b', 'a\\b', '.', '..', '...', '/etc/passwd', 'a\u0000b', 'cut \ud83d.jpg'])(
		'%j would lead elsewhere and is refused',
		(filename) => {
			expect(() => named(filename)).toThrow(
				expect.objectContaining({
					message: expect.stringContaining("'File Name' is not a valid file name"),
					description: 'Enter only the name, without folders, exactly as the service returned it.',
				}),
			);
		},
	);
});
