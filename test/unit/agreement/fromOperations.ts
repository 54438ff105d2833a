import snakeCase from 'lodash/snakeCase';

import type { Field, Operation } from '../../../nodes/MessagingChannel/operation/operation';
/** Where a call carries a field. */
type Place = 'path' | 'query' | 'body';

/** What both sides say about one field that the service takes. */
export interface FieldFacts {
	place: Place;
	/** `either`: one of several fields that stand for each other, such as the ways to give a medium. */
	required: boolean | 'either';
	/** The values it takes, where they are listed. */
	choices?: string[];
}

/** What both sides say about one operation, so that they can be compared as a whole. */
export interface OperationFacts {
	call: string;
	permission: string;
	/** What of it the service does not publish. */
	inferred: 'endpoint' | 'body' | undefined;
	fields: Record<string, FieldFacts>;
}

/** What one operation says about itself. */
export function factsOfOperation(operation: Operation): OperationFacts {
	const { endpoint } = operation;
	const placeOf = placesIn(endpoint.method, endpoint.path);
	return {
		call: `${endpoint.method} ${endpoint.path}`,
		permission: endpoint.permission.replace(' ', '-'),
		inferred: endpoint.inferred,
		fields: Object.fromEntries([
			...pagingFields(operation),
			...optionalFields(operation).flatMap((field) => factsOfField(field, placeOf, false)),
			...(operation.fields ?? []).flatMap((field) => factsOfField(field, placeOf, requirementOf(field))),
		]),
	};
}

/** The optional fields of an operation, which stand in its collections. */
function optionalFields(operation: Operation): Field[] {
	const { filters = [], additionalFields = [], updateFields = [], options = [] } = operation;
	return [...filters, ...additionalFields, ...updateFields, ...options];
}

/** The names under which a field reaches the service. */
export const apiNames = ({ api, name }: Field): string[] => [...(api ?? [name])];

type PlaceOf = (name: string) => Place;

function placesIn(method: string, path: string): PlaceOf {
	return (name) => {
		if (path.includes(`{${name}}`)) return 'path';
		return method === 'POST' || method === 'PUT' ? 'body' : 'query';
	};
}

/** One that shows only for some choices, or fills one of several fields, is required in their place. */
function requirementOf({ required, displayOptions, api = [] }: Field): FieldFacts['required'] {
	if (!required) return false;
	return displayOptions || api.length > 1 ? 'either' : true;
}

function factsOfField(
	field: Field,
	placeOf: PlaceOf,
	required: FieldFacts['required'],
): Array<[string, FieldFacts]> {
	return apiNames(field).map((name) => [
		placeOf(name) === 'path' ? name : snakeCase(name),
		{ place: placeOf(name), required, ...choicesOf(field, name) },
	]);
}

/** The values that reach the service for the choices of a field. */
function choicesOf({ type, options, toApi }: Field, name: string): Pick<FieldFacts, 'choices'> {
	if ((type !== 'options' && type !== 'multiOptions') || !options) return {};
	const values = options.flatMap((option) => ('value' in option ? [option.value] : []));
	const sent = values.map((value) => (toApi ? toApi(value as never, {})[name] : value));
	return {
		choices: sent
			.filter((value) => value !== undefined)
			.map(String)
			.sort(),
	};
}

function pagingFields({ pagination }: Operation): Array<[string, FieldFacts]> {
	const names = { none: [], page: ['page', 'limit'], cursor: ['limit', 'before'] }[pagination ?? 'none'];
	return names.map((name) => [name, { place: 'query', required: false }]);
}
