import omit from 'lodash/omit';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { COLLECTIONS, type CollectionName, type Field, type Operation, type Resource } from './operation';
import { limit, returnAll } from './paging';

/** Everything that n8n's panel shows for the resources: both selectors, then the fields of each operation. */
export function propertiesOf(resources: readonly Resource[]): INodeProperties[] {
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
				panelOf(operation).map((property) => shownFor(resource, operation, property)),
			),
		),
	];
}

function selector(displayName: string, name: string, options: INodePropertyOptions[]): INodeProperties {
	const initial = options[0]?.value ?? '';
	return { displayName, name, type: 'options', noDataExpression: true, options, default: initial };
}

function toOption({ name, value, action, description }: Operation): INodePropertyOptions {
	return { name, value, action, description };
}

function panelOf(operation: Operation): INodeProperties[] {
	return [
		...(operation.notice ? [notice(operation.notice)] : []),
		...(operation.fields ?? []).map(withoutApi),
		...(operation.paging ? [returnAll, limit] : []),
		...(Object.keys(COLLECTIONS) as CollectionName[]).flatMap((name) => collection(name, operation[name])),
	];
}

function notice(text: string): INodeProperties {
	return { displayName: text, name: 'notice', type: 'notice', default: '' };
}

function collection(name: CollectionName, fields: readonly Field[] = []): INodeProperties[] {
	if (fields.length === 0) return [];
	return [{ ...COLLECTIONS[name], name, type: 'collection', default: {}, options: fields.map(withoutApi) }];
}

/** n8n hands properties to the browser, which has no use for what is ours. */
function withoutApi(field: Field): INodeProperties {
	return omit(field, ['api', 'toApi', 'list']);
}

function shownFor(resource: Resource, operation: Operation, property: INodeProperties): INodeProperties {
	const show = { resource: [resource.value], operation: [operation.value], ...property.displayOptions?.show };
	return { ...property, displayOptions: { ...property.displayOptions, show } };
}
