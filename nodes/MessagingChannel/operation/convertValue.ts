import has from 'lodash/has';
import { DateTime } from 'luxon';
import { jsonParse, type INodePropertyOptions } from 'n8n-workflow';

import type { Parameters } from '../api/apiRequest';
import { flagOf, isExact, isRecord, nonEmptyText, parsedJson, splitList, trimmedTexts } from '../api/values';
import { cleaned } from '../recipients/phoneNumber';
import { inexactNumber, InvalidInput, shown, type Locator } from './input';
import type { Field } from './operation';

/**
 * Converts a value to the type of its field, because expressions and agents return values of any type.
 *
 * @param timezone the workflow's time zone, in which the user enters dates
 * @throws InvalidInput when the value does not fit the type
 */
export function convertValue(field: Field, value: unknown, timezone: string): unknown {
	if (field.list) return toTexts(value, field.refusesModel);
	switch (field.type) {
		case 'string':
		case 'color':
			return field.acceptsFile && holdsFile(value) ? value : toText(value);
		case 'number':
			return toNumber(field, value);
		case 'boolean':
			return toBoolean(value);
		case 'options':
			return toChoice(field, value);
		case 'multiOptions':
			return toChoices(field, value);
		case 'dateTime':
			return toUtc(value, timezone);
		case 'json':
			return toObject(value);
		case 'resourceLocator':
			return toLocator(value);
		default:
			return value;
	}
}

/** Whether a value is a file of n8n, whose content may be missing, or all files of an item by the names of their fields. */
function holdsFile(value: unknown): boolean {
	const isFile = (candidate: unknown) => isRecord(candidate) && 'mimeType' in candidate;
	return isFile(value) || (isRecord(value) && Object.values(value).some(isFile));
}

function toText(value: unknown): string {
	if (typeof value === 'string') return value;
	if (typeof value === 'number' && !isExact(value)) throw inexactNumber(value, 'is');
	if (typeof value === 'boolean' || typeof value === 'number') return String(value);
	throw new InvalidInput(`is ${kindOf(value)}, not text`, 'Choose one of its fields, or convert it to text.');
}

function toTexts(value: unknown, isKeptFromModel = false): string[] {
	const list = listIn(value, isKeptFromModel);
	return Array.isArray(list) ? trimmedTexts(list.map(toEntry)) : splitList(toText(list));
}

function toEntry(value: unknown, index: number): string {
	if (value !== undefined && value !== null) return toText(value);
	throw new InvalidInput(
		`has an entry that is empty: number ${index + 1}`,
		'Correct the expression, or let it leave out what is empty, e.g. with .filter(Boolean).',
	);
}

