import type { N8nApi } from './api';

/** Of each workflow, as many of the latest executions are searched. */
const SEARCHED = 20;

/** The URL in the editor of the execution that an event has started in a published workflow; undefined if none is found. */
export async function executionStartedBy(
	eventId: string,
	{ url, api }: { url: string; api: N8nApi },
): Promise<string | undefined> {
	for (const { id, active } of await api.workflows()) {
		if (!active) continue;
		for (const execution of (await api.executions(id)).slice(0, SEARCHED)) {
			const { raw } = await api.execution(execution.id);
			if (JSON.stringify(raw.resultData.runData).includes(eventId))
				return `${url}/workflow/${id}/executions/${execution.id}`;
		}
	}
	return undefined;
}
