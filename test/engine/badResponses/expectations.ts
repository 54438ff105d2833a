import type { IDataObject } from 'n8n-workflow';

import type { SampleOperation } from './sampleOperations';
import type { ExpectedOutcome } from './outcome';

/** What a response must come to, by operation. */
export type Expectation = (sample: SampleOperation) => ExpectedOutcome;

const ATTEMPTS = 4;

const failure = (
	{ sends }: SampleOperation,
	mayHaveArrived: boolean,
	facts: Omit<Exclude<ExpectedOutcome, { kind: 'success' }>, 'kind'>,
): ExpectedOutcome => ({ kind: sends && mayHaveArrived ? 'ambiguous' : 'failed', ...facts });

/** The service says no: with a status, and a code when it gives one. */
export const refused =
	(httpStatus: number, code: string): Expectation =>
	(sample) => {
		const isPassing = httpStatus === 429 || (httpStatus >= 500 && sample.idempotent);
		const mayHaveArrived = httpStatus >= 500 || code === 'send_timeout';
		return failure(sample, mayHaveArrived, { httpStatus, code, requests: isPassing ? ATTEMPTS : 1 });
	};

/** It is a response, but none of the service's. */
export const unreadable =
	(httpStatus: number): Expectation =>
	(sample) =>
		failure(sample, true, { httpStatus, code: 'unexpected_answer', requests: 1 });

/** It was sent on to another address, before anything was done. */
export const sentOn =
	(httpStatus: number): Expectation =>
	(sample) =>
		failure(sample, false, { httpStatus, code: 'unexpected_answer', requests: 1 });

/** The connection broke before the response was whole. */
export const broken: Expectation = (sample) =>
	failure(sample, true, {
		httpStatus: null,
		code: 'network_error',
		requests: sample.idempotent ? ATTEMPTS : 1,
	});

/** It did what was asked, with these records to put out. */
export const taken =
	(...records: IDataObject[]): Expectation =>
	({ operation, download }) => ({
		kind: 'success',
		...(download ? {} : { records: isDelete(operation) ? [{ deleted: true }] : records }),
	});

/** Whether the operation puts out the same whatever the response holds. */
const isDelete = ({ output }: SampleOperation['operation']) => output?.name === 'deleted';

/** What stands for a file is a file, whatever is in it. */
export const fileOr =
	(expectation: Expectation): Expectation =>
	(sample) =>
		sample.download ? { kind: 'success' } : expectation(sample);

/** A delete that got a status of success needs no words to it. */
export const deletedOr =
	(expectation: Expectation): Expectation =>
	(sample) =>
		sample.method === 'DELETE' ? { kind: 'success', records: [{ deleted: true }] } : expectation(sample);

/** What was done is an item, also when nothing is said about it. */
export const readOr =
	(ofRead: Expectation, expectation: Expectation): Expectation =>
	(sample) =>
		sample.method === 'GET' ? ofRead(sample) : expectation(sample);

/** A list needs its list. */
export const listOr =
	(ofList: Expectation, expectation: Expectation): Expectation =>
	(sample) =>
		sample.list ? ofList(sample) : expectation(sample);
