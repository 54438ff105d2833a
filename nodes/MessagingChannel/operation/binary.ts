import type { IBinaryData, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Download } from '../api/client';
import type { FilePart } from '../api/multipart';
import { InvalidInput } from './input';

/**
 * The file in a binary field of an item. It is opened only when it is sent.
 *
 * @throws InvalidInput when the item has no file there
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
			'Input Binary Field',
		);
	}
	return partOf(context, binary);
}

function partOf({ helpers }: IExecuteFunctions, binary: IBinaryData): FilePart {
	const { id } = binary;
	const content = id ? undefined : Buffer.from(binary.data, 'base64');
	return {
		filename: binary.fileName ?? 'file',
		mimetype: binary.mimeType,
		size: async () => (content ? content.length : (await helpers.getBinaryMetadata(String(id))).fileSize),
		open: async () => content ?? (await helpers.getBinaryStream(String(id))),
	};
}

/**
 * The item for a downloaded file, streamed into n8n's binary store.
 *
 * @throws ApiError when the file broke off
 */
export async function downloadedItem(
	context: IExecuteFunctions,
	{ stream, headers, broken }: Download,
	binaryPropertyName: string,
): Promise<INodeExecutionData> {
	const fileName = fileNameOf(headers['content-disposition']) ?? 'file';
	const contentType = String(headers['content-type'] ?? '');
	const type = contentType.replace(/;.*/, '').trim() || 'application/octet-stream';
	const binary = await context.helpers.prepareBinaryData(stream, fileName, type).catch((error: unknown) => {
		throw broken() ?? error;
	});
	// n8n 1.x notes the size in words only.
	const size = binary.bytes ?? (await partOf(context, binary).size());
	return {
		json: { filename: fileName, mimetype: binary.mimeType, size },
		binary: { [binaryPropertyName]: binary },
	};
}

/** The file name in a Content-Disposition header, its extended form first (RFC 6266), without any folders. */
function fileNameOf(contentDisposition: unknown): string | undefined {
	const header = String(contentDisposition);
	const extended = /filename\*=(?:UTF-8|utf-8)''([^;]+)/.exec(header)?.[1];
	const plain = /filename="([^"]*)"/.exec(header)?.[1] ?? /filename=([^;"]+)/.exec(header)?.[1];
	return (extended ? safelyDecoded(extended) : plain)?.split(/[/\\]/).pop()?.trim() || undefined;
}

function safelyDecoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
