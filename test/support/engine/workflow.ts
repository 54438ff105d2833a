import {
	Workflow,
	type IConnections,
	type INode,
	type INodeType,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

import { additionalData } from './context';
import type { Engine } from './engine';

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

/** A workflow for n8n's engine, with node types of its own. */
export function workflowOf(
	nodes: INode[],
	connections: IConnections,
	typeOf: (type: string) => INodeType,
): Workflow {
	return new Workflow({
		nodes,
		connections,
		active: false,
		settings: { executionOrder: 'v1' },
		nodeTypes: { getByName: typeOf, getByNameAndVersion: typeOf, getKnownTypes: () => ({}) },
	});
}

/** What n8n's engine needs to run a workflow whose nodes use the account. */
export const dataForRun = (engine: Pick<Engine, 'account'>): IWorkflowExecuteAdditionalData =>
	({
		...additionalData(() => engine.account),
		hooks: { runHook: async () => await Promise.resolve() },
		currentNodeExecutionIndex: 0,
	}) as unknown as IWorkflowExecuteAdditionalData;
