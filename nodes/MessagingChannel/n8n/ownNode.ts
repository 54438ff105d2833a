import type {
	FunctionsBase,
	IDataObject,
	IExecuteData,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
} from 'n8n-workflow';

type SettingsContext = Pick<IExecuteFunctions, 'getExecuteData' | 'getInputData' | 'getNode'>;

/** Whether an agent uses the node as a tool. n8n adds 'Tool' to its type then. */
export function isToolNode(context: Pick<SettingsContext, 'getNode'>): boolean {
	return context.getNode().type.endsWith('Tool');
}

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

/** How many input items n8n has left out, because of Execute Once. */
export function leftOutItems(context: SettingsContext): number {
	// A tool can run without an execution, of which n8n tells nothing then.
	if (context.getNode().executeOnce !== true) return 0;
	return allItems(context).length - context.getInputData().length;
}

/** Whether failed items leave through an output of their own, which a tool does not have. */
export function hasErrorOutput(context: SettingsContext): boolean {
	return context.getNode().onError === 'continueErrorOutput' && !isToolNode(context);
}

/** What the node keeps in the data of its execution. n8n runs the tools of its own Agents without an execution, so it stores nothing of what they do. */
export function nodeDataOf(
	context: Pick<IExecuteFunctions, 'getContext'>,
	isTool: boolean,
): IDataObject | undefined {
	if (!isTool) return context.getContext('node');
	try {
		return context.getContext('node');
	} catch {
		return undefined;
	}
}

/** Has n8n give the model what a tool puts out. With On Error set to the error output, it would drop all, so the model would send again. */
export function keepToolOutput(context: SettingsContext): void {
	if (context.getNode().onError === 'continueErrorOutput' && isToolNode(context))
		changeSettings(context, { onError: 'continueRegularOutput' });
}

/**
 * Keeps the first output empty if the node puts nothing there. With Always Output Data, n8n would continue with an empty item, as
 * if something had been sent or received.
 */
export function withoutEmptyItem(context: SettingsContext): void {
	if (context.getNode().alwaysOutputData === true) changeSettings(context, { alwaysOutputData: false });
}

/** Changes settings that n8n applies when the node has returned, for this run only. */
function changeSettings(context: SettingsContext, settings: Partial<INode>): void {
	const executed = ownExecuteData(context);
	if (executed) executed.node = { ...executed.node, ...settings };
}

/** What n8n runs the node with. A node that calls this one as its tool has data of its own. */
function ownExecuteData(context: SettingsContext): IExecuteData | undefined {
	const executed = context.getExecuteData();
	return executed.node.name === context.getNode().name ? executed : undefined;
}
