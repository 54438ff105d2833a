import type { Handler } from './core/call';
import * as account from './resources/account';
import * as autoReplies from './resources/autoReplies';
import * as broadcasts from './resources/broadcasts';
import * as chats from './resources/chats';
import * as contacts from './resources/contacts';
import * as groupsAndTags from './resources/groupsAndTags';
import * as media from './resources/media';
import * as messages from './resources/messages';
import * as scheduledMessages from './resources/scheduledMessages';
import * as templates from './resources/templates';
import * as webhooks from './resources/webhooks';

/** The handler of each operation of openapi.yaml. */
export const handlers: Record<string, Handler> = {
	'account.get': account.get,
	'account.getHealth': account.getHealth,
	'chat.getAll': chats.getAll,
	'chat.getMessages': chats.getMessages,
	'chat.resolve': chats.resolve,
	'message.getQueue': messages.getQueue,
	'message.getRateLimit': messages.getRateLimit,
	'message.send': messages.send,
	'message.validate': messages.validate,
	'media.downloadFile': media.downloadFile,
	'media.downloadFromMessage': media.downloadFromMessage,
	'media.send': media.send,
	'media.sendAudio': media.sendAudio,
	'media.sendDocument': media.sendDocument,
	'media.sendImage': media.sendImage,
	'media.sendSticker': media.sendSticker,
	'media.sendVoice': media.sendVoice,
	'contact.check': contacts.check,
	'contact.delete': contacts.remove,
	'contact.get': contacts.get,
	'contact.getAll': contacts.getAll,
	'contact.sync': contacts.sync,
	'contact.update': contacts.update,
	'group.create': groupsAndTags.createGroup,
	'group.getAll': groupsAndTags.getGroups,
	'tag.create': groupsAndTags.createTag,
	'tag.getAll': groupsAndTags.getTags,
	'template.create': templates.create,
	'template.delete': templates.remove,
	'template.get': templates.get,
	'template.getAll': templates.getAll,
	'template.send': templates.send,
	'template.update': templates.update,
	'scheduledMessage.cancel': scheduledMessages.cancel,
	'scheduledMessage.create': scheduledMessages.create,
	'scheduledMessage.get': scheduledMessages.get,
	'scheduledMessage.getAll': scheduledMessages.getAll,
	'scheduledMessage.update': scheduledMessages.update,
	'autoReply.create': autoReplies.create,
	'autoReply.delete': autoReplies.remove,
	'autoReply.get': autoReplies.get,
	'autoReply.getAll': autoReplies.getAll,
	'autoReply.update': autoReplies.update,
	'broadcast.cancel': broadcasts.cancel,
	'broadcast.create': broadcasts.create,
	'broadcast.get': broadcasts.get,
	'broadcast.getAll': broadcasts.getAll,
	'broadcast.getProgress': broadcasts.getProgress,
	'webhook.delete': webhooks.remove,
	'webhook.get': webhooks.get,
	'webhook.rotateSecret': webhooks.rotateSecret,
	'webhook.set': webhooks.set,
	'webhook.test': webhooks.test,
};
