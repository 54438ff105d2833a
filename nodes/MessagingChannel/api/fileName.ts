import { extensionOf, isMimeType, typeOfExtension, UNKNOWN_TYPE, withoutParameters } from './mimeType';

/** What is known of a file. Each value may be missing or have any form. */
export interface FileClues {
	filename?: unknown;
	/** With or without a dot. */
	extension?: unknown;
	/** The first one that says something counts. */
	mimetypes: readonly unknown[];
}

const DEFAULT_NAME = 'file';

/** An extension has a letter and no blank: "Offer 3.50" and "Mr. Smith" have none. */
const EXTENSION = /[^.]\.(?=\d*[a-z])([a-z\d]{1,10})$/i;

/** The extensions that n8n gives files without a name, and that few programs accept; with the usual ones. */
const USUAL_EXTENSIONS = new Map([
	['oga', 'ogg'],
	['ogx', 'ogg'],
	['mpga', 'mp3'],
	['adts', 'aac'],
	['weba', 'webm'],
	['3gpp', '3gp'],
	['qt', 'mov'],
	['vcard', 'vcf'],
]);

/** The name and the MIME type to use for a file. What is missing of the one comes from the other. */
export function describeFile({ filename, extension, mimetypes }: FileClues): {
	filename: string;
	mimetype: string;
} {
	const name = withoutFolders(textOf(filename)) || DEFAULT_NAME;
	const ending = extensionIn(name) ?? usualExtension(extension);
	const mimetype = mimetypes.map(textOf).find(isTelling) ?? typeOfExtension(ending ?? '') ?? UNKNOWN_TYPE;
	return { filename: withExtension(name, ending ?? extensionOf(mimetype)), mimetype };
}

/** The name, with this extension if it has none. */
export function withExtension(filename: string, extension: string | undefined): string {
	if (extension === undefined || extensionIn(filename) !== undefined) return filename;
	return `${filename.replace(/\.+$/, '')}.${extension}`;
}

/** A name from outside, without folders (also those of Windows) and control characters. The name of a folder becomes empty. */
export function baseName(name: string): string {
	return withoutFolders(name.replaceAll('\\', '/').replace(/\p{Cc}/gu, ''));
}

function withoutFolders(name: string): string {
	const base = name.slice(name.lastIndexOf('/') + 1).trim();
	return /^\.*$/.test(base) ? '' : base;
}

function extensionIn(name: string): string | undefined {
	return EXTENSION.exec(name)?.[1];
}

function usualExtension(extension: unknown): string | undefined {
	const plain = extensionIn(`${DEFAULT_NAME}.${textOf(extension).trim().replace(/^\./, '')}`)?.toLowerCase();
	return plain && (USUAL_EXTENSIONS.get(plain) ?? plain);
}

function isTelling(mimetype: string): boolean {
	return isMimeType(mimetype) && withoutParameters(mimetype).toLowerCase() !== UNKNOWN_TYPE;
}

/** A name may be a number. */
function textOf(value: unknown): string {
	return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
