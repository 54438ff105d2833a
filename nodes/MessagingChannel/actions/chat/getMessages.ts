import { GET_MESSAGES } from '../../api/endpoints';
import { chatId } from '../../fields/chats';
import type { Operation } from '../../operation/operation';

export const getMessages: Operation = {
	value: 'getMessages',
	name: 'Get Messages',
	action: 'Get messages of a chat',
	description: 'Get the messages of one conversation, newest first',
	endpoint: GET_MESSAGES,
	fields: [chatId],
	pagination: 'cursor',
	filters: [
		{
			displayName: 'Before',
			name: 'before',
			type: 'dateTime',
			default: '',
			description: 'Only messages that are older than this',
		},
	],
	options: [
		{
			displayName: 'Include Download Links',
			name: 'includePresignedUrl',
			type: 'boolean',
			default: true,
			description: 'Whether to add a download link that works for a limited time to messages with media',
		},
		{
			displayName: 'Include Raw Data',
			name: 'includeRaw',
			type: 'boolean',
			default: true,
			description: 'Whether to add the data of the channel as it came',
		},
	],
};
