import { modelChooses } from '../../fields/allowedRecipients';
import { to } from '../../fields/recipient';
import { format, inFormat } from '../../fields/messageText';
import { messageOptions } from '../../fields/recipientOptions';
import { validUrl } from '../../fields/url';
import { base64In, STORAGE_MODE } from '../../operation/base64';
import { InvalidInput, shown, type Input } from '../../operation/input';
import { describeFile, withExtension } from '../../api/fileName';
import { extensionOf, isMimeType } from '../../api/mimeType';
import type { Field, Operation } from '../../operation/operation';

const mediaSource: Field = {
	displayName: 'Media Source',
	name: 'mediaSource',
	type: 'options',
	default: 'binary',
	description: 'Where to get the file from',
	options: [
		{ name: 'Base64 Text', value: 'base64', description: 'The file is text in Base64' },
		{ name: 'Input Item', value: 'binary', description: 'The file is in a binary field of the input item' },
		{ name: 'URL', value: 'url', description: 'The service downloads the file from a public URL' },
	],
	api: [],
};

const binaryPropertyName: Field = {
	displayName: 'Input Binary Field',
	name: 'binaryPropertyName',
	type: 'string',
	default: 'data',
	required: true,
	placeholder: 'e.g. data',
	hint: 'The name of the input field containing the binary file data to be sent',
	displayOptions: { show: { mediaSource: ['binary'] } },
	api: [],
	acceptsFile: true,
};

const mediaUrl: Field = {
	displayName: 'Media URL',
	name: 'mediaUrl',
	type: 'string',
	default: '',
	required: true,
	mustBeWhole: 'filled',
	placeholder: 'e.g. https://example.com/photo.jpg',
	description: 'Public URL of the file',
	displayOptions: { show: { mediaSource: ['url'] } },
	toApi: (url: string) => ({ mediaUrl: validUrl(url, ['https:', 'http:']) }),
};

const CHOOSE_FILE =
	"Set 'Media Source' to 'Input Item' and choose the file: enter the name of its field, e.g. data, in 'Input Binary Field'.";

/** How n8n's nodes call the fields of files. Such a name would be Base64 of a few bytes. */
const FILE_FIELD = /^(data|file|attachment)_?\d*$/;

const mediaData: Field = {
	displayName: 'Media Data',
	name: 'mediaData',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. {{ $json.base64 }}',
	description: 'Content of the file in Base64',
	displayOptions: { show: { mediaSource: ['base64'] } },
	acceptsFile: true,
	toApi: (data: string | object) => {
		// What `$binary.data` and `$binary` give.
		if (typeof data === 'object') throw new InvalidInput('is a file, not its content in Base64', CHOOSE_FILE);
		const text = data.trim();
		// What `$binary.data.data` gives.
		if (STORAGE_MODE.test(text)) {
			throw new InvalidInput(`is not a file, but only where n8n has stored it: ${shown(data)}`, CHOOSE_FILE);
		}
		const base64 = FILE_FIELD.test(text) ? undefined : base64In(data);
		if (base64) return { mediaData: base64 };
		throw new InvalidInput(
			'is not valid Base64',
			`${CHOOSE_FILE} If no item has the file, convert its content to Base64.`,
		);
	},
};

const mimetype: Field = {
	displayName: 'MIME Type',
	name: 'mimetype',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. image/jpeg',
	description: 'MIME type of the file',
	displayOptions: { show: { mediaSource: ['base64'] } },
	toApi: (entered: string) => {
		const type = entered.trim();
		if (isMimeType(type)) return { mimetype: type };
		throw new InvalidInput(`is not a valid MIME type: ${shown(entered)}`, 'Enter a type such as image/jpeg.');
	},
};

const caption: Field = {
	displayName: 'Caption',
	name: 'caption',
	type: 'string',
	typeOptions: { rows: 2 },
	default: '',
	placeholder: 'e.g. Your invoice for May',
	description: 'Text to show with the file',
	toApi: (text: string, settings) => ({ caption: inFormat(text, settings) }),
};

const filename: Field = {
	displayName: 'File Name',
	name: 'filename',
	type: 'string',
	default: '',
	placeholder: 'e.g. invoice.pdf',
	description: 'File name that the recipient sees',
	toApi: (name: string) => ({ filename: name.trim() }),
};

/** The fields and the request of every operation that sends media (API spec, "Media"). */
export const sendFields = {
	fields: [to, modelChooses('to'), mediaSource, binaryPropertyName, mediaUrl, mediaData, mimetype],
	additionalFields: [caption, filename],
	options: [...messageOptions, format],
	request: mediaRequest,
} satisfies Partial<Operation>;

/**
 * Builds the request: multipart for a file of the item, else JSON. Multipart has only the fields `to`, `file` and `caption`
 * (API spec, "Media").
 *
 * @throws InvalidInput when the binary field holds no file that can be sent
 */
export function mediaRequest(input: Input): ReturnType<NonNullable<Operation['request']>> {
	const { parameters, settings, file } = input;
	const { to: recipient, caption: text, filename: entered } = parameters;
	const name = entered ? String(entered) : undefined;
	const named = (mimetype: string): string | undefined => name && withExtension(name, extensionOf(mimetype));
	if (settings.mediaSource !== 'binary') {
		// A URL can tell the type of its file.
		const { pathname } = parameters.mediaUrl ? new URL(String(parameters.mediaUrl)) : { pathname: '' };
		const { mimetype: type } = describeFile({ filename: pathname, mimetypes: [parameters.mimetype] });
		return { parameters: { ...parameters, filename: named(type) } };
	}
	const part = file(settings.binaryPropertyName);
	// What the file does not say, the entered name may.
	const { mimetype: type } = name ? describeFile({ filename: name, mimetypes: [part.mimetype] }) : part;
	return {
		parameters: { to: recipient, caption: text },
		file: { ...part, mimetype: type, filename: named(type) ?? part.filename },
	};
}
