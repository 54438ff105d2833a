import omit from 'lodash/omit';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { CollectionName, Field, Operation, Resource } from './operation';
import { COLLECTIONS, collectionsOf } from './collections';
import { INFERRED_NOTICE, inferredFieldsNotice } from './inferred';
import { limit, returnAll } from './returnAll';

/** The properties of the node: the Resource and Operation selectors, then the fields of each operation. */
export function nodePropertiesOf(resources: readonly Resource[]): INodeProperties[] {
	return [
		selector(
			'Resource',
			'resource',
			resources.map(({ name, value }) => ({ name, value })),
		),
		...resources.map((resource) => ({
			...selector('Operation', 'operation', resource.operations.map(toOption)),
			displayOptions: { show: { resource: [resource.value] } },
		})),
		...resources.flatMap((resource) =>
			resource.operations.flatMap((operation) =>
				propertiesOf(operation, `${resource.value}.${operation.value}`).map((property) =>
					showFor(resource, operation, property),
				),
			),
		),
	];
}

function selector(displayName: string, name: string, options: INodePropertyOptions[]): INodeProperties {
	const [initial] = options.map(({ value }) => value);
	return { displayName, name, type: 'options', noDataExpression: true, options, default: initial };
}

function toOption({ name, value, action, description }: Operation): INodePropertyOptions {
	return { name, value, action, description };
}

function propertiesOf(operation: Operation, id: string): INodeProperties[] {
	return [
		...noticesOf(operation, id).map(notice),
		...(operation.fields ?? []).map(withoutApi),
		...(operation.pagination ? [returnAll, limit].map(withoutApi) : []),
		...collectionsOf(operation).map(([name, fields]) => collection(name, fields)),
	];
}

function noticesOf({ notice, endpoint }: Operation, id: string): string[] {
	const inferred = endpoint.inferred ? INFERRED_NOTICE[endpoint.inferred] : inferredFieldsNotice(id);
	return [notice, inferred].filter((text) => text !== undefined);
}

function notice(text: string): INodeProperties {
	return { displayName: text, name: 'notice', type: 'notice', default: '' };
}

function collection(name: CollectionName, fields: readonly Field[]): INodeProperties {
	// n8n reports a required field as missing even when it was not added to the collection.
	const options = fields.map((field) => omit(withoutApi(field), 'required'));
	// A collection that offers nothing would be shown all the same.
	const type = fields.every(({ isHidden }) => isHidden) ? 'hidden' : 'collection';
	return { ...COLLECTIONS[name], name, type, default: {}, options };
}

/** What of a field only this node reads. */
const OWN_KEYS = [
	...(['api', 'toApi', 'list', 'mustResolve', 'mustBeWhole', 'readsEmpty', 'refusesModel'] as const),
	...(['readLast', 'acceptsFile', 'isHidden'] as const),
];

/** Removes what the editor does not need, because n8n sends the properties to the browser. */
export function withoutApi(field: Field): INodeProperties {
	const { displayName, name, default: preset, isHidden } = field;
	return isHidden ? { displayName, name, type: 'hidden', default: preset } : omit(field, OWN_KEYS);
}

function showFor(resource: Resource, operation: Operation, property: INodeProperties): INodeProperties {
	const show = { resource: [resource.value], operation: [operation.value], ...property.displayOptions?.show };
	return { ...property, displayOptions: { ...property.displayOptions, show } };
}
