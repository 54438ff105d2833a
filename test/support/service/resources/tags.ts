import { data, type CheckedRequest } from '../core/call';
import { addTag } from '../core/newRecords';

/** GET /tags */
export const getAll = ({ runtime }: CheckedRequest) => data(runtime.store.tags);

/** POST /tags */
export const create = ({ runtime, body }: CheckedRequest<Parameters<typeof addTag>[1]>) =>
	data(addTag(runtime, body), 201);
