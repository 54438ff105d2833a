import { notFound } from '../apiError';
import { data, done, type Call } from '../call';
import type { AutoReply } from '../records';
import type { Runtime } from '../runtime';

// The rules are kept, not run: when one fires is not specified.

function find(runtime: Runtime, id: string | undefined): AutoReply {
	const rule = runtime.store.autoReplies.get(id ?? '');
	if (!rule) throw notFound(`The auto-reply ${id}`);
	return rule;
}

/** GET /auto-replies */
export const getAll = ({ runtime }: Call) => data([...runtime.store.autoReplies.values()]);

/** POST /auto-replies */
export const create = ({ runtime, body }: Call<Omit<AutoReply, 'id'>>) => {
	const rule = { ...body, id: runtime.nextId('auto-reply') };
	runtime.store.autoReplies.set(rule.id, rule);
	return data(rule, 201);
};

/** GET /auto-replies/{id} */
export const get = ({ runtime, path }: Call) => data(find(runtime, path.id));

/** PUT /auto-replies/{id} */
export const update = ({ runtime, path, body }: Call<Partial<AutoReply>>) =>
	data(Object.assign(find(runtime, path.id), body));

/** DELETE /auto-replies/{id} */
export const remove = ({ runtime, path }: Call) => {
	runtime.store.autoReplies.delete(find(runtime, path.id).id);
	return done();
};
