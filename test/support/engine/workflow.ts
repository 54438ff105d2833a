import {
	Workflow,
	type IConnection,
	type IConnections,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeType,
	type IVersionedNodeType,
	type NodeConnectionType,
	type WorkflowParameters,
} from 'n8n-workflow';

/** A node whose type has its name. */
export const nodeOf = (name: string, more: Partial<INode> = {}): INode => ({
	id: name,
	name,
	type: name,
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
	...more,
});

/** The type of a node of another package. */
export const foreignType = (
	execute: (this: IExecuteFunctions, response: never) => unknown,
	{ inputs = ['main'], outputs = 1 } = {},
) =>
	({
		description: { inputs, outputs: Array<string>(outputs).fill('main'), properties: [] },
		execute,
	}) as unknown as INodeType;

/** What an agent from version 3 on returns to have n8n run one of its tools. */
export const toolCall = (nodeName: string, id = 'call', input: IDataObject = {}) => ({
	actionType: 'ExecutionNodeAction',
	nodeName,
	type: 'ai_tool',
	id,
	input,
});

/** Puts out what it gets. */
export const PASSES_ON = foreignType(async function () {
	return await Promise.resolve([this.getInputData()]);
});

/** A line of a workflow to a node. */
export const lineTo = (node: string, type: NodeConnectionType = 'main'): IConnection[] => [
	{ node, type, index: 0 },
];

/** A workflow for n8n's engine, with node types of its own. */
export function workflowOf(
	nodes: INode[],
	connections: IConnections,
	typeOf: (type: string) => INodeType | IVersionedNodeType,
	more: Partial<WorkflowParameters> = {},
): Workflow {
	return new Workflow({
		nodes,
		connections,
		active: false,
		settings: { executionOrder: 'v1' },
		nodeTypes: {
			getByName: typeOf,
			getByNameAndVersion: (type) => typeOf(type) as INodeType,
			getKnownTypes: () => ({}),
		},
		...more,
	});
}
