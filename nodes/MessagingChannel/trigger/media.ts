import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { GET_MESSAGE_MEDIA } from '../api/endpoints';
import type { Client } from '../api/client';
import { connect } from '../n8n/connect';
import { downloadedItem } from '../n8n/binaryData';
import { failedItem } from '../n8n/nodeErrors';

/** The output field of the file; the trigger's description names it. */
const BINARY_FIELD = 'data';

/**
 * The items with their messages' media attached. An item whose download fails stays, with the reason in `media_error`.
 */
export async function withMedia(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	if (!items.some(hasMedia)) return items;
	const connecting = connect(context);
	return await Promise.all(
		items.map(async (item) => {
			if (!hasMedia(item)) return item;
			return await connecting
				.then(async (client) => await attached(context, client, item))
				.catch((error: unknown) => ({
					...item,
					json: { ...item.json, media_error: failedItem(error, 0).json },
				}));
		}),
	);
}

async function attached(
	context: IExecuteFunctions,
	client: Client,
	item: INodeExecutionData,
): Promise<INodeExecutionData> {
	const { id: messageId } = messageOf(item);
	const { binary } = await client.download(
		{ endpoint: GET_MESSAGE_MEDIA, parameters: { messageId } },
		async (file) => await downloadedItem(context, file, BINARY_FIELD),
	);
	return { ...item, binary };
}

function hasMedia(item: INodeExecutionData): boolean {
	return messageOf(item).has_media === true;
}

function messageOf({ json }: INodeExecutionData): IDataObject {
	const { message } = json;
	return typeof message === 'object' && message !== null ? (message as IDataObject) : {};
}
