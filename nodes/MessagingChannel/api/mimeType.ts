const TOKEN = "[\\w!#$%&'*+.^`|~-]+";

const MIME_TYPE = new RegExp(`^${TOKEN}/${TOKEN}([ \\t]*;\\P{Cc}*)?$`, 'u');

/** Says nothing about a file. */
export const UNKNOWN_TYPE = 'application/octet-stream';

/** Extensions with their types, the usual ones first: of an extension, its first type counts, and of a type, its first extension. */
const TYPES_BY_EXTENSION: ReadonlyArray<readonly [extension: string, ...types: string[]]> = [
	['jpg', 'image/jpeg', 'image/jpg', 'image/pjpeg'],
	['jpeg', 'image/jpeg'],
	['png', 'image/png'],
	['gif', 'image/gif'],
	['webp', 'image/webp'],
	['bmp', 'image/bmp'],
	['svg', 'image/svg+xml'],
	['tiff', 'image/tiff'],
	['tif', 'image/tiff'],
	['heic', 'image/heic'],
	['heif', 'image/heif'],
	['avif', 'image/avif'],
	['ogg', 'audio/ogg', 'application/ogg', 'audio/opus'],
	['opus', 'audio/ogg'],
	['mp3', 'audio/mpeg', 'audio/mp3'],
	['m4a', 'audio/mp4', 'audio/x-m4a', 'audio/m4a'],
	['aac', 'audio/aac', 'audio/x-aac'],
	['amr', 'audio/amr'],
	['wav', 'audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave'],
	['flac', 'audio/flac', 'audio/x-flac'],
	['mp4', 'video/mp4'],
	['m4v', 'video/mp4', 'video/x-m4v'],
	['webm', 'video/webm', 'audio/webm'],
	['3gp', 'video/3gpp', 'audio/3gpp'],
	['mov', 'video/quicktime'],
	['mkv', 'video/x-matroska'],
	['avi', 'video/x-msvideo'],
	['mpeg', 'video/mpeg'],
	['pdf', 'application/pdf'],
	['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
	['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
	['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
	['doc', 'application/msword'],
	['xls', 'application/vnd.ms-excel'],
	['ppt', 'application/vnd.ms-powerpoint'],
	['odt', 'application/vnd.oasis.opendocument.text'],
	['ods', 'application/vnd.oasis.opendocument.spreadsheet'],
	['odp', 'application/vnd.oasis.opendocument.presentation'],
	['rtf', 'application/rtf', 'text/rtf'],
	['txt', 'text/plain'],
	['csv', 'text/csv'],
	['md', 'text/markdown'],
	['html', 'text/html'],
	['htm', 'text/html'],
	['json', 'application/json'],
	['xml', 'application/xml', 'text/xml'],
	['vcf', 'text/vcard', 'text/x-vcard'],
	['ics', 'text/calendar'],
	['epub', 'application/epub+zip'],
	['zip', 'application/zip', 'application/x-zip-compressed'],
	['rar', 'application/vnd.rar', 'application/x-rar-compressed'],
	['7z', 'application/x-7z-compressed'],
	['gz', 'application/gzip'],
];

/** Whether a text is a MIME type, with or without parameters (RFC 9110, section 8.3.1). */
export function isMimeType(text: string): boolean {
	return MIME_TYPE.test(text);
}

/** A MIME type without its parameters, such as `codecs=opus`. */
export function withoutParameters(mimetype: string): string {
	return mimetype.replace(/;.*/s, '').trim();
}

/** The extension that programs expect of files of a type, without a dot; undefined if the type is not known. */
export function extensionOf(mimetype: string): string | undefined {
	const type = withoutParameters(mimetype).toLowerCase();
	return TYPES_BY_EXTENSION.find(([, ...types]) => types.includes(type))?.[0];
}

/** The type of files with an extension; undefined if the extension is not known. */
export function typeOfExtension(extension: string): string | undefined {
	return TYPES_BY_EXTENSION.find(([each]) => each === extension.toLowerCase())?.[1];
}
