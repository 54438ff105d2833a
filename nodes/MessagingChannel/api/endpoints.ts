import type { ApiRequest, Endpoint } from './apiRequest';

/** An endpoint that changes nothing. */
export type ReadEndpoint = Endpoint & { method: 'GET' };

/*
 * Endpoints that several modules call (API spec, "Endpoints"). An endpoint that only one operation calls stands in that
 * operation.
 */

export const GET_ACCOUNT: ReadEndpoint = { method: 'GET', path: '/account', permission: 'valid key' };

export const GET_HEALTH: ReadEndpoint = { method: 'GET', path: '/health', permission: 'valid key' };

export const GET_CHATS: ReadEndpoint = { method: 'GET', path: '/chats', permission: 'chats:read' };

export const RESOLVE_CHAT: ReadEndpoint = {
	method: 'GET',
	path: '/chats/resolve',
	permission: 'chats:read',
};

export const GET_MESSAGES: ReadEndpoint = {
	method: 'GET',
	path: '/chats/{chatId}/messages',
	permission: 'messages:read',
};

/** A request for messages of a chat, without their raw data and without links to their files. */
export function messagesRequest(chatId: string, page: { limit?: number } = {}): ApiRequest {
	const parameters = { chatId, ...page, includeRaw: false, includePresignedUrl: false };
	return { endpoint: GET_MESSAGES, parameters };
}

/** The most messages that one request returns (API spec, "Limits"). */
export const MAX_MESSAGES_PER_REQUEST = 200;

export const GET_MESSAGE_MEDIA: ReadEndpoint = {
	method: 'GET',
	path: '/messages/{messageId}/media',
	permission: 'messages:read',
};

export const GET_QUEUE: ReadEndpoint = {
	method: 'GET',
	path: '/messages/queue',
	permission: 'messages:read',
};

export const GET_RATE_LIMIT: ReadEndpoint = {
	method: 'GET',
	path: '/messages/rate-limit',
	permission: 'messages:read',
};

export const SEND_MESSAGE: Endpoint = {
	method: 'POST',
	path: '/messages/send',
	permission: 'messages:send',
	sends: 'text',
};

export const GET_CONTACTS: ReadEndpoint = { method: 'GET', path: '/contacts', permission: 'chats:read' };

export const GET_TAGS: ReadEndpoint = { method: 'GET', path: '/tags', permission: 'chats:read' };

export const GET_TEMPLATES: ReadEndpoint = { method: 'GET', path: '/templates', permission: 'messages:read' };

export const GET_TEMPLATE: ReadEndpoint = {
	method: 'GET',
	path: '/templates/{id}',
	permission: 'messages:read',
};

export const GET_WEBHOOK: ReadEndpoint = { method: 'GET', path: '/webhooks', permission: 'valid key' };

export const SET_WEBHOOK: Endpoint = {
	method: 'POST',
	path: '/webhooks',
	permission: 'valid key',
	idempotent: true,
};

export const DELETE_WEBHOOK: Endpoint = { method: 'DELETE', path: '/webhooks', permission: 'valid key' };

export const SEND_TEST_EVENT: Endpoint = { method: 'POST', path: '/webhooks/test', permission: 'valid key' };
