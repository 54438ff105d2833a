import { DateTime } from 'luxon';
import { jsonParse, type INodePropertyOptions } from 'n8n-workflow';

import type { Parameters } from '../api/apiRequest';
import { isRecord } from '../api/isRecord';
import { COLLECTIONS, collectionsOf } from './collections';
import { readFixedCollection } from './fixedCollections';
import { InvalidInput, shown, type Input, type Locator } from './input';
import type { CollectionName, Field, Operation } from './operation';
import { limit, returnAll } from './returnAll';

/** Where an item's values come from. */
export interface Source extends Pick<Input, 'file'> {
	/** Reads a parameter of the node for the item, its expressions resolved. */
	read: (name: string, fallback: unknown) => unknown;
	/** The workflow's time zone, in which the user enters dates. */
	timezone: string;
}

/**
 * What the user entered for an operation and one item.
 *
 * @throws InvalidInput when a value is missing or cannot be sent
 */
export function readInput(operation: Operation, source: Source): Input {
	const input: Input = { parameters: {}, settings: {}, file: source.file };
	readFields(operation.fields ?? [], source, input);
	if (operation.pagination) readFields([returnAll, limit], source, input);
	for (const [name, fields] of collectionsOf(operation)) readCollection(name, fields, source, input);
	return input;
}

function readCollection(name: CollectionName, fields: readonly Field[], source: Source, input: Input): void {
	const collection = source.read(name, {});
	const entered = isRecord(collection) ? collection : {};
	const added = fields.filter((field) => field.name in entered);
	const isUpdate = name === 'updateFields';
	const { displayName } = COLLECTIONS[name];
	if (isUpdate && added.length === 0) {
		throw new InvalidInput('is empty', 'Add at least one field to change.', displayName);
	}
	const values: Parameters = {};
	// A field that was added to an update and left empty clears it; elsewhere it means nothing.
	readFields(
		added,
		{ ...source, read: (fieldName) => entered[fieldName] },
		{ ...input, parameters: values },
		isUpdate,
	);
	if (isUpdate && Object.keys(values).length === 0) {
		throw new InvalidInput(
			'has no value in any of its fields',
			'Enter what to change. For an expression, look at its result for this item: it gives nothing.',
			displayName,
		);
	}
	Object.assign(input.parameters, values);
}

function readFields(fields: readonly Field[], source: Source, input: Input, keepsEmpty = false): void {
	const values: Parameters = {};
	for (const field of fields) {
		if (!isShown(field, values)) continue;
		const value = source.read(field.name, field.default);
		values[field.name] = value;
		const target = field.api?.length === 0 ? input.settings : input.parameters;
		try {
			Object.assign(target, valuesOf(field, value, source, keepsEmpty));
		} catch (error) {
			throw error instanceof InvalidInput ? error.in(field.displayName) : error;
		}
	}
}

function isShown(field: Field, values: Parameters): boolean {
	return Object.entries(field.displayOptions?.show ?? {}).every(
		([neighbour, wanted]) =>
			// One that begins so is outside the collection; what an option means where it is hidden, its reader knows.
			neighbour.startsWith('/') || (wanted as unknown[]).includes(values[neighbour]),
	);
}

function valuesOf(field: Field, value: unknown, source: Source, keepsEmpty: boolean): Parameters {
	if (isEmpty(value)) {
		if (field.required) throw new InvalidInput('is empty', 'Enter a value.');
		if (!keepsEmpty || value === null || value === undefined) return {};
	}
	const typed = field.list ? textsOf(value) : ofType(field, value, source);
	if (field.required && isEmpty(typed)) throw new InvalidInput('is empty', 'Enter a value.');
	return field.toApi ? field.toApi(typed as never) : { [field.api?.[0] ?? field.name]: typed };
}

/** Whether the user entered nothing. */
function isEmpty(value: unknown): boolean {
	return (
		value === undefined ||
		value === null ||
		(typeof value === 'string' && value.trim() === '') ||
		(Array.isArray(value) && value.length === 0) ||
		(isRecord(value) && value.__rl === true && isEmpty(value.value))
	);
}

