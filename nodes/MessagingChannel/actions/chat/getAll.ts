import { GET_CHATS } from '../../api/endpoints';
import type { Operation } from '../../operation/operation';
import { withoutLinksIn } from './messageFields';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many chats',
	description: 'Retrieve a list of chats with people and groups',
	endpoint: GET_CHATS,
	pagination: 'none',
	// A service can show the latest message of each chat, which can be a question.
	pickFields: (chat, _, isForModel) => (isForModel ? withoutLinksIn(chat) : chat),
};
