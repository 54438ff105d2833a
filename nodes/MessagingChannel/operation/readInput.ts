import partition from 'lodash/partition';
import { DateTime } from 'luxon';
import { jsonParse, type INodePropertyOptions } from 'n8n-workflow';

import type { Parameters } from '../api/apiRequest';
import { messageOf } from '../api/errors';
import {
	isEntered,
	isExact,
	isRecord,
	nonEmptyText,
	parsedJson,
	recordOrEmpty,
	splitList,
	trimmedTexts,
} from '../api/values';
import { COLLECTIONS, collectionsOf } from './collections';
import { hasBodyFields } from './inferred';
import { readFixedCollection } from './fixedCollections';
import { inexactNumber, InvalidInput, shown, type Input, type Locator } from './input';
import type { CollectionName, Field, Operation } from './operation';
import { limit, returnAll } from './returnAll';

/** The source of an item's values. */
export interface Source extends Pick<Input, 'file'> {
	/** Reads a node parameter for the item, with its expressions resolved. */
	read: (name: string, fallback: unknown) => unknown;
	/** The workflow's time zone, in which the user enters dates. */
	timezone: string;
}

/** The values of some fields. */
type Values = Pick<Input, 'parameters' | 'settings'>;

/** The part of an operation that has values to read. */
type FieldsOf = Pick<Operation, 'endpoint'> & Partial<Operation>;

/**
 * Reads and validates the fields of an operation for one item.
 *
 * @throws InvalidInput when a value is missing or cannot be sent
 */
export function readInput(operation: FieldsOf, source: Source): Input {
	const input: Input = { parameters: {}, settings: {}, file: source.file };
	const add = ({ parameters, settings }: Values): void => {
		Object.assign(input.parameters, parameters);
		Object.assign(input.settings, settings);
	};
	const [options, others] = partition(collectionsOf(operation), ([name]) => name === 'options');
	// Other fields depend on the options, so these are read first.
	for (const [name, fields] of options) add(readCollection(name, fields, source, input.settings));
	add(readFields(operation.fields ?? [], source, input.settings));
	if (operation.pagination) add(readFields([returnAll, limit], source, input.settings));
	for (const [name, fields] of others) add(readCollection(name, fields, source, input.settings));
	return input;
}

function readCollection(
	name: CollectionName,
	fields: readonly Field[],
	source: Source,
	settings: Parameters,
): Values {
	const { displayName } = COLLECTIONS[name];
	const entered = recordOrEmpty(inField(displayName, () => source.read(name, {})));
	const [last, others] = partition(
		fields.filter((field) => field.name in entered),
		({ readLast }) => readLast,
	);
	const added = [...others, ...last];
	const isUpdate = name === 'updateFields';
	// Of an undocumented record, the panel may lack the very field to update.
	const needsValue = isUpdate && !hasBodyFields(settings);
	if (needsValue && added.length === 0) {
		throw new InvalidInput('is empty', 'Add at least one field to update.', displayName);
	}
	const read = readFields(
		added,
		{ ...source, read: (fieldName) => entered[fieldName] },
		settings,
		isUpdate ? 'clear' : 'omit',
	);
	if (needsValue && Object.keys(read.parameters).length === 0) {
		throw new InvalidInput(
			'has no value in any of its fields',
			'Enter at least one value. If you use an expression, check its result for this item: it is empty.',
			displayName,
		);
	}
	return read;
}

/**
 * What an empty field means: in an update it clears the value, and in another collection it is not sent. Elsewhere, a choice
 * must have a value.
 */
type EmptyMeaning = 'clear' | 'omit' | 'omitUnlessChoice';

/** @param settings those that were read before */
function readFields(
	fields: readonly Field[],
	source: Source,
	settings: Parameters,
	empty: EmptyMeaning = 'omitUnlessChoice',
): Values {
	const read: Values = { parameters: {}, settings: { ...settings } };
	const values: Parameters = {};
	for (const field of fields) {
		if (!isShown(field, values)) continue;
		inField(field.displayName, () => {
			const value = source.read(field.name, field.default);
			const target = field.api?.length === 0 ? read.settings : read.parameters;
			Object.assign(target, valuesOf(field, value, source, read.settings, empty));
			// Fields that depend on it are shown for true, not for the text that an expression can give.
			values[field.name] = field.type === 'boolean' && !isEmptyInput(value) ? toBoolean(value) : value;
		});
	}
	return read;
}

/**
 * Reads a field.
 *
 * @throws InvalidInput with the label of the field, also when its expression fails
 */
function inField<T>(displayName: string, read: () => T): T {
	try {
		return read();
	} catch (error) {
		const invalid =
			error instanceof InvalidInput
				? error
				: new InvalidInput(
						`has an expression that fails: ${messageOf(error)}`,
						'Correct the expression, or the data that it uses.',
					);
		throw invalid.in(displayName);
	}
}

function isShown(field: Field, values: Parameters): boolean {
	return Object.entries(field.displayOptions?.show ?? {}).every(
		([name, allowed]) =>
			// A name with a slash refers to a field outside the collection, one with an at sign to the node. The reader of the
			// option knows when it applies.
			/^[/@]/.test(name) || (allowed as unknown[]).includes(values[name]),
	);
}

