import type { IDataObject } from 'n8n-workflow';

import type { Execution } from '../n8n/execution';

/** The events in an item of the trigger, which can stand for all messages of a chat. */
export function eventIdsIn({ event_id, event_ids }: IDataObject): string[] {
	const ids: unknown = event_ids;
	return Array.isArray(ids) ? ids.map(String) : [String(event_id)];
}

/**
 * The events that an execution was started with, also when n8n was killed. If its first node had run by then, n8n puts an
 * item without events in the place of what the node put out.
 */
export function eventIdsOf({ raw }: Execution, trigger: string): string[] {
	const ran = raw.resultData.runData[trigger]?.at(-1)?.data?.main?.[0] ?? [];
	const waiting = raw.executionData?.nodeExecutionStack?.[0]?.data.main?.[0] ?? [];
	const isLost = ran.length === 0 || ran.some(({ json }) => json.isArtificialRecoveredEventItem);
	return (isLost ? waiting : ran).flatMap(({ json }) => eventIdsIn(json));
}
