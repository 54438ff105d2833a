import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';

import { GET_MESSAGE_MEDIA } from '../api/endpoints';
import type { Client } from '../api/client';
import { parseMessage } from '../api/message';
import { kindOf, recordOrEmpty } from '../api/values';
import { UnreadableField } from '../api/unreadable';
import { runPartitioned } from '../execution/runPartitioned';
import { failedItem } from '../n8n/nodeErrors';
import { messagesIn, withMessages, type ChatMessage } from './combining/chatItem';
import { isSelected } from './delivery/filter';
import type { TriggerRun } from './delivery/trigger';

/** The binary output field. The description of the option 'Download Media' names it. */
const BINARY_FIELD = 'data';

/** Each file that is downloaded has its own connection. */
const MAX_DOWNLOADS = 25;

/** The file of a message, or why it could not be downloaded. */
type File = { binary: IBinaryKeyData } | { error: IDataObject };

/**
 * Attaches the media of each message to its item. If a download fails, the item has the reason in `media_error`. Of an item
 * with several messages, each file has a field of its own, which its message names.
 *
 * @param isWanted whether the files of an item are wanted
 */
export async function withMedia(
	{ connect, storeFile }: Pick<TriggerRun, 'connect' | 'storeFile'>,
	items: INodeExecutionData[],
	isWanted: (item: INodeExecutionData) => boolean,
): Promise<INodeExecutionData[]> {
	let client: Promise<Client> | undefined;
	const download = async (message: IDataObject, field: string): Promise<File> => {
		const { id: messageId, hasMedia } = parseMessage(message);
		try {
			if (hasMedia === 'unknown') throw new UnreadableField('message.has_media', kindOf(message.has_media));
			if (messageId === undefined) throw new UnreadableField('message.id', kindOf(message.id));
			const { binary = {} } = await (
				await (client ??= connect())
			).download(
				{ endpoint: GET_MESSAGE_MEDIA, parameters: { messageId } },
				async (file) => await storeFile(file, field, recordOrEmpty(message.media)),
			);
			return { binary };
		} catch (error) {
			return { error: failedItem(error, 0).json };
		}
	};
	return await inParallel(items, async (item) => {
		const message = recordOrEmpty(item.json.message) as IDataObject;
		const messages = messagesIn(item);
		const hasFile = messages ? messages.some((each) => mayHaveMedia(each.message)) : mayHaveMedia(message);
		// A broadcast has a status event or more for each recipient, all with the one file that was sent.
		const isStatus = isSelected({ type: String(item.json.event) }, ['message.status']);
		if (!hasFile || isStatus || !isWanted(item)) return item;
		if (messages) return await withFiles(item, messages, download);
		const file = await download(message, BINARY_FIELD);
		return 'binary' in file
			? { ...item, binary: file.binary }
			: { ...item, json: { ...item.json, media_error: file.error } };
	});
}

/** An execution has many items, or one item with many messages, so one limit is enough. */
async function inParallel<T, R>(
	tasks: readonly T[],
	run: (task: T, index: number) => Promise<R>,
): Promise<R[]> {
	const results = await runPartitioned([...tasks.entries()], {
		concurrency: () => MAX_DOWNLOADS,
		run: async ([index, task]) => await run(task, index),
	});
	// Nothing stops it, so every task has a result.
	return results as R[];
}

async function withFiles(
	item: INodeExecutionData,
	messages: readonly ChatMessage[],
	download: (message: IDataObject, field: string) => Promise<File>,
): Promise<INodeExecutionData> {
	const withFile = messages.filter(({ message }) => mayHaveMedia(message));
	const files = new Map(
		await inParallel(withFile, async ({ eventId, message }, index) => {
			const field = index === 0 ? BINARY_FIELD : `${BINARY_FIELD}_${index}`;
			return [eventId, { field, file: await download(message, field) }] as const;
		}),
	);
	const binary: IBinaryKeyData = {};
	const named = messages.map(({ eventId, message }) => {
		const found = files.get(eventId);
		if (!found) return { eventId, message };
		const { field, file } = found;
		if ('error' in file) return { eventId, message: { ...message, media_error: file.error } };
		Object.assign(binary, file.binary);
		return { eventId, message: { ...message, media_field: field } };
	});
	return { ...withMessages(item, named), binary };
}

/** Whether a message has a file, as far as the service says. Where that is not understood, the item says so. */
function mayHaveMedia(message: IDataObject): boolean {
	const saysNothing = message.has_media === null && (message.media ?? null) === null;
	return !saysNothing && [true, 'unknown'].includes(parseMessage(message).hasMedia);
}
