import { data, recordsOf, type CheckedRequest } from '../core/call';
import { addTag } from '../core/newRecords';

/** GET /tags */
export const { getAll } = recordsOf(({ tags }) => tags, 'The tag');

/** POST /tags */
export const create = ({ runtime, body }: CheckedRequest<Parameters<typeof addTag>[1]>) =>
	data(addTag(runtime, body), 201);
