import { type IDataObject, jsonParse } from 'n8n-workflow';
import omit from 'lodash/omit';
import { DateTime } from 'luxon';

/** Whether a value is an object with fields, not null and not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is a record, else an empty record. */
export function recordOrEmpty(value: unknown): Record<string, unknown> {
	return isRecord(value) ? value : {};
}

/** The value if it is a text with at least one character. */
export function nonEmptyText(value: unknown): string | undefined {
	return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The texts among the values, without empty ones. */
export function nonEmptyTexts(values: unknown[]): string[] {
	return values.map(nonEmptyText).filter((text) => text !== undefined);
}

/** Characters that copying adds to a text, and that nobody sees. */
export const INVISIBLE = /\p{Cf}/gu;

/** Whether an expression or a field gives something. */
export function isEntered(value: unknown): boolean {
	return typeof value === 'string' ? value.trim() !== '' : value !== undefined && value !== null;
}

/** Whether a switch is on, which an expression can give as text or number. */
export function isOn(value: unknown): boolean {
	return isEntered(value) && !['false', '0'].includes(String(value).trim().toLowerCase());
}

/** Whether the digits of the number are those that were written. Beyond 16 digits, they are rounded. */
export function isExact(number: number): boolean {
	return Number.isFinite(number) && (Number.isSafeInteger(number) || !Number.isInteger(number));
}

/** The value of a text that is JSON. Anything else is returned unchanged. */
export function parsedJson(body: unknown): unknown {
	return typeof body === 'string' ? jsonParse<unknown>(body, { fallbackValue: body }) : body;
}

/** The texts, trimmed, without those that are then empty. */
export function trimmedTexts(texts: string[]): string[] {
	return texts.map((text) => text.trim()).filter((text) => text !== '');
}

/** What separates the entries of a list: commas and semicolons of all scripts, and line breaks. */
export const SEPARATOR = /[,;\uFF0C\uFF1B\u060C\u061B\u3001\n]/;

/** The entries of a list, trimmed, without empty ones. */
export function splitList(text: string): string[] {
	return trimmedTexts(text.split(SEPARATOR));
}

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

/** Whether a body reports success. The envelope decides, whatever the status (API spec, "Response envelope"). */
export function successIn({ success, error }: ResponseBody): Flag {
	return success === undefined && error ? false : flagOf(success);
}

/** Whether a body reports an error. */
export function isErrorBody(body: ResponseBody): boolean {
	return successIn(body) === false;
}

function toRecord(value: unknown): IDataObject {
	return (isRecord(value) ? value : { value }) as IDataObject;
}

/** A flag of the service. `missing` if there is none, `unknown` if it is there in a form that is not understood. */
export type Flag = boolean | 'missing' | 'unknown';

/** Seconds of the years 2001 to 2286, so that no milliseconds, and no date like 20261128 or 202611281200, are taken for them. */
const EARLIEST_SECONDS = 1e9;
const LATEST_SECONDS = 1e10;

const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?$/i;

/** A longer value says no more about its form. */
const MAX_FORM_LENGTH = 40;

/**
 * A time of the service: Unix seconds or milliseconds as number or text, or ISO 8601 with T or a blank. Without a zone, it is
 * in UTC (API spec, "What the service does").
 *
 * @returns Unix seconds, with fractions; undefined if there is none, or its form is not understood
 */
export function secondsOf(value: unknown): number | undefined {
	if (typeof value === 'number') return plausibleSeconds(value) ?? plausibleSeconds(value / 1000);
	if (typeof value !== 'string') return undefined;
	if (/^\d+(\.\d+)?$/.test(value)) return secondsOf(Number(value));
	if (!ISO_TIME.test(value)) return undefined;
	return plausibleSeconds(
		DateTime.fromISO(value.toUpperCase().replace(' ', 'T'), { zone: 'utc' }).toSeconds(),
	);
}

function plausibleSeconds(seconds: number): number | undefined {
	return seconds >= EARLIEST_SECONDS && seconds < LATEST_SECONDS ? seconds : undefined;
}

/**
 * An ID of the service, a text or a whole number.
 *
 * @returns undefined if there is none, or its form is not understood. JSON rounds longer numbers: two of them could be equal
 */
export function idOf(value: unknown): string | undefined {
	if (typeof value === 'string') return value === '' ? undefined : value;
	return Number.isSafeInteger(value) ? String(value) : undefined;
}

/** A flag of the service: true or false, 1 or 0, or one of these as text. */
export function flagOf(value: unknown): Flag {
	if (value === undefined) return 'missing';
	if (!['boolean', 'number', 'string'].includes(typeof value)) return 'unknown';
	const text = String(value).toLowerCase();
	if (text === 'true' || text === '1') return true;
	return text === 'false' || text === '0' ? false : 'unknown';
}

/** A count of the service, a whole number or its digits; undefined if there is none, or its form is not understood. */
export function countOf(value: unknown): number | undefined {
	const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
	return Number.isSafeInteger(count) && Number(count) >= 0 ? Number(count) : undefined;
}

/** A list of texts; undefined if there is none, or its form is not understood. */
export function textsOf(value: unknown): string[] | undefined {
	return Array.isArray(value) && value.every((entry) => typeof entry === 'string') ? value : undefined;
}

/**
 * What kind of value the service sent, for a message to the user: never the value itself. Of a text, the form remains, such
 * as 99/99/9999.
 */
export function kindOf(value: unknown): string {
	if (value === undefined) return 'nothing';
	if (value === null) return 'null';
	if (value === '') return 'an empty text';
	if (typeof value === 'string') return `a text like '${formOf(value)}'`;
	if (typeof value === 'number') return `a number like ${formOf(String(value))}`;
	if (typeof value === 'boolean') return 'true or false';
	return Array.isArray(value) ? 'a list' : 'an object';
}

function formOf(text: string): string {
	const form = text.replace(/\p{N}/gu, '9').replace(/\p{L}/gu, 'a');
	return form.length > MAX_FORM_LENGTH ? `${form.slice(0, MAX_FORM_LENGTH)}…` : form;
}
