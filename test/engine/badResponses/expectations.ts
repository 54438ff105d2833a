import type { IDataObject } from 'n8n-workflow';

import type { Asked } from './asked';
import type { Expected } from './outcome';

/** What an answer must come to, by what was asked. */
export type Expectation = (asked: Asked) => Expected;

const ATTEMPTS = 4;

const failure = (
	{ sends }: Asked,
	mayHaveArrived: boolean,
	facts: Omit<Exclude<Expected, { kind: 'success' }>, 'kind'>,
): Expected => ({ kind: sends && mayHaveArrived ? 'ambiguous' : 'failed', ...facts });

/** The service says no: with a status, and a code when it gives one. */
export const refused =
	(httpStatus: number, code: string): Expectation =>
	(asked) => {
		const isPassing = httpStatus === 429 || (httpStatus >= 500 && asked.idempotent);
		const mayHaveArrived = httpStatus >= 500 || code === 'send_timeout';
		return failure(asked, mayHaveArrived, { httpStatus, code, requests: isPassing ? ATTEMPTS : 1 });
	};

/** It was answered, but not as the service answers. */
export const unreadable =
	(httpStatus: number): Expectation =>
	(asked) =>
		failure(asked, true, { httpStatus, code: 'unexpected_answer', requests: 1 });

/** It was sent on to another address, before anything was done. */
export const sentOn =
	(httpStatus: number): Expectation =>
	(asked) =>
		failure(asked, false, { httpStatus, code: 'unexpected_answer', requests: 1 });

/** The connection broke before the answer was whole. */
export const broken: Expectation = (asked) =>
	failure(asked, true, {
		httpStatus: null,
		code: 'network_error',
		requests: asked.idempotent ? ATTEMPTS : 1,
	});

/** It did what was asked, with these records to put out. */
export const taken =
	(...records: IDataObject[]): Expectation =>
	({ operation, download }) => ({
		kind: 'success',
		...(download ? {} : { records: isDelete(operation) ? [{ deleted: true }] : records }),
	});

/** Whether the operation puts out the same whatever the answer holds. */
const isDelete = ({ output }: Asked['operation']) => output?.name === 'deleted';

/** What stands for a file is a file, whatever is in it. */
export const fileOr =
	(expectation: Expectation): Expectation =>
	(asked) =>
		asked.download ? { kind: 'success' } : expectation(asked);

/** A delete that got a status of success needs no words to it. */
export const deletedOr =
	(expectation: Expectation): Expectation =>
	(asked) =>
		asked.method === 'DELETE' ? { kind: 'success', records: [{ deleted: true }] } : expectation(asked);

/** What was done is an item, also when nothing is said about it. */
export const readOr =
	(ofRead: Expectation, expectation: Expectation): Expectation =>
	(asked) =>
		asked.method === 'GET' ? ofRead(asked) : expectation(asked);

/** A list needs its list. */
export const listOr =
	(ofList: Expectation, expectation: Expectation): Expectation =>
	(asked) =>
		asked.list ? ofList(asked) : expectation(asked);
