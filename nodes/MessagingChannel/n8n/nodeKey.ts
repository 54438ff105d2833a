import type { FunctionsBase } from 'n8n-workflow';

/** Identifies a node among those of all workflows. */
export function nodeKeyOf(context: Pick<FunctionsBase, 'getWorkflow' | 'getNode'>): string {
	return `${context.getWorkflow().id} ${context.getNode().id}`;
}
