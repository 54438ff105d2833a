import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { GET_MESSAGE_MEDIA } from '../api/endpoints';
import type { Client } from '../api/client';
import { recordOrEmpty } from '../api/values';
import { connect } from '../n8n/connect';
import { downloadedItem } from '../n8n/binaryData';
import { failedItem } from '../n8n/nodeErrors';

/** The binary output field. The description of the option 'Download Media' names it. */
const BINARY_FIELD = 'data';

/** Attaches the media of each message to its item. If a download fails, the item has the reason in `media_error`. */
export async function withMedia(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	if (!items.some(hasMedia)) return items;
	const connection = connect(context);
	return await Promise.all(
		items.map(async (item) => {
			if (!hasMedia(item)) return item;
			return await connection
				.then(async (client) => await withFile(context, client, item))
				.catch((error: unknown) => ({
					...item,
					json: { ...item.json, media_error: failedItem(error, 0).json },
				}));
		}),
	);
}

async function withFile(
	context: IExecuteFunctions,
	client: Client,
	item: INodeExecutionData,
): Promise<INodeExecutionData> {
	const { id: messageId } = recordOrEmpty(item.json.message);
	const { binary } = await client.download(
		{ endpoint: GET_MESSAGE_MEDIA, parameters: { messageId } },
		async (file) => await downloadedItem(context, file, BINARY_FIELD),
	);
	return { ...item, binary };
}

function hasMedia(item: INodeExecutionData): boolean {
	return recordOrEmpty(item.json.message).has_media === true;
}
