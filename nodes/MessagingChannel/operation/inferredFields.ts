/** The fields that the service does not publish, by operation or event. Written by `npm run docs` from openapi.yaml. */
export const INFERRED_FIELDS: Readonly<Record<string, string | undefined>> = {
	'message.send': 'message_id, status',
	'media.downloadFromMessage': 'message_id, download_url',
	'scheduledMessage.getAll': 'id, to, message, scheduled_at, status',
	'chat.getMessages': 'media, raw',
	'contact.get': 'last_message_at, created_at',
	'contact.sync': 'total, created, updated, skipped',
	'contact.update': 'last_message_at, created_at',
	'group.create': 'id',
	'group.getAll': 'id',
	'tag.create': 'id',
	'tag.getAll': 'id',
	'webhook.test': 'event_id, delivered, status',
	'message.sent': 'event, account_id, job_id, chat, message',
	'message.status': 'event, account_id, job_id, chat, message',
	'connection.disconnected': 'event, account_id, account, timestamp',
	'connection.connected': 'event, account_id, account, timestamp',
};