/** Expressions and agents give values of any type: what fits the field's own type is taken, the rest is refused. */
function ofType(field: Field, value: unknown, source: Source): unknown {
	switch (field.type) {
		case 'string':
			return textOf(value);
		case 'number':
			return numberOf(field, value);
		case 'boolean':
			return booleanOf(value);
		case 'options':
			return choiceOf(field, value);
		case 'multiOptions':
			return choicesOf(field, value);
		case 'dateTime':
			return momentOf(value, source.timezone);
		case 'json':
			return objectOf(value);
		case 'resourceLocator':
			return locatorOf(value);
		case 'fixedCollection':
			return readFixedCollection(field, value, (fields, entered) => {
				const group: Input = { ...source, parameters: {}, settings: {} };
				const read: Source['read'] = (name, fallback) => entered[name] ?? fallback;
				readFields(fields, { ...source, read }, group);
				return group.parameters;
			});
		default:
			return value;
	}
}

function textOf(value: unknown): string {
	if (typeof value === 'string') return value;
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	throw new InvalidInput(`is ${kindOf(value)}, not text`, 'Choose one of its fields, or turn it into text.');
}

function textsOf(value: unknown): string[] {
	const parts = Array.isArray(value) ? value.map(textOf) : textOf(value).split(/[,\n]/);
	return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function locatorOf(value: unknown): Locator {
	const { mode, value: chosen } = isRecord(value) && 'value' in value ? value : { mode: '', value };
	return { mode: plain(mode), value: textOf(chosen).trim() };
}

function numberOf({ typeOptions }: Field, value: unknown): number {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	if (typeof number !== 'number' || !Number.isFinite(number)) {
		throw new InvalidInput(`is not a number: ${shown(value)}`, 'Enter digits only.');
	}
	const { minValue = -Infinity, maxValue = Infinity, numberPrecision } = typeOptions ?? {};
	if (number < minValue) throw new InvalidInput(`is ${number}`, `Enter ${minValue} or more.`);
	if (number > maxValue) throw new InvalidInput(`is ${number}`, `Enter ${maxValue} or less.`);
	if (numberPrecision === 0 && !Number.isInteger(number)) {
		throw new InvalidInput(`is ${number}`, 'Enter a whole number.');
	}
	return number;
}

function booleanOf(value: unknown): boolean {
	const text = plain(value).toLowerCase();
	if (text !== 'true' && text !== 'false') {
		throw new InvalidInput(`is neither true nor false: ${shown(value)}`, 'Enter true or false.');
	}
	return text === 'true';
}

/** What is not in the list can be entered as an expression, several with commas between them. */
function isFree({ typeOptions, allowArbitraryValues }: Field): boolean {
	return typeOptions?.loadOptionsMethod !== undefined || allowArbitraryValues === true;
}

function choicesOf(field: Field, value: unknown): unknown[] {
	if (isFree(field)) return textsOf(value);
	return (Array.isArray(value) ? value : [value]).map((choice) => choiceOf(field, choice));
}

function choiceOf(field: Field, value: unknown): unknown {
	if (isFree(field)) return textOf(value);
	const choices = (field.options as INodePropertyOptions[]).map((option) => option.value);
	if (choices.some((choice) => choice === value)) return value;
	throw new InvalidInput(`is not one of its choices: ${shown(value)}`, `Use one of: ${choices.join(', ')}.`);
}

/** Date-times are sent as ISO 8601 in UTC (API spec, "Conventions" 8); one without a zone is in the workflow's. */
function momentOf(value: unknown, timezone: string): string {
	const moment = DateTime.isDateTime(value)
		? value
		: value instanceof Date
			? DateTime.fromJSDate(value)
			: DateTime.fromISO(plain(value).trim().replace(' ', 'T'), { zone: timezone });
	const iso = moment.toUTC().toISO();
	if (iso !== null) return iso;
	throw new InvalidInput(
		`is not a date: ${shown(value)}`,
		'Enter a date and time, e.g. 2030-01-31T09:00:00Z.',
	);
}

/** `jsonParse` throws unless it has something to fall back to. */
const NOT_JSON = Symbol('not JSON');

const OBJECT_ADVICE = 'Enter an object, e.g. { "key": "value" }.';

function objectOf(value: unknown): Record<string, unknown> {
	const object = typeof value === 'string' ? jsonParse<unknown>(value, { fallbackValue: NOT_JSON }) : value;
	if (object === NOT_JSON) throw new InvalidInput('is not valid JSON', OBJECT_ADVICE);
	if (!isRecord(object)) throw new InvalidInput(`is ${kindOf(object)}, not an object`, OBJECT_ADVICE);
	return object;
}

/** An object, which can have fields that keep it from becoming text, is none. */
function plain(value: unknown): string {
	return typeof value === 'object' ? '' : String(value);
}

function kindOf(value: unknown): string {
	if (Array.isArray(value)) return 'a list';
	if (isRecord(value)) return 'an object';
	return value === undefined || value === null ? 'empty' : `a ${typeof value}`;
}
