import { notFound } from '../core/apiError';
import { data, done, type CheckedRequest } from '../core/call';
import type { AutoReply } from '../core/records';
import type { Runtime } from '../core/runtime';

// The rules are kept, not run: when one fires is not specified.

function find(runtime: Runtime, id: string | undefined): AutoReply {
	const rule = runtime.store.autoReplies.get(id ?? '');
	if (!rule) throw notFound(`The auto-reply ${id}`);
	return rule;
}

/** GET /auto-replies */
export const getAll = ({ runtime }: CheckedRequest) => data([...runtime.store.autoReplies.values()]);

/** POST /auto-replies */
export const create = ({ runtime, body }: CheckedRequest<Omit<AutoReply, 'id'>>) => {
	const rule = { ...body, id: runtime.nextId('auto-reply') };
	runtime.store.autoReplies.set(rule.id, rule);
	return data(rule, 201);
};

/** GET /auto-replies/{id} */
export const get = ({ runtime, path }: CheckedRequest) => data(find(runtime, path.id));

/** PUT /auto-replies/{id} */
export const update = ({ runtime, path, body }: CheckedRequest<Partial<AutoReply>>) =>
	data(Object.assign(find(runtime, path.id), body));

/** DELETE /auto-replies/{id} */
export const remove = ({ runtime, path }: CheckedRequest) => {
	runtime.store.autoReplies.delete(find(runtime, path.id).id);
	return done();
};
