import { data, recordsOf, type CheckedRequest } from '../core/call';
import type { AutoReply } from '../core/records';

// The rules are kept, not run: when one fires is not specified.
const rules = recordsOf(({ autoReplies }) => autoReplies, 'The auto-reply');

/** GET /auto-replies; GET, PUT and DELETE /auto-replies/{id} */
export const { getAll, get, update, remove } = rules;

/** POST /auto-replies */
export const create = ({ runtime, body }: CheckedRequest<Omit<AutoReply, 'id'>>) => {
	const rule = { ...body, id: runtime.nextId('auto-reply') };
	runtime.store.autoReplies.set(rule.id, rule);
	return data(rule, 201);
};
