import type {
	IConnections,
	INode,
	INodeParameters,
	IWorkflowSettings,
	NodeConnectionType,
} from 'n8n-workflow';
import { randomUUID } from 'node:crypto';

/** A stored credential, as nodes refer to it. */
export interface CredentialReference {
	id: string;
	name: string;
	type: string;
}

/** A workflow as n8n stores it, before it has an id. */
export interface WorkflowDefinition {
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings: IWorkflowSettings;
}

/** A workflow n8n has stored. */
export type StoredWorkflow = WorkflowDefinition & {
	id: string;
	versionId: string;
	active: boolean;
	isArchived: boolean;
};

/** A line between two nodes, from the first output to the first input unless told otherwise. */
export interface Connection {
	from: string;
	to: string;
	output?: number;
	input?: number;
	type?: NodeConnectionType;
}

/** A credential by its id alone, or as `createCredential` returned it. */
type Credential = string | CredentialReference;

const packageName = 'n8n-nodes-messaging-channel';

/** A workflow; its nodes follow each other in the order given, unless the connections say otherwise. */
export function workflow(
	name: string,
	steps: Array<INode | INode[]>,
	connections?: Connection[],
): WorkflowDefinition {
	const nodes = steps.flat().map((node, index): INode => ({ ...node, position: [index * 220, 0] }));
	return {
		name,
		nodes,
		connections: connect(connections ?? inOrder(nodes)),
		settings: { executionOrder: 'v1' },
	};
}

/** Any node. */
export function node(
	name: string,
	type: string,
	parameters: INodeParameters = {},
	more: Partial<INode> = {},
): INode {
	return { id: randomUUID(), name, type, typeVersion: 1, position: [0, 0], parameters, ...more };
}

/** The node that `N8nApi.run` starts from. */
export const manualTrigger = (name = 'Start') => node(name, 'n8n-nodes-base.manualTrigger');

/** A node of n8n's own that starts the workflow with a POST to its path. */
export const webhookNode = (path: string, parameters: INodeParameters = {}): INode =>
	node(
		'Webhook',
		'n8n-nodes-base.webhook',
		{ httpMethod: 'POST', path, options: {}, ...parameters },
		{ typeVersion: 2, webhookId: path },
	);

/** Two nodes that put out these items; the second has the given name. Neither runs code, so no task runner is needed. */
export function itemsNode(items: object[], name = 'Items'): INode[] {
	return [
		node(
			`${name}: all`,
			'n8n-nodes-base.set',
			{ mode: 'raw', jsonOutput: JSON.stringify({ items }), options: {} },
			{ typeVersion: 3.4 },
		),
		node(name, 'n8n-nodes-base.splitOut', { fieldToSplitOut: 'items', options: {} }),
	];
}

/** A node that turns a base64 string of its items into binary data. */
export function fileNode(
	{
		from = 'base64',
		to = 'data',
		...options
	}: { from?: string; to?: string; fileName?: string; mimeType?: string },
	name = 'File',
): INode {
	const parameters = { operation: 'toBinary', sourceProperty: from, binaryPropertyName: to, options };
	return node(name, 'n8n-nodes-base.convertToFile', parameters, { typeVersion: 1.1 });
}

/** This package's action node. */
export function messagingChannel(
	name: string,
	parameters: INodeParameters & { resource: string; operation: string },
	credential: Credential,
	extra: Partial<INode> = {},
): INode {
	return node(name, `${packageName}.messagingChannel`, parameters, {
		...withCredential(credential),
		...extra,
	});
}

/** This package's trigger node, with a webhook path of its own. */
export function messagingChannelTrigger(
	parameters: INodeParameters,
	credential: Credential,
	extra: Partial<INode> = {},
): INode {
	return node('Messaging Channel Trigger', `${packageName}.messagingChannelTrigger`, parameters, {
		typeVersion: 2,
		webhookId: randomUUID(),
		...withCredential(credential),
		...extra,
	});
}

/** A workflow with the credential chosen in each node of this package, as a user does after importing it. */
export function withCredentialChosen(
	workflow: WorkflowDefinition,
	{ id, name, type }: CredentialReference,
): WorkflowDefinition {
	const nodes = workflow.nodes.map((node) =>
		node.type.startsWith(`${packageName}.`) ? { ...node, credentials: { [type]: { id, name } } } : node,
	);
	return { ...workflow, nodes };
}

function withCredential(credential: Credential): Partial<INode> {
	const { id, name } =
		typeof credential === 'string' ? { id: credential, name: 'Messaging Channel' } : credential;
	return { credentials: { messagingChannelApi: { id, name } } };
}

const inOrder = (nodes: INode[]): Connection[] =>
	nodes.slice(1).map((to, index) => ({ from: nodes[index]?.name ?? '', to: to.name }));

function connect(connections: Connection[]): IConnections {
	const result: IConnections = {};
	for (const { from, to, output = 0, input = 0, type = 'main' } of connections) {
		const outputs = ((result[from] ??= {})[type] ??= []);
		while (outputs.length <= output) outputs.push([]);
		outputs[output]?.push({ node: to, type, index: input });
	}
	return result;
}
