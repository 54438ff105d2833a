import {
	documentedOperations,
	resolved,
	type Documented,
	type Schema,
} from '../../support/service/core/documentedOperations';
import type { FieldFacts, OperationFacts } from './fromOperations';

/** What openapi.yaml says about each operation, by its id. */
export function factsFromDescription(): Record<string, OperationFacts> {
	return Object.fromEntries(
		documentedOperations.map((documented) => [documented.operationId, factsOf(documented)]),
	);
}

/** The defaults that the description gives to fields, as `<operation>.<field>`. */
export function publishedDefaults(): Map<string, unknown> {
	return new Map(
		documentedOperations.flatMap((documented) =>
			fieldsOf(documented).map(({ name, schema }) => [`${documented.operationId}.${name}`, schema.default]),
		),
	);
}

interface DescribedField extends Pick<FieldFacts, 'place' | 'required'> {
	name: string;
	schema: Schema;
}

function factsOf(documented: Documented): OperationFacts {
	return {
		call: `${documented.method} ${documented.path}`,
		permission: documented['x-permission'],
		inferred: documented['x-inferred'],
		fields: Object.fromEntries(
			fieldsOf(documented)
				.filter(({ schema }) => isAChoice(schema))
				.map(({ name, place, required, schema }) => [name, { place, required, ...choicesOf(schema) }]),
		),
	};
}

function fieldsOf({ parameters, requestBody }: Documented): DescribedField[] {
	const inUrl = parameters.map(({ name, in: place, required = false, schema }) => ({
		name,
		place,
		required,
		schema: resolved(schema),
	}));
	return [...inUrl, ...fieldsOfBody(resolved(requestBody?.content['application/json']?.schema ?? {}))];
}

function fieldsOfBody({ properties = {}, required = [], oneOf = [] }: Schema): DescribedField[] {
	// `anyOf` requires no single field: the operation itself checks that one is there.
	const alternatives = oneOf.flatMap((branch) => branch.required ?? []);
	return Object.entries(properties).map(([name, schema]) => ({
		name,
		place: 'body',
		required: alternatives.includes(name) ? 'either' : required.includes(name),
		schema: resolved(schema),
	}));
}

/** A field whose only value is its default is nothing to choose: leaving it out says the same. */
function isAChoice({ enum: values, default: published }: Schema): boolean {
	return !(values?.length === 1 && values[0] === published);
}

function choicesOf({ enum: own, items = {} }: Schema): Pick<FieldFacts, 'choices'> {
	const choices = own ?? resolved(items).enum;
	return choices ? { choices: choices.map(String).sort() } : {};
}
