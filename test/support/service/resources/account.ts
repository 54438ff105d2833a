import { toDateTime } from '../core/clock';
import { data, type CheckedRequest } from '../core/call';

/** GET /health */
export const getHealth = ({ runtime }: CheckedRequest) => {
	const { id, name, status } = runtime.store.account;
	const account = { id, name, status };
	const timestamp = toDateTime(runtime.clock.now());
	return { status: 200, json: { success: true, status: 'ok', account, timestamp } };
};

/** GET /account */
export const get = ({ runtime }: CheckedRequest) => data(runtime.store.account);