/** With quotes, also those of office programs, or with commas between brackets. Each of several values can have brackets. */
const LIKE_A_LIST = /^\s*\[(\s*['"\p{Pi}\p{Pf}‚„]|[^[\]]*,[^[\]]*\]\s*$)/u;

/** A list that is written as JSON, as models do in a text. Any other value is returned unchanged. */
function listIn(value: unknown, isKeptFromModel = false): unknown {
	const list = parsedJson(value);
	if (Array.isArray(list)) return list;
	// Its quotes and brackets would become part of the values.
	if (typeof list === 'string' && LIKE_A_LIST.test(list)) {
		throw new InvalidInput(
			`is a list, but not valid JSON${isKeptFromModel ? '' : `: ${shown(list)}`}`,
			'Write it as in ["VIP", "new"], or separate the values with commas.',
		);
	}
	return value;
}

function toLocator(value: unknown): Locator {
	const {
		mode,
		value: entered,
		cachedResultName: selected,
	} = (has(value, 'value') ? value : { mode: '', value }) as Parameters;
	const isSelected = mode === 'list' && nonEmptyText(selected) !== undefined;
	return { mode: plainText(mode), value: toText(entered).trim(), ...(isSelected ? { isSelected } : {}) };
}

function toNumber({ typeOptions }: Field, value: unknown): number {
	const isNumeric = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
	const number = isNumeric ? Number(value) : NaN;
	if (!Number.isFinite(number)) {
		throw new InvalidInput(`is not a number: ${shown(value)}`, 'Enter a number.');
	}
	const { minValue = -Infinity, maxValue = Infinity, numberPrecision } = typeOptions ?? {};
	if (number < minValue) throw new InvalidInput(`is too small: ${number}`, `Enter ${minValue} or more.`);
	if (number > maxValue) throw new InvalidInput(`is too large: ${number}`, `Enter ${maxValue} or less.`);
	// In a text, a point can separate thousands.
	if (numberPrecision === 0 && /\.|e-/.test(String(value))) {
		throw new InvalidInput(`is not a whole number: ${String(value)}`, 'Enter a whole number.');
	}
	return number;
}

/**
 * Converts true and false, as such, as text, or as 1 and 0.
 *
 * @throws InvalidInput when the value is neither
 */
function toBoolean(value: unknown): boolean {
	const flag = flagOf(typeof value === 'string' ? value.trim() : value);
	if (typeof flag === 'boolean') return flag;
	throw new InvalidInput(
		`is neither true nor false: ${shown(value)}`,
		"Enter true or false. Convert other forms with an expression, e.g. {{ $json.active === 'yes' }}.",
	);
}

/** Whether a list of choices also accepts other values, from an expression. Commas separate several values. */
export function acceptsAnyValue({ typeOptions, allowArbitraryValues }: Field): boolean {
	return typeOptions?.loadOptionsMethod !== undefined || allowArbitraryValues === true;
}

function toChoices(field: Field, value: unknown): unknown[] {
	return toTexts(value).map((choice) => toChoice(field, choice));
}

function toChoice(field: Field, value: unknown): unknown {
	const choices = ((field.options ?? []) as INodePropertyOptions[]).map((option) => option.value);
	const text = plainText(value).trim().toLowerCase();
	const chosen = choices.find((choice) => String(choice).toLowerCase() === text);
	if (chosen !== undefined) return chosen;
	if (acceptsAnyValue(field)) return toText(value).trim();
	throw new InvalidInput(
		`is not one of the options: ${shown(value)}`,
		`Enter one of these: ${choices.join(', ')}.`,
	);
}

/**
 * Converts a date and time to ISO 8601 in UTC (API spec, "What the service does" 8).
 *
 * @param timezone the time zone of a value that names none
 */
function toUtc(value: unknown, timezone: string): string {
	const moment = DateTime.isDateTime(value)
		? value
		: value instanceof Date
			? DateTime.fromJSDate(value)
			: dateIn(cleaned(plainText(value)), timezone);
	const iso = moment.toUTC().toISO();
	if (iso !== null) return iso;
	throw new InvalidInput(
		`is not a valid date: ${shown(value)}`,
		"Enter a date and time, e.g. 2030-01-31T09:00:00Z. Convert other forms with an expression, e.g. {{ DateTime.fromFormat($json.date, 'dd.MM.yyyy HH:mm') }}.",
	);
}

/** A text without a whole date, such as 2030 or 10-11, would be read as a year or as a time of today. */
function dateIn(text: string, timezone: string): DateTime {
	const isWhole = /^([+-]\d{6}|\d{4})-?\d\d-?\d\d(?!\d)/.test(text);
	return isWhole
		? DateTime.fromISO(text.replace(' ', 'T'), { zone: timezone })
		: DateTime.invalid('incomplete');
}

/** `jsonParse` throws unless it has a fallback. */
const INVALID_JSON = Symbol('not JSON');

const OBJECT_ADVICE = 'Enter an object, e.g. { "key": "value" }.';

/** A quote or a line break in what an expression gives ends the text around it. */
const JSON_ADVICE = `${OBJECT_ADVICE} If a value is an expression, make all of the field one, e.g. {{ { key: $json.name } }}.`;

function toObject(value: unknown): Record<string, unknown> {
	const object =
		typeof value === 'string' ? jsonParse<unknown>(value, { fallbackValue: INVALID_JSON }) : value;
	if (object === INVALID_JSON) throw new InvalidInput('is not valid JSON', JSON_ADVICE);
	if (!isRecord(object)) throw new InvalidInput(`is ${kindOf(object)}, not an object`, OBJECT_ADVICE);
	return object;
}

/** The value as text. An object becomes empty, because `String` can throw on it. */
function plainText(value: unknown): string {
	return typeof value === 'object' ? '' : String(value);
}

function kindOf(value: unknown): string {
	if (Array.isArray(value)) return 'a list';
	if (isRecord(value)) return 'an object';
	return value === undefined || value === null ? 'empty' : `a ${typeof value}`;
}
