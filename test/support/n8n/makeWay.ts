import { setTimeout as sleep } from 'node:timers/promises';
import type { N8nApi } from './api';
import type { StoredWorkflow } from './workflow';

const TRIGGER = 'n8n-nodes-messaging-channel.messagingChannelTrigger';
const PAUSE_MS = 2_000;

/**
 * Unpublishes a workflow as soon as another one with the trigger is published, so that a customer gets one answer.
 *
 * @param before the workflows that were published before it, which are left alone
 * @returns the name of the other workflow, or nothing when the signal stopped the wait
 */
export async function makeWay(
	api: N8nApi,
	workflowId: string,
	signal: AbortSignal,
	before: string[] = [],
): Promise<string | undefined> {
	while (!signal.aborted) {
		// A workflow that is deleted meanwhile, or a busy n8n, must not end `npm start`.
		const other = await makeWayNow(api, workflowId, before).catch(() => undefined);
		if (other) return other.name;
		await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
	}
	return undefined;
}

async function makeWayNow(
	api: N8nApi,
	workflowId: string,
	before: string[],
): Promise<StoredWorkflow | undefined> {
	const published = (await api.workflows()).filter(
		({ id, active }) => active && ![workflowId, ...before].includes(id),
	);
	const workflows = await Promise.all(published.map(async ({ id }) => await api.workflow(id)));
	const other = workflows.find(({ nodes }) =>
		nodes.some(({ type, disabled }) => type === TRIGGER && !disabled),
	);
	if (other) await api.deactivate(workflowId);
	return other;
}
