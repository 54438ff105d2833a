import type { IBinaryData, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Download } from '../api/download';
import type { FilePart } from '../api/apiRequest';
import { InvalidInput, shown } from '../operation/input';
import { isMimeType } from '../api/mimeType';

const DEFAULT_FILENAME = 'file';
const DEFAULT_MIME_TYPE = 'application/octet-stream';

/** n8n's storage modes. They stand in `data` when the content is in the store, under the file's ID. */
const STORAGE_MODE = /^(default|filesystem(-v2)?|database|s3|azure)$/;

const FIELD = 'Input Binary Field';

/**
 * The file in a binary field of an item. It is opened only when it is sent.
 *
 * @throws InvalidInput when the item has no file there, or not one that can be sent
 */
export function fileOf(context: IExecuteFunctions, itemIndex: number, binaryPropertyName: string): FilePart {
	const { binary: files = {} }: Partial<INodeExecutionData> = context.getInputData()[itemIndex] ?? {};
	const binary = files[binaryPropertyName];
	if (!binary) {
		const present = Object.keys(files);
		throw new InvalidInput(
			`names '${binaryPropertyName}', but the input item has no file there`,
			present.length > 0
				? `The item has a file in: ${present.join(', ')}.`
				: 'Put a node before this one that reads or downloads the file.',
			FIELD,
		);
	}
	// A Code node can leave out any part of a file.
	const { id, data, fileName, mimeType }: Partial<IBinaryData> = binary;
	if (!id && (!data || STORAGE_MODE.test(data))) {
		throw new InvalidInput(
			`names '${binaryPropertyName}', but the file there has no content`,
			'Look at the node that made the file. Where items are changed on the way, the whole file must be passed on.',
			FIELD,
		);
	}
	if (mimeType && !isMimeType(mimeType)) {
		throw new InvalidInput(
			`names '${binaryPropertyName}', but the file there has no valid MIME type: ${shown(mimeType)}`,
			'Look at the node that made the file. A MIME type is written as in image/jpeg.',
			FIELD,
		);
	}
	const cannotRead = (): never => {
		throw new InvalidInput(
			`names '${binaryPropertyName}', but n8n cannot read the file there`,
			'It may have been deleted since it was made. Run the nodes before this one again.',
			FIELD,
		);
	};
	const { helpers } = context;
	const content = id ? undefined : Buffer.from(String(data), 'base64');
	return {
		filename: String(fileName ?? '').trim() || DEFAULT_FILENAME,
		mimetype: mimeType || DEFAULT_MIME_TYPE,
		size: async () =>
			content?.length ?? (await helpers.getBinaryMetadata(String(id)).catch(cannotRead)).fileSize,
		open: async () => content ?? (await helpers.getBinaryStream(String(id)).catch(cannotRead)),
	};
}

/** The item for a downloaded file, streamed into n8n's binary store. */
export async function downloadedItem(
	{ helpers }: IExecuteFunctions,
	{ stream, filename, mimetype }: Download,
	binaryPropertyName: string,
): Promise<INodeExecutionData> {
	const binary = await helpers.prepareBinaryData(
		stream,
		filename ?? DEFAULT_FILENAME,
		mimetype ?? DEFAULT_MIME_TYPE,
	);
	return {
		json: {
			filename: filename ?? DEFAULT_FILENAME,
			mimetype: binary.mimeType,
			size: await sizeOf(helpers, binary),
		},
		binary: { [binaryPropertyName]: binary },
	};
}

/** In bytes. n8n 1.x notes it with the file in words only. */
async function sizeOf(
	{ getBinaryMetadata }: IExecuteFunctions['helpers'],
	{ id, data, bytes }: IBinaryData,
): Promise<number> {
	return bytes ?? (id ? (await getBinaryMetadata(id)).fileSize : Buffer.from(data, 'base64').length);
}
