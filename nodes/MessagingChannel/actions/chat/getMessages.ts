import { GET_MESSAGES } from '../../api/endpoints';
import { chatId } from '../../fields/chats';
import type { Operation } from '../../operation/operation';
import { messageFields, output, requestForOutput, selectedFields, simplify } from './messageFields';

export const getMessages: Operation = {
	value: 'getMessages',
	name: 'Get Messages',
	action: 'Get chat messages',
	description: 'Retrieve the messages of a chat, newest first',
	endpoint: GET_MESSAGES,
	fields: [chatId, simplify, output, selectedFields],
	pagination: 'cursor',
	filters: [
		{
			displayName: 'Before',
			name: 'before',
			type: 'dateTime',
			default: '',
			placeholder: 'e.g. 2030-01-31T09:00:00',
			description: 'Return only messages older than this date and time',
		},
	],
	options: [
		{
			displayName: 'Include Download Links',
			name: 'includePresignedUrl',
			type: 'boolean',
			default: true,
			description:
				'Whether to add a temporary download link to messages with media. If the response is simplified, they have none unless you turn this on.',
		},
		{
			displayName: 'Include Raw Data',
			name: 'includeRaw',
			type: 'boolean',
			default: true,
			description: 'Whether to include the raw data from the channel',
			displayOptions: { hide: { '/simplify': [true] } },
		},
	],
	request: requestForOutput,
	pickFields: messageFields,
};
