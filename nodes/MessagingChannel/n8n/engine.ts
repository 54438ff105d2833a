/** The IDs that n8n's Engine 2.0 gives executions: UUIDs of version 7. The other engine counts. */
const ENGINE_2_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/i;

/** Whether n8n's Engine 2.0 runs the node. It runs no sub-workflows and retries, whatever the workflow is set to. */
export function isInEngine2(executionId: string): boolean {
	return ENGINE_2_ID.test(executionId);
}

/** What to do about a workflow in Engine 2.0. n8n's editor does not show the setting. */
export const ENGINE_ADVICE =
	'Remove "engineType": "v2" from the settings of the workflow: download the workflow, remove it from the file, and import the file';
