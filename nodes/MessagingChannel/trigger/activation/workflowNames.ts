import { normalUrl } from '../../webhook/url';

/** The names of the published workflows, by the URL of their trigger. */
const names = new Map<string, string>();

/** Records the name of a workflow when this process publishes it. n8n lets no node ask for other workflows. */
export function noteWorkflowName(url: string, name: string | undefined): void {
	if (name) names.set(normalUrl(url), name);
}

/** Removes a workflow that is unpublished. */
export function forgetWorkflowName(url: string): void {
	names.delete(normalUrl(url));
}

/** The name of the workflow with a trigger at this URL; undefined if this process has not published it. */
export function workflowNameAt(url: string): string | undefined {
	return names.get(normalUrl(url));
}
