import type { IExecuteFunctions } from 'n8n-workflow';

/** Whether an agent uses the node as a tool. n8n adds 'Tool' to its type then. */
export function isToolNode(context: Pick<IExecuteFunctions, 'getNode'>): boolean {
	return context.getNode().type.endsWith('Tool');
}

/** Whether n8n can store what the node does. It runs the tools of its own Agents without an execution. */
export function hasExecution(context: Pick<IExecuteFunctions, 'getContext' | 'getNode'>): boolean {
	if (!isToolNode(context)) return true;
	try {
		return context.getContext('node') !== undefined;
	} catch {
		return false;
	}
}
