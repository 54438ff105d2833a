import type { IDataObject } from 'n8n-workflow';

import type { Client } from '../../../../nodes/MessagingChannel/api/client';

/** A service with these messages in every chat, newest first, and the paths of what it was asked. */
export function serviceWithChat(id: string, messages: readonly IDataObject[]) {
	const asked: string[] = [];
	const client: Client = {
		call: async ({ endpoint, parameters }) => {
			asked.push(endpoint.path);
			if (endpoint.path === '/chats/resolve') return await Promise.resolve({ data: { id } });
			const { before, ...others } = parameters as IDataObject;
			expect(others).toEqual({ chatId: id, limit: 200, includeRaw: false, includePresignedUrl: false });
			const end = before === undefined ? Infinity : Date.parse(String(before)) / 1000;
			const older = messages.filter(({ timestamp }) => Number(timestamp) < end);
			return await Promise.resolve({ data: older.slice(0, 200) });
		},
		download: async () => await Promise.reject(new Error('Not for messages.')),
	};
	return { client, asked };
}
