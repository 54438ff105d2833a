import isEqual from 'lodash/isEqual';
import partition from 'lodash/partition';
import type { INodePropertyCollection } from 'n8n-workflow';

import type { Parameters } from '../api/apiRequest';
import { messageOf } from '../api/errors';
import { isEntered, isRecord, recordOrEmpty } from '../api/values';
import { COLLECTIONS, collectionsOf } from './collections';
import { acceptsAnyValue, convertValue } from './convertValue';
import { hasBodyFields } from './inferred';
import { InvalidInput, type Input, type Locator } from './input';
import type { CollectionName, Field, Operation } from './operation';
import { limit, returnAll } from './returnAll';

/** The source of an item's values. */
export interface Source extends Pick<Input, 'file'> {
	/** Reads a node parameter for the item, with its expressions resolved. */
	read: (name: string, fallback: unknown) => unknown;
	/** Whether an expression in the text of a node parameter gives nothing, beside other text. */
	isPartMissing?: (name: string, value: unknown, mayBeEmpty: boolean) => boolean;
	/** What a node parameter has in place of a text because an expression in it gives none. */
	garbledText?: (name: string, value: unknown) => string | undefined;
	/** Whether the model of an agent can fill in a node parameter. */
	isFromModel?: (name: string) => boolean;
	/** The workflow's time zone, in which the user enters dates. */
	timezone: string;
	/**
	 * The country code of the account's own number; undefined if it is not known. Fields ask for it as a setting.
	 *
	 * @throws AccountCountryNeeded if it has to be read first
	 */
	accountCountryCode?: () => string | undefined;
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
	const { accountCountryCode, file } = source;
	const input: Input = { parameters: {}, settings: { accountCountryCode }, file };
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

/** The panel shows in red what is empty without an expression. */
const EMPTY_ADVICE = 'Enter a value. If you use an expression, check its result for this item: it is empty.';

function readCollection(
	name: CollectionName,
	fields: readonly Field[],
	source: Source,
	settings: Parameters,
): Values {
	const { displayName } = COLLECTIONS[name];
	const entered = recordOrEmpty(inField(displayName, () => readParameter(source, name, {})));
	const [last, others] = partition(
		fields.filter((field) => field.name in entered),
		({ readLast }) => readLast,
	);
	const added = [...others, ...last];
	// The panel may lack the very field of an undocumented record that is to be updated.
	const needsValue = name === 'updateFields' && !hasBodyFields(settings);
	if (needsValue && added.length === 0) {
		throw new InvalidInput('is empty', 'Add at least one field to update.', displayName);
	}
	const read = readFields(added, { ...source, read: (fieldName) => entered[fieldName] }, settings, name);
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
 * @param settings those that were read before
 * @param collection the collection of the fields, if they are in one
 */
function readFields(
	fields: readonly Field[],
	source: Source,
	settings: Parameters,
	collection?: CollectionName,
): Values {
	const read: Values = { parameters: {}, settings: { ...settings } };
	const values: Parameters = {};
	for (const field of fields) {
		if (!isShown(field, values)) continue;
		inField(field.displayName, () => {
			const value = readParameter(source, field.name, field.default);
			const target = field.api?.length === 0 ? read.settings : read.parameters;
			const given = valuesOf(field, value, source, read.settings, collection);
			Object.assign(target, given);
			// Fields that depend on it are shown for true or a choice, not for the text that an expression can give.
			values[field.name] = given[field.name] ?? value;
		});
	}
	return read;
}

/**
 * Reads a field.
 *
 * @throws InvalidInput with the label of the field
 */
function inField<T>(displayName: string, read: () => T): T {
	try {
		return read();
	} catch (error) {
		throw error instanceof InvalidInput ? error.in(displayName) : error;
	}
}

/** Reads a node parameter. All that n8n can throw then is about its expression. */
function readParameter({ read }: Source, name: string, fallback: unknown): unknown {
	try {
		return read(name, fallback);
	} catch (error) {
		throw expressionError(error);
	}
}

function expressionError(error: unknown): InvalidInput {
	return new InvalidInput(
		`has an expression that fails: ${messageOf(error)}`,
		'Correct the expression, or the data that it uses.',
	);
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
	collection: CollectionName | undefined,
): Parameters {
	const path = collection ? `${collection}.${field.name}` : field.name;
	if (field.refusesModel && source.isFromModel?.(path)) {
		throw new InvalidInput(
			'can be filled in by the model, which would allow itself everybody',
			"Enter the recipients, or an expression with the name of a node, such as {{ $('Messaging Channel Trigger').first().json.chat.id }}.",
		);
	}
	// n8n has the model of an agent fill in all fields of its tool, also those that it does not mean to change or to filter by.
	const isUpdate = collection === 'updateFields';
	const mayBeLeft = isUpdate || collection === 'filters';
	const isLeft = (given: unknown) =>
		(isUpdate || !isNothing(given)) &&
		(isEmptyInput(given) || isEqual(given, {})) &&
		source.isFromModel?.(path) === true;
	if ((mayBeLeft && isLeft(value)) || isLeftOut(field, value, collection)) return {};
	const typed =
		field.type === 'fixedCollection'
			? readFixedCollection(field, value, source, path)
			: convertValue(field, field.readsEmpty ? (value ?? []) : value, source.timezone);
	if (mayBeLeft && isLeft(typed)) return {};
	if (field.required && (typed === undefined || isEqual(typed, [])))
		throw new InvalidInput('is empty', EMPTY_ADVICE);
	// What a locator has is no person, chat or template then.
	const garbled = field.type === 'resourceLocator' ? undefined : source.garbledText?.(path, value);
	if (garbled !== undefined) {
		throw new InvalidInput(
			`would contain '${garbled}'`,
			'An expression gives an object, or a date that is not valid. Choose a field of the object, or correct the expression.',
		);
	}
	const isInLocator = field.type === 'resourceLocator' && typeof value === 'object';
	// An expression can give all of a locator.
	const [name, text] = isInLocator ? [`${path}.value`, (value as Locator).value] : [path, value];
	const mustBeFilled = ['resourceLocator', 'dateTime'].includes(field.type) || field.mustBeWhole === 'filled';
	// A blank between two expressions that give nothing is not meant to clear a field.
	const isCleared = isUpdate && isEmptyInput(value);
	const mustBeWhole = mustBeFilled || field.mustBeWhole || isCleared || collection === 'filters';
	// The rest would mean something else.
	if (mustBeWhole && source.isPartMissing?.(name, text, !mustBeFilled)) {
		throw new InvalidInput(
			'has an expression that gives nothing',
			'Correct the expression. If it may give nothing, let it give an empty text, e.g. {{ $json.suffix ?? "" }}.',
		);
	}
	return field.toApi ? field.toApi(typed as never, settings) : { [field.api?.[0] ?? field.name]: typed };
}

/**
 * Whether a field is empty, and not sent.
 *
 * @throws InvalidInput if it must not be empty
 */
function isLeftOut(field: Field, value: unknown, collection: CollectionName | undefined): boolean {
	if (!isEmptyInput(value)) return false;
	// In a collection, a choice without a value is not sent.
	if (field.required || (!collection && isChoice(field))) throw new InvalidInput('is empty', EMPTY_ADVICE);
	// Without one of its filters, a list would have everything.
	if ((field.mustResolve || collection === 'filters') && isNothing(value)) {
		throw new InvalidInput(
			'has an expression that gives nothing',
			field.readsEmpty || isChoice(field)
				? 'Correct the expression, or remove the field.'
				: 'Correct the expression. If the field may be empty, let it give an empty text, e.g. {{ $json.name ?? "" }}.',
		);
	}
	// In an update, an empty text clears the value.
	const isCleared = collection === 'updateFields' && !isNothing(value);
	if (isCleared && !CLEARABLE.includes(field.type)) {
		throw new InvalidInput(
			'is empty, and cannot be cleared',
			"To leave it as it is, let its expression give null, e.g. {{ $json.value === '' ? null : $json.value }}.",
		);
	}
	return !isCleared && !field.readsEmpty;
}

/** The types whose fields can hold nothing. */
const CLEARABLE: ReadonlyArray<Field['type']> = ['string', 'color', 'multiOptions'];

/**
 * Reads a fixed collection with one kind of group.
 *
 * @returns the values of the group, or undefined when it was not added; an array when groups can be added several times
 */
function readFixedCollection(
	{ options, typeOptions }: Field,
	value: unknown,
	source: Source,
	path: string,
): Parameters | Parameters[] | undefined {
	const [{ name, values: fields }] = options as [INodePropertyCollection];
	const groups = [recordOrEmpty(value)[name]].flat().filter(isRecord);
	const values = groups.map((entered, index) => {
		const place = typeOptions?.multipleValues ? `${path}.${name}[${index}]` : `${path}.${name}`;
		const inner: Source = {
			...source,
			read: (field, fallback) => (field in entered ? entered[field] : fallback),
			garbledText: undefined,
			isPartMissing: (field, ...rest) => source.isPartMissing?.(`${place}.${field}`, ...rest) ?? false,
		};
		return readFields(fields, inner, {}).parameters;
	});
	return typeOptions?.multipleValues ? values : values[0];
}

/** Whether one of given values is chosen, so that only an expression can give none. */
function isChoice(field: Field): boolean {
	return field.type === 'boolean' || (field.type === 'options' && !acceptsAnyValue(field));
}

function isNothing(value: unknown): boolean {
	return value === undefined || value === null;
}

/** Whether a field was left empty. */
function isEmptyInput(value: unknown): boolean {
	return (
		!isEntered(value) ||
		(Array.isArray(value) && value.length === 0) ||
		(isRecord(value) && value.__rl === true && isEmptyInput(value.value))
	);
}
