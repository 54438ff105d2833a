import { NodeHelpers, type INode, type INodeParameters, type INodeProperties } from 'n8n-workflow';

import { resources } from '../../nodes/MessagingChannel/actions';
import { MessagingChannel } from '../../nodes/MessagingChannel/MessagingChannel.node';
import { COLLECTIONS, collectionsOf } from '../../nodes/MessagingChannel/operation/collections';
import { INFERRED_NOTICE } from '../../nodes/MessagingChannel/operation/inferred';
import type { Field, Operation } from '../../nodes/MessagingChannel/operation/operation';
import { limit, returnAll } from '../../nodes/MessagingChannel/operation/returnAll';

/** One operation, by what saved workflows call it. */
export interface OperationOnPanel {
	resource: string;
	operation: string;
	/** Its entry in `actions`. The tests check what n8n was told about it. */
	model: Operation;
}

/** What a panel must show, and nothing else. */
export interface ExpectedPanel {
	/** Labels from top to bottom. */
	labels: string[];
	notices: string[];
	/** How many fields must be marked as missing. */
	missing: number;
}

/** Every operation that the panel offers. */
export const operationsOnPanel: OperationOnPanel[] = resources.flatMap(({ value, operations }) =>
	operations.map((model) => ({ resource: value, operation: model.value, model })),
);

/** The parameters of a node on which nothing is filled in yet, but every optional field is added. */
export function withEveryField({
	resource,
	operation,
	model,
}: OperationOnPanel): INodeParameters & { resource: string; operation: string } {
	const collections = collectionsOf(model).map(([name, fields]) => [name, defaultsOf(fields)]);
	return { resource, operation, ...(Object.fromEntries(collections) as INodeParameters) };
}

/** What n8n must show for the parameters of `withEveryField`. */
export function expectedPanel({ model }: OperationOnPanel): ExpectedPanel {
	const own = [...(model.fields ?? []), ...(model.pagination ? [returnAll, limit] : [])];
	// A resource mapper has a label only once it has columns.
	const shown = own.filter(isShownBeside(defaultsOf(own))).filter(({ type }) => type !== 'resourceMapper');
	const collections = collectionsOf(model).flatMap(([name, fields]) => {
		const entered = defaultsOf(fields);
		const isShown = isShownBeside(entered, { ...defaultsOf(own), [name]: entered });
		return [COLLECTIONS[name], ...fields.filter(isShown).flatMap((field) => [field, ...groupIn(field)])];
	});
	const notices = [model.notice, model.endpoint.inferred && INFERRED_NOTICE[model.endpoint.inferred]];
	return {
		labels: ['Resource', 'Operation', ...[...shown, ...collections].map(({ displayName }) => displayName)],
		notices: notices.filter((notice) => notice !== undefined),
		missing: shown.filter(isMissing).length,
	};
}

const defaultsOf = (fields: readonly Field[]): INodeParameters =>
	Object.fromEntries(fields.map((field) => [field.name, field.default])) as INodeParameters;

/** The fields in a group that is there from the beginning. */
function groupIn({ type, default: initial, options = [] }: Field): INodeProperties[] {
	if (type !== 'fixedCollection' || typeof initial !== 'object') return [];
	return options.flatMap((group) => {
		const entered = 'values' in group ? (initial as INodeParameters)[group.name] : undefined;
		return 'values' in group && entered ? group.values.filter(isShownBeside(entered as INodeParameters)) : [];
	});
}

/** Whether n8n shows a field beside these values of its neighbours, in a node with these. */
function isShownBeside(
	values: INodeParameters,
	ofNode: INodeParameters = values,
): (field: INodeProperties) => boolean {
	const { description } = new MessagingChannel();
	const node: INode = {
		id: 'node-1',
		name: 'Messaging Channel',
		type: description.name,
		typeVersion: 1,
		position: [0, 0],
		parameters: values,
	};
	return (field) => NodeHelpers.displayParameter(values, field, node, description, ofNode);
}

function isMissing({ required, default: initial }: INodeProperties): boolean {
	const value: unknown =
		typeof initial === 'object' && initial && 'value' in initial ? initial.value : initial;
	return required === true && (value === '' || (Array.isArray(value) && value.length === 0));
}