function valuesOf(
	field: Field,
	value: unknown,
	source: Source,
	settings: Parameters,
	empty: EmptyMeaning,
): Parameters {
	if (isEmptyInput(value)) {
		if (field.required || (empty === 'omitUnlessChoice' && isChoice(field)))
			throw new InvalidInput('is empty', 'Enter a value.');
		if (field.mustResolve && (value === undefined || value === null)) {
			throw new InvalidInput('has an expression that gives nothing', 'Correct the expression, or remove it.');
		}
		if (empty !== 'clear' || value === null || value === undefined) return {};
	}
	const typed = field.list ? toTexts(value) : convert(field, value, source);
	if (field.required && isEmptyInput(typed)) throw new InvalidInput('is empty', 'Enter a value.');
	return field.toApi ? field.toApi(typed as never, settings) : { [field.api?.[0] ?? field.name]: typed };
}

/** Whether one of given values is chosen, so that only an expression can give none. */
function isChoice(field: Field): boolean {
	return field.type === 'boolean' || (field.type === 'options' && !acceptsAnyValue(field));
}

/** Whether a field was left empty. */
function isEmptyInput(value: unknown): boolean {
	return (
		!isEntered(value) ||
		(Array.isArray(value) && value.length === 0) ||
		(isRecord(value) && value.__rl === true && isEmptyInput(value.value))
	);
}

/**
 * Converts a value to the type of its field, because expressions and agents return values of any type.
 *
 * @throws InvalidInput when the value does not fit the type
 */
function convert(field: Field, value: unknown, source: Source): unknown {
	switch (field.type) {
		case 'string':
			return field.acceptsFile && isFile(value) ? value : toText(value);
		case 'number':
			return toNumber(field, value);
		case 'boolean':
			return toBoolean(value);
		case 'options':
			return toChoice(field, value);
		case 'multiOptions':
			return toChoices(field, value);
		case 'dateTime':
			return toUtc(value, source.timezone);
		case 'json':
			return toObject(value);
		case 'resourceLocator':
			return toLocator(value);
		case 'fixedCollection':
			return readFixedCollection(field, value, (fields, entered) => {
				const read: Source['read'] = (name, fallback) => (name in entered ? entered[name] : fallback);
				return readFields(fields, { ...source, read }, {}).parameters;
			});
		default:
			return value;
	}
}

/** Whether a value is a file of n8n. Its content may be missing. */
function isFile(value: unknown): boolean {
	return isRecord(value) && 'mimeType' in value;
}

function toText(value: unknown): string {
	if (typeof value === 'string') return value;
	if (typeof value === 'number' && !isExact(value)) throw inexactNumber(value, 'is');
	if (typeof value === 'boolean' || typeof value === 'number') return String(value);
	throw new InvalidInput(`is ${kindOf(value)}, not text`, 'Choose one of its fields, or convert it to text.');
}

function toTexts(value: unknown): string[] {
	const list = listIn(value);
	return Array.isArray(list) ? trimmedTexts(list.map(toText)) : splitList(toText(list));
}

/** A list that is written as JSON, as models do in a text. Any other value is returned unchanged. */
function listIn(value: unknown): unknown {
	const list = typeof value === 'string' && value.trimStart().startsWith('[') ? parsedJson(value) : value;
	return Array.isArray(list) ? list : value;
}

function toLocator(value: unknown): Locator {
	const {
		mode,
		value: entered,
		cachedResultName: selected,
	}: Parameters = isRecord(value) && 'value' in value ? value : { mode: '', value };
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
	if (numberPrecision === 0 && !Number.isInteger(number)) {
		throw new InvalidInput(`is not a whole number: ${number}`, 'Enter a whole number.');
	}
	return number;
}

function toBoolean(value: unknown): boolean {
	const text = plainText(value).toLowerCase();
	if (text !== 'true' && text !== 'false') {
		throw new InvalidInput(`is neither true nor false: ${shown(value)}`, 'Enter true or false.');
	}
	return text === 'true';
}

/** Whether a list of choices also accepts other values, from an expression. Commas separate several values. */
function acceptsAnyValue({ typeOptions, allowArbitraryValues }: Field): boolean {
	return typeOptions?.loadOptionsMethod !== undefined || allowArbitraryValues === true;
}

function toChoices(field: Field, value: unknown): unknown[] {
	if (acceptsAnyValue(field)) return toTexts(value);
	return [listIn(value)].flat().map((choice) => toChoice(field, choice));
}

function toChoice(field: Field, value: unknown): unknown {
	if (acceptsAnyValue(field)) return toText(value);
	const choices = (field.options as INodePropertyOptions[]).map((option) => option.value);
	if (choices.some((choice) => choice === value)) return value;
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
			: dateIn(plainText(value).trim(), timezone);
	const iso = moment.toUTC().toISO();
	if (iso !== null) return iso;
	throw new InvalidInput(
		`is not a valid date: ${shown(value)}`,
		'Enter a date and time, e.g. 2030-01-31T09:00:00Z.',
	);
}

/** A text without a whole date, such as 2030 or 10-11, would be read as a year or as a time of today. */
function dateIn(text: string, timezone: string): DateTime {
	const isWhole = /^([+-]\d{6}|\d{4})-?\d\d-?\d\d(?!\d)/.test(text);
	return DateTime.fromISO(isWhole ? text.replace(' ', 'T') : '', { zone: timezone });
}

/** `jsonParse` throws unless it has a fallback. */
const INVALID_JSON = Symbol('not JSON');

const OBJECT_ADVICE = 'Enter an object, e.g. { "key": "value" }.';

function toObject(value: unknown): Record<string, unknown> {
	const object =
		typeof value === 'string' ? jsonParse<unknown>(value, { fallbackValue: INVALID_JSON }) : value;
	if (object === INVALID_JSON) throw new InvalidInput('is not valid JSON', OBJECT_ADVICE);
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
