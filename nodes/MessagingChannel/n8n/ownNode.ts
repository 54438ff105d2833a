import type { FunctionsBase, IExecuteData, IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';

type SettingsContext = Pick<IExecuteFunctions, 'getExecuteData' | 'getInputData' | 'getNode'>;

/** The other nodes of this type in the workflow that are turned on. */
export function siblingsOf(context: Pick<FunctionsBase, 'getNode'>): INode[] {
	const { name, type } = context.getNode();
	// n8n shows a node no other one, but its contexts hold them.
	const { workflow } = context as { workflow?: { nodes: Record<string, INode> } };
	return Object.values(workflow?.nodes ?? {}).filter(
		(other) => other.name !== name && other.type === type && other.disabled !== true,
	);
}

/** The input items of the node, with those that n8n leaves out because of Execute Once. */
export function allItems(context: SettingsContext): INodeExecutionData[] {
	return ownExecuteData(context)?.data.main?.[0] ?? context.getInputData();
}

/**
 * Keeps the first output empty if the node puts nothing there. With Always Output Data, n8n would continue with an empty item, as
 * if something had been sent or received.
 */
export function withoutEmptyItem(context: SettingsContext): void {
	if (context.getNode().alwaysOutputData === true) changeSettings(context, { alwaysOutputData: false });
}

/** Changes settings that n8n applies when the node has returned, for this run only. */
export function changeSettings(context: SettingsContext, settings: Partial<INode>): void {
	const executed = ownExecuteData(context);
	if (executed) executed.node = { ...executed.node, ...settings };
}

/** What n8n runs the node with. A node that calls this one as its tool has data of its own. */
function ownExecuteData(context: SettingsContext): IExecuteData | undefined {
	const executed = context.getExecuteData();
	return executed.node.name === context.getNode().name ? executed : undefined;
}
