import { data, type CheckedRequest } from '../core/call';
import type { Group } from '../core/records';

/** GET /groups */
export const getAll = ({ runtime }: CheckedRequest) => data(runtime.store.groups);

/** POST /groups */
export const create = ({ runtime, body }: CheckedRequest<Partial<Group> & Pick<Group, 'name'>>) => {
	const group = { color: '', description: '', icon: '', ...body, id: runtime.nextId('group') };
	runtime.store.groups.push(group);
	return data(group, 201);
};
