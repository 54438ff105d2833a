import { DateTime } from 'luxon';
import { jsonParse, type IDataObject } from 'n8n-workflow';

import type { Parameters } from '../api/call';
import { isRecord } from '../api/errors';
import {
	COLLECTIONS,
	InvalidInput,
	shown,
	type CollectionName,
	type Field,
	type Locator,
	type Operation,
} from './operation';

/** Where an item's values come from. */
export interface Source {
	/** Reads a parameter of the node for the item, its expressions resolved. */
	read: (name: string, fallback: unknown) => unknown;
	/** The workflow's time zone, in which the user enters dates. */
	timezone: string;
}

/** A field whose value cannot be sent. */
export class InvalidField extends Error {
	constructor(
		field: Field,
		{ problem, advice }: InvalidInput,
		/** What to enter instead. */
		readonly description = advice,
	) {
		super(`'${field.displayName}' ${problem}`);
		this.name = 'InvalidField';
	}
}

/**
 * The values of an operation's fields for one item, as the API's fields in camelCase.
 *
 * @throws InvalidField when a value is missing or cannot be sent
 */
export function readParameters(operation: Operation, source: Source): Parameters {
	const parameters = readFields(operation.fields ?? [], source);
	for (const name of Object.keys(COLLECTIONS) as CollectionName[]) {
		const fields = operation[name];
		if (!fields) continue;
		const collection = source.read(name, {});
		const entered: IDataObject = isRecord(collection) ? (collection as IDataObject) : {};
		// Adding a field to an update and leaving it empty clears it; elsewhere it means nothing.
		const keepsEmpty = name === 'updateFields';
		const present = fields.filter(
			(field) => field.name in entered && (keepsEmpty || !isEmpty(entered[field.name])),
		);
		Object.assign(parameters, readFields(present, { ...source, read: (fieldName) => entered[fieldName] }));
	}
	return parameters;
}

/** The values of some fields for one item; those that their neighbours hide are left out. */
export function readFields(fields: readonly Field[], { read, timezone }: Source): Parameters {
	const values: Parameters = {};
	const parameters: Parameters = {};
	for (const field of fields) {
		if (!isShown(field, values)) continue;
		const value = read(field.name, field.default);
		values[field.name] = value;
		try {
			Object.assign(parameters, toApi(field, value, timezone));
		} catch (error) {
			return fail(field, error);
		}
	}
	return parameters;
}

function fail(field: Field, error: unknown): never {
	throw error instanceof InvalidInput ? new InvalidField(field, error) : error;
}

function isShown(field: Field, values: Parameters): boolean {
	return Object.entries(field.displayOptions?.show ?? {}).every(([neighbour, wanted]) =>
		(wanted as unknown[] | undefined)?.includes(values[neighbour]),
	);
}

function toApi(field: Field, value: unknown, timezone: string): Parameters {
	if (isEmpty(value)) {
		if (field.required) throw new InvalidInput('is empty', 'Enter a value.');
		if (value === null || value === undefined) return {};
	}
	const typed = field.list ? textsOf(value) : ofType(field, value, timezone);
	return field.toApi ? field.toApi(typed as never) : { [field.api?.[0] ?? field.name]: typed };
}

/** Whether the user entered nothing. */
export function isEmpty(value: unknown): boolean {
	return (
		value === undefined ||
		value === null ||
		(typeof value === 'string' && value.trim() === '') ||
		(Array.isArray(value) && value.length === 0) ||
		(isRecord(value) && value.__rl === true && isEmpty(value.value))
	);
}

/** Expressions and agents give values of any type: what fits the field's own type is taken, the rest is refused. */
function ofType(field: Field, value: unknown, timezone: string): unknown {
	switch (field.type) {
		case 'string':
			return textOf(value);
		case 'number':
			return numberOf(field, value);
		case 'boolean':
			return booleanOf(value);
		case 'options':
			return value === '' ? value : choiceOf(field, value);
		case 'multiOptions':
			return (Array.isArray(value) ? value : [value]).map((choice) => choiceOf(field, choice));
		case 'dateTime':
			return momentOf(value, timezone);
		case 'json':
			return objectOf(value);
		case 'resourceLocator':
			return locatorOf(value);
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
	const texts = parts.map((part) => part.trim()).filter((part) => part !== '');
	if (texts.length === 0) throw new InvalidInput('is empty', 'Enter at least one value.');
	return texts;
}

function locatorOf(value: unknown): Locator {
	const { mode, value: chosen } = isRecord(value) && 'value' in value ? value : { mode: '', value };
	return { mode: String(mode), value: textOf(chosen).trim() };
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
	const text = String(value).toLowerCase();
	if (text !== 'true' && text !== 'false') {
		throw new InvalidInput(`is neither true nor false: ${shown(value)}`, 'Enter true or false.');
	}
	return text === 'true';
}

function choiceOf({ options = [], typeOptions, allowArbitraryValues }: Field, value: unknown): unknown {
	const choices = options.flatMap((option) => ('value' in option ? [option.value] : []));
	const isFree = typeOptions?.loadOptionsMethod !== undefined || allowArbitraryValues;
	if (!isFree && !choices.some((choice) => choice === value)) {
		throw new InvalidInput(
			`is not one of its choices: ${shown(value)}`,
			`Use one of: ${choices.join(', ')}.`,
		);
	}
	return isFree ? textOf(value) : value;
}

/** Date-times are sent as ISO 8601 in UTC (API spec, "Conventions" 8). */
function momentOf(value: unknown, timezone: string): string {
	const moment = DateTime.isDateTime(value)
		? value
		: value instanceof Date
			? DateTime.fromJSDate(value)
			: DateTime.fromISO(String(value), { zone: timezone });
	const iso = moment.toUTC().toISO();
	if (iso === null) {
		throw new InvalidInput(
			`is not a date: ${shown(value)}`,
			'Enter a date and time, e.g. 2030-01-31T09:00:00Z.',
		);
	}
	return iso;
}

function objectOf(value: unknown): Record<string, unknown> {
	const object = typeof value === 'string' ? jsonParse<unknown>(value, { fallbackValue: undefined }) : value;
	if (object === undefined) {
		throw new InvalidInput('is not valid JSON', 'Enter an object, e.g. { "key": "value" }.');
	}
	if (!isRecord(object)) {
		throw new InvalidInput(
			`is ${kindOf(object)}, not an object`,
			'Enter an object, e.g. { "key": "value" }.',
		);
	}
	return object;
}

function kindOf(value: unknown): string {
	if (Array.isArray(value)) return 'a list';
	if (isRecord(value)) return 'an object';
	return value === undefined || value === null ? 'empty' : `a ${typeof value}`;
}
