import { OpenAPIBackend } from 'openapi-backend';

import { loadDefinition, loadDescription } from '../support/service/description';
import { handlers } from '../support/service/handlers';

/** The specification's table: operation, call, permission. */
const table = `
account.getHealth GET /health valid-key
account.get GET /account valid-key
chat.getAll GET /chats chats:read
chat.resolve GET /chats/resolve chats:read
chat.getMessages GET /chats/{chatId}/messages messages:read
message.send POST /messages/send messages:send
message.getRateLimit GET /messages/rate-limit messages:read
message.getQueue GET /messages/queue messages:read
message.validate POST /messages/validate messages:read
media.send POST /messages/send-media messages:send
media.sendImage POST /messages/send-image messages:send
media.sendDocument POST /messages/send-document messages:send
media.sendAudio POST /messages/send-audio messages:send
media.sendVoice POST /messages/send-voice messages:send
media.sendSticker POST /messages/send-sticker messages:send
media.downloadFile GET /media/{filename} messages:read
media.downloadFromMessage GET /messages/{messageId}/media messages:read
contact.getAll GET /contacts chats:read
contact.get GET /contacts/{phone} chats:read
contact.update PUT /contacts/{phone} chats:read
contact.delete DELETE /contacts/{phone} chats:read
contact.check GET /contacts/{phone}/check chats:read
contact.sync POST /contacts/sync chats:read
group.getAll GET /groups chats:read
group.create POST /groups chats:write
tag.getAll GET /tags chats:read
tag.create POST /tags chats:write
template.getAll GET /templates messages:read
template.create POST /templates messages:send
template.get GET /templates/{id} messages:read
template.update PUT /templates/{id} messages:send
template.delete DELETE /templates/{id} messages:send
template.send POST /messages/send-template messages:send
scheduledMessage.getAll GET /messages/scheduled messages:read
webhook.get GET /webhooks valid-key
webhook.set POST /webhooks valid-key
webhook.delete DELETE /webhooks valid-key
webhook.test POST /webhooks/test valid-key
webhook.rotateSecret POST /webhooks/rotate-secret valid-key
`;

/** What the contract marks as inferred; the permissions follow the siblings. */
const inferredTable = `
scheduledMessage.create POST /messages/schedule messages:send
scheduledMessage.get GET /messages/scheduled/{id} messages:read
scheduledMessage.update PUT /messages/scheduled/{id} messages:send
scheduledMessage.cancel DELETE /messages/scheduled/{id} messages:send
autoReply.getAll GET /auto-replies messages:read
autoReply.create POST /auto-replies messages:send
autoReply.get GET /auto-replies/{id} messages:read
autoReply.update PUT /auto-replies/{id} messages:send
autoReply.delete DELETE /auto-replies/{id} messages:send
broadcast.getAll GET /messages/broadcast messages:read
broadcast.create POST /messages/broadcast messages:send
broadcast.get GET /messages/broadcast/{id} messages:read
broadcast.getProgress GET /messages/broadcast/{id}/progress messages:read
broadcast.cancel POST /messages/broadcast/{id}/cancel messages:send
`;

const rows = (text: string) => text.trim().split('\n').sort();

test('openapi.yaml is a valid OpenAPI document', async () => {
	const definition = loadDefinition();
	const api = new OpenAPIBackend({ definition, quick: true });
	await api.loadDocument();
	expect(() => api.validateDefinition()).not.toThrow();
	expect(definition.openapi).toBe('3.1.0');
});

test('describes exactly these operations, with the permissions of the specification', async () => {
	const { operations } = await loadDescription();
	const rowOf = ({ id, method, path, permission }: (typeof operations)[number]) =>
		`${id} ${method} ${path} ${permission}`;
	const published = operations.filter(({ inferred }) => !inferred).map(rowOf);
	const inferred = operations.filter((operation) => operation.inferred).map(rowOf);
	expect(published.sort()).toEqual(rows(table));
	expect(inferred.sort()).toEqual(rows(inferredTable));
});

test('every operation has a handler, and no handler is left over', async () => {
	const { operations } = await loadDescription();
	expect(Object.keys(handlers).sort()).toEqual(operations.map(({ id }) => id).sort());
});
