import { data, type CheckedRequest } from '../core/call';
import type { Group, Tag } from '../core/records';

/** GET /groups */
export const getGroups = ({ runtime }: CheckedRequest) => data(runtime.store.groups);

/** POST /groups */
export const createGroup = ({ runtime, body }: CheckedRequest<Partial<Group> & Pick<Group, 'name'>>) => {
	const group = { color: '', description: '', icon: '', ...body, id: runtime.nextId('group') };
	runtime.store.groups.push(group);
	return data(group, 201);
};

/** GET /tags */
export const getTags = ({ runtime }: CheckedRequest) => data(runtime.store.tags);

/** POST /tags */
export const createTag = ({ runtime, body }: CheckedRequest<Partial<Tag> & Pick<Tag, 'name'>>) => {
	const tag = { color: '', ...body, id: runtime.nextId('tag') };
	runtime.store.tags.push(tag);
	return data(tag, 201);
};
