import omit from 'lodash/omit';
import type { IDataObject } from 'n8n-workflow';

import { isRecord, nonEmptyText } from './values';

/** The body of a successful response (API spec, "Response envelope"). */
export type ResponseBody = Record<string, unknown>;

/**
 * The records in a response: those in `data`, or else the fields beside `success` as a single record (API spec, "Response
 * envelope").
 */
export function recordsOf(body: ResponseBody): IDataObject[] {
	const data = 'data' in body ? body.data : omit(body, ['success', 'pagination']);
	if (Array.isArray(data)) return data.map(toRecord);
	return data === null ? [] : [toRecord(data)];
}

/** Whether a body reports an error. The envelope decides, whatever the status (API spec, "Response envelope"). */
export function isErrorBody({ success, error }: ResponseBody): boolean {
	return success === false || (success === undefined && nonEmptyText(error) !== undefined);
}

function toRecord(value: unknown): IDataObject {
	return (isRecord(value) ? value : { value }) as IDataObject;
}
