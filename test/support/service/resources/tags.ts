import { data, type CheckedRequest } from '../core/call';
import type { Tag } from '../core/records';

/** GET /tags */
export const getAll = ({ runtime }: CheckedRequest) => data(runtime.store.tags);

/** POST /tags */
export const create = ({ runtime, body }: CheckedRequest<Partial<Tag> & Pick<Tag, 'name'>>) => {
	const tag = { color: '', ...body, id: runtime.nextId('tag') };
	runtime.store.tags.push(tag);
	return data(tag, 201);
};
