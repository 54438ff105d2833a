// cspell:ignore фото
import { baseName, describeFile, withExtension } from '../../../nodes/MessagingChannel/api/fileName';
import { extensionOf, typeOfExtension } from '../../../nodes/MessagingChannel/api/mimeType';

describe('the extension of a type', () => {
	test.each([
		['audio/ogg; codecs=opus', 'ogg'],
		['AUDIO/OGG;codecs=opus', 'ogg'],
		[' audio/ogg ', 'ogg'],
		['audio/opus', 'ogg'],
		['text/plain; charset=utf-8', 'txt'],
		['application/octet-stream', undefined],
		['toString', undefined],
		['', undefined],
	])('%j is %j', (type, extension) => {
		expect(extensionOf(type)).toBe(extension);
	});
});

describe('the type of an extension', () => {
	test.each([
		['OPUS', 'audio/ogg'],
		['JPG', 'image/jpeg'],
		['constructor', undefined],
		['', undefined],
	])('%j is %j', (extension, type) => {
		expect(typeOfExtension(extension)).toBe(type);
	});
});

describe('a file is called', () => {
	test.each<[name: unknown, extension: unknown, type: unknown, expected: string]>([
		['cat.png', 'jpg', 'image/jpeg', 'cat.png'],
		['cat', undefined, 'image/png', 'cat.png'],
		['cat', 'webp', 'image/png', 'cat.webp'],
		['cat.', undefined, 'image/png', 'cat.png'],
		['çay.фото', undefined, 'image/png', 'çay.фото.png'],
		['.hidden', undefined, 'text/plain', '.hidden.txt'],
		['Offer 3.50', undefined, 'application/pdf', 'Offer 3.50.pdf'],
		['Mr. Smith', undefined, 'application/pdf', 'Mr. Smith.pdf'],
		['archive.7z', undefined, 'application/zip', 'archive.7z'],
		['/tmp/voice', undefined, 'audio/ogg', 'voice.ogg'],
		['../../cat.png', undefined, undefined, 'cat.png'],
		['folder/', undefined, 'image/png', 'file.png'],
		['..', undefined, 'image/png', 'file.png'],
		[' \t', undefined, 'image/png', 'file.png'],
		[2030, undefined, 'image/png', '2030.png'],
		[null, undefined, 'audio/ogg; codecs=opus', 'file.ogg'],
		[{}, 'pdf', undefined, 'file.pdf'],
		[undefined, 'pdf', 'application/octet-stream', 'file.pdf'],
		[undefined, '.PDF', undefined, 'file.pdf'],
		// As n8n names the types.
		[undefined, 'oga', 'audio/ogg', 'file.ogg'],
		[undefined, 'mpga', 'audio/mpeg', 'file.mp3'],
		[undefined, '../x', 'image/png', 'file.png'],
		[undefined, ['pdf'], 'image/png', 'file.png'],
		[undefined, '', '', 'file'],
		[undefined, undefined, 'image/x-unknown', 'file'],
		[undefined, undefined, undefined, 'file'],
	])('%j with the extension %j and the type %j: %j', (filename, extension, type, expected) => {
		expect(describeFile({ filename, extension, mimetypes: [type] }).filename).toBe(expected);
	});
});

describe('a file is of the type', () => {
	test.each<[types: unknown[], name: unknown, extension: unknown, expected: string]>([
		[['audio/ogg; codecs=opus'], 'a.mp3', 'mp3', 'audio/ogg; codecs=opus'],
		[[undefined], 'PHOTO.JPG', undefined, 'image/jpeg'],
		[[''], 'voice.opus', undefined, 'audio/ogg'],
		[[null], undefined, 'pdf', 'application/pdf'],
		[[undefined], 'cat', 'png', 'image/png'],
		[['application/octet-stream'], 'invoice.pdf', undefined, 'application/pdf'],
		[['Application/Octet-Stream; x=1'], 'invoice.pdf', undefined, 'application/pdf'],
		[['none'], 'invoice.pdf', undefined, 'application/pdf'],
		[[undefined, 'audio/ogg'], 'a.mp3', undefined, 'audio/ogg'],
		[['application/octet-stream', 'audio/ogg'], undefined, undefined, 'audio/ogg'],
		[['image/png', 'audio/ogg'], undefined, undefined, 'image/png'],
		[[undefined], 'data.unknown', undefined, 'application/octet-stream'],
		[[], undefined, undefined, 'application/octet-stream'],
	])('%j of %j with the extension %j: %j', (mimetypes, filename, extension, expected) => {
		expect(describeFile({ filename, extension, mimetypes }).mimetype).toBe(expected);
	});
});

test.each([
	['cat', 'png', 'cat.png'],
	['cat.jpg', 'png', 'cat.jpg'],
	['Offer 3/4', 'pdf', 'Offer 3/4.pdf'],
	['cat', undefined, 'cat'],
	['cat.', undefined, 'cat.'],
])('%j with the extension %j is %j', (name, extension, expected) => {
	expect(withExtension(name, extension)).toBe(expected);
});

test.each([
	['C:\\temp\\cat.png', 'cat.png'],
	['/etc/../cat.png', 'cat.png'],
	['a\u0000b\r\n.png', 'ab.png'],
	['../..', ''],
	['temp/', ''],
])('%j from outside is %j', (name, expected) => {
	expect(baseName(name)).toBe(expected);
});
