/** The parameters of one operation: those of its panel, then those of its collections. */
interface Parameters {
	panel: string;
	filters?: string;
	additionalFields?: string;
	updateFields?: string;
	options?: string;
}

const ID = 'endpointPath';
const BODY = 'bodyFields endpointPath';
const LIST = 'returnAll limit';
const MEDIA = 'to mediaSource binaryPropertyName mediaUrl mediaData mimetype';
const RULE = 'isActive name reply triggerType triggerValue';

/** Options of every operation. */
export const SHARED_OPTIONS = ['maxAttempts', 'maxConcurrency', 'maxRateLimitWait'];

/** Options of every operation that sends. */
export const SENDING_OPTIONS = ['afterAmbiguousSend', 'pauseWhenQueueAbove'];

/** The parameters that saved workflows hold, by operation: none of these names ever changes. */
export const PARAMETERS: Record<string, Parameters> = {
	'account.get': { panel: '' },
	'account.getHealth': { panel: '' },
	'chat.getAll': { panel: LIST },
	'chat.getMessages': {
		panel: `chatId ${LIST}`,
		filters: 'before',
		options: 'includePresignedUrl includeRaw',
	},
	'chat.resolve': { panel: 'phone' },
	'message.getQueue': { panel: '' },
	'message.getRateLimit': { panel: '' },
	'message.send': { panel: 'to message', options: 'priority sync' },
	'message.sendAndWait': {
		panel: 'to message responseType approvalOptions formFields',
		options:
			'appendAttribution limitWaitTime messageButtonLabel responseFormButtonLabel responseFormDescription responseFormTitle',
	},
	'message.validate': { panel: 'message' },
	'media.downloadFile': { panel: 'filename binaryPropertyName', options: 'download' },
	'media.downloadFromMessage': {
		panel: 'messageId binaryPropertyName',
		options: 'download format inline',
	},
	'media.send': { panel: MEDIA, additionalFields: 'caption filename asDocument asSticker asVoice' },
	'media.sendAudio': { panel: MEDIA, additionalFields: 'caption filename' },
	'media.sendDocument': { panel: MEDIA, additionalFields: 'caption filename' },
	'media.sendImage': { panel: MEDIA, additionalFields: 'caption filename' },
	'media.sendSticker': { panel: MEDIA, additionalFields: 'caption filename' },
	'media.sendVoice': { panel: MEDIA, additionalFields: 'caption filename' },
	'contact.check': { panel: 'phone' },
	'contact.delete': { panel: 'phone' },
	'contact.get': { panel: 'phone' },
	'contact.getAll': { panel: LIST, filters: 'isChannelUser search tags', options: 'sortBy sortOrder' },
	'contact.sync': { panel: 'phones', additionalFields: 'updateExisting' },
	'contact.update': { panel: 'phone', updateFields: 'isBlocked customFields name notes tags' },
	'group.create': { panel: 'name', additionalFields: 'color description icon' },
	'group.getAll': { panel: LIST },
	'tag.create': { panel: 'name', additionalFields: 'color' },
	'tag.getAll': { panel: LIST },
	'template.create': { panel: 'name content', additionalFields: 'category language variables' },
	'template.delete': { panel: 'templateId' },
	'template.get': { panel: 'templateId' },
	'template.getAll': { panel: LIST, filters: 'isActive category search' },
	'template.send': { panel: 'to templateId templateVariables', additionalFields: 'variables' },
	'template.update': {
		panel: 'templateId',
		updateFields: 'isActive category content language name variables',
	},
	'scheduledMessage.cancel': { panel: 'scheduledMessageId', options: ID },
	'scheduledMessage.create': { panel: 'to message scheduledAt', options: BODY },
	'scheduledMessage.get': { panel: 'scheduledMessageId', options: ID },
	'scheduledMessage.getAll': { panel: LIST, filters: 'status' },
	'scheduledMessage.update': {
		panel: 'scheduledMessageId',
		updateFields: 'message scheduledAt to',
		options: BODY,
	},
	'autoReply.create': {
		panel: 'name triggerType triggerValue reply',
		additionalFields: 'isActive',
		options: BODY,
	},
	'autoReply.delete': { panel: 'autoReplyId', options: ID },
	'autoReply.get': { panel: 'autoReplyId', options: ID },
	'autoReply.getAll': { panel: LIST, options: ID },
	'autoReply.update': { panel: 'autoReplyId', updateFields: RULE, options: BODY },
	'broadcast.cancel': { panel: 'broadcastId', options: BODY },
	'broadcast.create': {
		panel: 'name recipientsFrom recipients message delayBetweenMessages',
		additionalFields: 'templateId variables',
		options: BODY,
	},
	'broadcast.get': { panel: 'broadcastId', options: ID },
	'broadcast.getAll': { panel: LIST, options: ID },
	'broadcast.getProgress': { panel: 'broadcastId', options: ID },
	'webhook.delete': { panel: '' },
	'webhook.get': { panel: '' },
	'webhook.rotateSecret': { panel: '' },
	'webhook.set': { panel: 'url events', additionalFields: 'timeoutSeconds' },
	'webhook.test': { panel: '' },
};
