import { GET_MESSAGE_MEDIA } from '../../api/endpoints';
import { asAttachment, outputBinaryField } from '../../fields/download';
import { validId } from '../../fields/recordId';
import type { Operation } from '../../operation/operation';

export const downloadFromMessage: Operation = {
	value: 'downloadFromMessage',
	name: 'Download From Message',
	action: 'Download media from message',
	description: 'Download the media file of a message',
	endpoint: GET_MESSAGE_MEDIA,
	fields: [
		{
			displayName: 'Message ID',
			name: 'messageId',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. false_905551234567@c.us_3EB0C767D82B',
			description: 'ID of the message, from the trigger or Chat > Get Messages',
			toApi: (messageId: string) => ({ messageId: validId(messageId) }),
		},
		outputBinaryField,
	],
	options: [
		asAttachment,
		{
			displayName: 'Format',
			name: 'format',
			type: 'options',
			default: 'file',
			description: 'What to return',
			options: [
				{ name: 'Details and Download Link', value: 'json' },
				{ name: 'File', value: 'file' },
			],
			toApi: (format: string) => (format === 'json' ? { format } : {}),
		},
		{
			displayName: 'Inline',
			name: 'inline',
			type: 'boolean',
			default: true,
			description:
				'Whether the service marks the file as one that a browser shows. The content that n8n gets is the same.',
		},
	],
	download: ({ parameters }) => parameters.format !== 'json',
};
