import type { Resource } from '../../operation/operation';
import { getAll } from './getAll';
import { getMessages } from './getMessages';
import { resolve } from './resolve';

export const chat: Resource = { value: 'chat', name: 'Chat', operations: [getAll, getMessages, resolve] };
