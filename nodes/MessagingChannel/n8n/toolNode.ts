import type { IExecuteFunctions } from 'n8n-workflow';

/** Whether an agent uses the node as a tool. n8n adds 'Tool' to its type then. */
export function isToolNode(context: Pick<IExecuteFunctions, 'getNode'>): boolean {
	return context.getNode().type.endsWith('Tool');
}
