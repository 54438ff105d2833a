import type { N8nApi } from './api';

/** Of each workflow, as many executions are searched. */
const SEARCHED = 20;

/**
 * The URL in the editor of the execution that an event has started in a published workflow, at `since` (milliseconds) or
 * later; undefined if none is found.
 */
export async function executionStartedBy(
	eventId: string,
	since: number,
	{ url, api }: { url: string; api: N8nApi },
): Promise<string | undefined> {
	for (const { id, active } of await api.workflows()) {
		if (!active) continue;
		const later = (await api.executions(id)).filter(({ startedAt }) => Date.parse(startedAt) >= since);
		for (const execution of later.slice(-SEARCHED).reverse()) {
			const { raw } = await api.execution(execution.id);
			if (JSON.stringify(raw.resultData.runData).includes(eventId))
				return `${url}/workflow/${id}/executions/${execution.id}`;
		}
	}
	return undefined;
}
