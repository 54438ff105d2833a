/** The parameters of one operation: those of its panel, then those of its collections. */
interface Parameters {
	panel: string;
	filters?: string;
	additionalFields?: string;
	updateFields?: string;
	options: string;
}

const LIST = 'returnAll limit';
const MEDIA = 'to mediaSource binaryPropertyName mediaUrl mediaData mimetype';
const MEDIA_FIELDS = 'caption filename';

/** Options of every operation. */
const SHARED = 'maxAttempts maxConcurrency maxRateLimitWait';
/** Options of every operation that sends. */
const ASKS = 'afterAmbiguousSend allowedRecipients defaultCountryCode pauseWhenQueueAbove';
/** Options of every operation that sends, except questions. */
const SENDS = `${ASKS} skipTags`;
/** Option of every operation that sends or creates, except the question. */
const ONCE = 'requestId';
const SENDING = `${SHARED} ${SENDS} ${ONCE}`;
/** Options of what is sent now to one recipient. */
const SENDING_NOW = `${SENDING} onlyIfWroteWithin`;
/** Options of what the service does not publish: of a call, and of one with a body. */
const INFERRED = `${SHARED} endpointPath`;
const INFERRED_BODY = `${INFERRED} bodyFields`;

/** What saved workflows hold, by operation: none of these names ever changes. */
export const PARAMETERS: Record<string, Parameters> = {
	'account.get': { panel: '', options: SHARED },
	'account.getHealth': { panel: '', options: SHARED },
	'account.checkSetup': { panel: '', options: `${SHARED} sendTestEvent` },
	'chat.getAll': { panel: LIST, options: SHARED },
	'chat.getMessages': {
		panel: `chatId simplify output fields ${LIST}`,
		filters: 'before',
		options: `${SHARED} includePresignedUrl includeRaw`,
	},
	'chat.resolve': { panel: 'phone', options: SHARED },
	'message.getQueue': { panel: '', options: SHARED },
	'message.getRateLimit': { panel: '', options: SHARED },
	'message.send': {
		panel: 'to message',
		options: `${SENDING_NOW} findMessageId format priority splitLongText sync`,
	},
	'message.sendAndWait': {
		panel: 'to message responseType approvalOptions formFields',
		options: `${SHARED} ${ASKS} allowedResponders answerInChat appendAttribution limitWaitTime messageButtonLabel pageLanguage responseFormButtonLabel responseFormDescription responseFormTitle texts`,
	},
	'message.validate': { panel: 'message', options: SHARED },
	'media.downloadFile': { panel: 'filename binaryPropertyName', options: `${SHARED} download` },
	'media.downloadFromMessage': {
		panel: 'messageId binaryPropertyName',
		options: `${SHARED} download format inline`,
	},
	'media.send': {
		panel: MEDIA,
		additionalFields: `${MEDIA_FIELDS} asDocument asSticker asVoice`,
		options: `${SENDING_NOW} format`,
	},
	'media.sendAudio': { panel: MEDIA, additionalFields: MEDIA_FIELDS, options: `${SENDING_NOW} format` },
	'media.sendDocument': { panel: MEDIA, additionalFields: MEDIA_FIELDS, options: `${SENDING_NOW} format` },
	'media.sendImage': { panel: MEDIA, additionalFields: MEDIA_FIELDS, options: `${SENDING_NOW} format` },
	'media.sendSticker': { panel: MEDIA, additionalFields: MEDIA_FIELDS, options: `${SENDING_NOW} format` },
	'media.sendVoice': { panel: MEDIA, additionalFields: MEDIA_FIELDS, options: `${SENDING_NOW} format` },
	'contact.check': { panel: 'phone', options: SHARED },
	'contact.delete': { panel: 'phone', options: SHARED },
	'contact.get': { panel: 'phone', options: SHARED },
	'contact.getAll': {
		panel: LIST,
		filters: 'isChannelUser search tags',
		options: `${SHARED} sortBy sortOrder`,
	},
	'contact.sync': { panel: 'phones', additionalFields: 'updateExisting', options: SHARED },
	'contact.update': {
		panel: 'phone',
		updateFields: 'isBlocked customFields name notes tags',
		options: SHARED,
	},
	'group.create': { panel: 'name', additionalFields: 'color description icon', options: `${SHARED} ${ONCE}` },
	'group.getAll': { panel: LIST, options: SHARED },
	'tag.create': { panel: 'name', additionalFields: 'color', options: `${SHARED} ${ONCE}` },
	'tag.getAll': { panel: LIST, options: SHARED },
	'template.create': {
		panel: 'name content',
		additionalFields: 'category language variables',
		options: `${SHARED} ${ONCE}`,
	},
	'template.delete': { panel: 'templateId', options: SHARED },
	'template.get': { panel: 'templateId', options: SHARED },
	'template.getAll': { panel: LIST, filters: 'isActive category search', options: SHARED },
	'template.send': {
		panel: 'to templateId templateVariables',
		additionalFields: 'variables',
		options: SENDING_NOW,
	},
	'template.update': {
		panel: 'templateId',
		updateFields: 'isActive category content language name variables',
		options: SHARED,
	},
	'scheduledMessage.cancel': { panel: 'scheduledMessageId', options: INFERRED },
	'scheduledMessage.create': {
		panel: 'to message scheduledAt',
		options: `${INFERRED_BODY} ${SENDS} ${ONCE} format`,
	},
	'scheduledMessage.get': { panel: 'scheduledMessageId', options: INFERRED },
	'scheduledMessage.getAll': { panel: LIST, filters: 'status', options: SHARED },
	'scheduledMessage.update': {
		panel: 'scheduledMessageId',
		updateFields: 'message scheduledAt to',
		options: `${INFERRED_BODY} allowedRecipients`,
	},
	'autoReply.create': {
		panel: 'name triggerType triggerValue reply',
		additionalFields: 'isActive',
		options: `${INFERRED_BODY} ${ONCE}`,
	},
	'autoReply.delete': { panel: 'autoReplyId', options: INFERRED },
	'autoReply.get': { panel: 'autoReplyId', options: INFERRED },
	'autoReply.getAll': { panel: LIST, options: INFERRED },
	'autoReply.update': {
		panel: 'autoReplyId',
		updateFields: 'isActive name reply triggerType triggerValue',
		options: INFERRED_BODY,
	},
	'broadcast.cancel': { panel: 'broadcastId', options: INFERRED_BODY },
	'broadcast.create': {
		panel: 'name recipientsFrom recipients message delayBetweenMessages',
		additionalFields: 'templateId variables',
		options: `${INFERRED_BODY} ${SENDS} ${ONCE} format`,
	},
	'broadcast.get': { panel: 'broadcastId', options: INFERRED },
	'broadcast.getAll': { panel: LIST, options: INFERRED },
	'broadcast.getProgress': { panel: 'broadcastId', options: INFERRED },
	'webhook.delete': { panel: '', options: SHARED },
	'webhook.get': { panel: '', options: SHARED },
	'webhook.rotateSecret': { panel: '', options: SHARED },
	'webhook.set': { panel: 'url events', additionalFields: 'timeoutSeconds', options: SHARED },
	'webhook.test': { panel: '', options: SHARED },
};
