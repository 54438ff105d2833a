import { data, recordsOf, type CheckedRequest } from '../core/call';
import { addGroup } from '../core/newRecords';

/** GET /groups */
export const { getAll } = recordsOf(({ groups }) => groups, 'The group');

/** POST /groups */
export const create = ({ runtime, body }: CheckedRequest<Parameters<typeof addGroup>[1]>) =>
	data(addGroup(runtime, body), 201);
