import omit from 'lodash/omit';
import type { IDataObject } from 'n8n-workflow';

import { isRecord } from './isRecord';

/** The body of a successful answer (API spec, "Response envelope"). */
export type ResponseBody = Record<string, unknown>;

/**
 * The records in an answer: those of `data`, or else the fields beside `success` as the only one
 * (API spec, "Response envelope").
 */
export function recordsOf(answer: ResponseBody): IDataObject[] {
	const data = 'data' in answer ? answer.data : omit(answer, ['success', 'pagination']);
	if (Array.isArray(data)) return data.map(toRecord);
	return data === null ? [] : [toRecord(data)];
}

/** Whether an answer says no. The envelope decides, whatever the status (API spec, "Response envelope"). */
export function isRefusal({ success, error }: ResponseBody): boolean {
	return success === false || (success === undefined && typeof error === 'string' && error !== '');
}

function toRecord(value: unknown): IDataObject {
	return (isRecord(value) ? value : { value }) as IDataObject;
}
