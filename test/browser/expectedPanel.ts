import {
	NodeHelpers,
	type INode,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';
import { randomUUID } from 'node:crypto';

import { MessagingChannel } from '../../nodes/MessagingChannel/MessagingChannel.node';

const { description } = new MessagingChannel();
const { properties } = description;

/** One operation, as the selectors of the panel name it. */
export interface OperationOnPanel {
	resource: string;
	operation: string;
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
export const operationsOnPanel: OperationOnPanel[] = choicesOf('resource').flatMap((resource) =>
	choicesOf('operation', resource).map((operation) => ({ resource, operation })),
);

/** The parameters of a node on which nothing is filled in yet, but every optional field is added. */
export function withEveryField({
	resource,
	operation,
}: OperationOnPanel): INodeParameters & OperationOnPanel {
	const collections = propertiesFor({ resource, operation })
		.filter(({ type }) => type === 'collection')
		.map((collection) => [
			collection.name,
			Object.fromEntries(fieldsIn(collection).map((field) => [field.name, field.default])),
		]);
	return { resource, operation, ...(Object.fromEntries(collections) as INodeParameters) };
}

/** What n8n must show for these parameters. */
export function expectedPanel(parameters: INodeParameters & OperationOnPanel): ExpectedPanel {
	const shown = propertiesFor(parameters).filter(isShown(parameters));
	const fields = shown.filter(({ type }) => !['notice', 'hidden', 'resourceMapper'].includes(type));
	return {
		labels: ['Resource', 'Operation', ...fields.flatMap(labelsOf)],
		notices: shown.filter(({ type }) => type === 'notice').map(({ displayName }) => displayName),
		missing: fields.filter(isMissing).length,
	};
}

function choicesOf(selector: string, resource?: string): string[] {
	const property = properties.find(
		({ name, displayOptions }) =>
			name === selector && (!resource || displayOptions?.show?.resource?.includes(resource)),
	);
	return (property?.options as INodePropertyOptions[]).map(({ value }) => String(value));
}

/** The properties that belong to an operation by name: those of another must not show, whatever they depend on. */
function propertiesFor({ resource, operation }: OperationOnPanel): INodeProperties[] {
	return properties.filter(({ displayOptions: { show = {} } = {} }) =>
		Boolean(show.resource?.includes(resource) && show.operation?.includes(operation)),
	);
}

/** Whether n8n shows a property beside these values of its neighbours. */
function isShown(parameters: INodeParameters): (property: INodeProperties) => boolean {
	const node: INode = {
		id: randomUUID(),
		name: 'Messaging Channel',
		type: description.name,
		typeVersion: 1,
		position: [0, 0],
		parameters,
	};
	const all = NodeHelpers.getNodeParameters(properties, parameters, true, false, node, description);
	return (property) => NodeHelpers.displayParameter(all ?? parameters, property, node, description);
}

function labelsOf(property: INodeProperties): string[] {
	const inside = property.type === 'collection' ? fieldsIn(property) : [];
	return [property, ...inside].map(({ displayName }) => displayName);
}

function fieldsIn({ options = [] }: INodeProperties): INodeProperties[] {
	return options.filter((option): option is INodeProperties => 'displayName' in option && 'type' in option);
}

function isMissing({ required, default: initial }: INodeProperties): boolean {
	const value: unknown =
		typeof initial === 'object' && initial && 'value' in initial ? initial.value : initial;
	return required === true && (value === '' || (Array.isArray(value) && value.length === 0));
}
