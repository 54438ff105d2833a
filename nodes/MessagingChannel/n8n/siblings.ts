import type { FunctionsBase, INode } from 'n8n-workflow';

/** The other nodes of this type in the workflow that are turned on. */
export function siblingsOf(context: Pick<FunctionsBase, 'getNode'>): INode[] {
	const { name, type } = context.getNode();
	// n8n shows a node no other one, but its contexts hold them.
	const { workflow } = context as { workflow?: { nodes: Record<string, INode> } };
	return Object.values(workflow?.nodes ?? {}).filter(
		(other) => other.name !== name && other.type === type && other.disabled !== true,
	);
}
