import type { BinaryHelperFunctions, IBinaryData, INodeExecutionData } from 'n8n-workflow';

import type { Download } from '../api/download';
import type { FilePart } from '../api/apiRequest';
import { ApiError, messageOf } from '../api/errors';
import { base64In, STORAGE_MODE } from '../operation/base64';
import { InvalidInput, shown } from '../operation/input';
import { baseName, describeFile } from '../api/fileName';
import { isMimeType, withoutParameters } from '../api/mimeType';
import { idOf, isRecord, recordOrEmpty } from '../api/values';

const FIELD = 'Input Binary Field';

const FILE_ADVICE =
	"For a file of an earlier node, use an expression such as {{ $('Name of the Node').item.binary.data }}.";

/** The field of its JSON in which an item has its files when the 'Execution Logic' of the workflow is v2. */
const FILES_IN_JSON = '_files';

/**
 * The file in a binary field of an item, or one that an expression gives. It is opened only when it is sent.
 *
 * @param source the name of the field, or the file
 * @throws InvalidInput when the field holds no file, or one that cannot be sent
 */
export function fileOf(
	helpers: Pick<BinaryHelperFunctions, 'getBinaryMetadata' | 'getBinaryStream'>,
	item: INodeExecutionData | undefined,
	source: unknown,
): FilePart {
	const files = filesIn(item);
	const isName = !isRecord(source);
	if (!isName && !('mimeType' in source)) {
		throw new InvalidInput(
			'is all files of the item, not one of them',
			`Enter the name of one of their fields: ${Object.keys(source).join(', ')}.`,
			FIELD,
		);
	}
	// A Code node can leave out any property of a file.
	const binary = isName ? files[String(source).replace(/^_files\./, '')] : (source as Partial<IBinaryData>);
	if (!binary) {
		const present = Object.keys(files);
		throw new InvalidInput(
			`is '${String(source)}', but the input item has no file in that field`,
			present.length > 0
				? `The item has files in these fields: ${present.join(', ')}.`
				: `Add a node before this one that reads or downloads the file. For a file on the web, set 'Media Source' to 'URL'. ${FILE_ADVICE}`,
			FIELD,
		);
	}
	const { id, data, bytes, fileName, fileExtension, mimeType } = binary;
	const value = isName ? `'${String(source)}'` : 'an expression';
	const place = isName ? 'in that field' : 'that it gives';
	const noContent = new InvalidInput(
		`is ${value}, but the file ${place} has no content`,
		isName
			? 'Check the node that created the file. Nodes that change the item must pass on the whole file.'
			: // n8n's `$binary` lacks the content of a file that is in the item.
				`Enter the name of the file's field, e.g. data. ${FILE_ADVICE}`,
		FIELD,
	);
	const isEmpty = id ? bytes === 0 : !data || STORAGE_MODE.test(data);
	if (isEmpty) throw noContent;
	if (mimeType && !isMimeType(mimeType)) {
		throw new InvalidInput(
			`is ${value}, but the file ${place} has no valid MIME type: ${shown(mimeType)}`,
			'Check the node that created the file. It must set a MIME type such as image/jpeg.',
			FIELD,
		);
	}
	const base64 = id ? undefined : base64In(String(data));
	if (!id && base64 === undefined) {
		throw new InvalidInput(
			`is ${value}, but the file ${place} is not valid Base64`,
			'Check the node that created the file. In a Code node, convert the content to Base64.',
			FIELD,
		);
	}
	const cannotRead = (): never => {
		throw new InvalidInput(
			`is ${value}, but n8n cannot read the file ${place}`,
			'The file may have been deleted. Run the previous nodes again.',
			FIELD,
			'storage_error',
		);
	};
	return {
		...describeFile({ filename: fileName, extension: fileExtension, mimetypes: [mimeType] }),
		// When an execution from a webhook ends, n8n moves its files to another folder.
		source: base64 ?? String(id).replace(/.*\//, ''),
		size: async () => {
			if (base64) return Buffer.byteLength(base64, 'base64');
			const { fileSize } = await helpers.getBinaryMetadata(String(id)).catch(cannotRead);
			// n8n 1.x stores no size with the item.
			if (fileSize === 0) throw noContent;
			return fileSize;
		},
		// Many items can share one file in memory, so it is not decoded before.
		open: async () =>
			base64 ? Buffer.from(base64, 'base64') : await helpers.getBinaryStream(String(id)).catch(cannotRead),
	};
}

function filesIn(item: INodeExecutionData | undefined): Record<string, Partial<IBinaryData>> {
	const inJson = recordOrEmpty(item?.json[FILES_IN_JSON]) as Record<string, Partial<IBinaryData>>;
	return { ...inJson, ...item?.binary };
}

/**
 * Streams a downloaded file into n8n's binary store and returns its item.
 *
 * @param media what the message says of its file, for what the response does not say
 */
export async function downloadedItem(
	{ helpers }: { helpers: Pick<BinaryHelperFunctions, 'prepareBinaryData' | 'getBinaryMetadata'> },
	download: Download,
	binaryPropertyName: string,
	media: Record<string, unknown> = {},
): Promise<INodeExecutionData> {
	const { filename, mimetype } = describeFile({
		filename: download.filename ?? baseName(idOf(media.filename) ?? ''),
		mimetypes: [download.mimetype, withoutParameters(String(media.mimetype))],
	});
	const binary = await helpers.prepareBinaryData(download.stream, filename, mimetype).catch(notStored);
	return {
		json: {
			filename,
			mimetype: binary.mimeType,
			size: await sizeOf(helpers, binary),
		},
		binary: { [binaryPropertyName]: binary },
	};
}

function notStored(error: unknown): never {
	throw new ApiError({
		message: 'n8n could not store the file',
		description: `Ask your n8n administrator whether n8n's storage for binary data is full or cannot be written (${messageOf(error)}).`,
		code: 'storage_error',
		httpStatus: null,
	});
}

/** The size in bytes. n8n 1.x stores only a formatted size with the file. */
async function sizeOf(
	{ getBinaryMetadata }: Pick<BinaryHelperFunctions, 'getBinaryMetadata'>,
	{ id, data, bytes }: IBinaryData,
): Promise<number> {
	return bytes ?? (id ? (await getBinaryMetadata(id)).fileSize : Buffer.from(data, 'base64').length);
}
