import { sleep, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { withMedia } from './media';
import { MEMORY_MS, type Mark } from './memory';
import { MOST_KEYS, type Store } from './recall';
import { PROCESS_STARTED, stateOf, type TriggerState } from './state';

/** n8n answers the service while this node begins to run. */
const ANSWER_MS = 5_000;

/**
 * What happens once n8n has taken an event: it is remembered beyond a restart, and its media are fetched. All of this
 * comes after the answer to the service or beside it.
 *
 * @returns the items, or none when the event was taken before n8n was restarted
 */
export async function run(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const items = context.getInputData();
	const { id: workflowId } = context.getWorkflow();
	const { id: nodeId, name: nodeName } = context.getNode();
	const isTest = context.getMode() === 'manual';
	const state = stateOf({ workflowId, nodeId, nodeName, isTest }, context.logger);
	const mark = markOf(items, state);
	if (mark && !isTest && (await cameBeforeRestart(mark, state, storeOf(context)))) return [];
	const download = context.getNodeParameter('options.downloadMedia', 0, false) as boolean;
	return download ? await withMedia(context, items) : items;
}

/**
 * An event is remembered only when the service has its answer: one whose answer was lost with n8n comes again, and then
 * has to run. In the first minutes of a process its own memory may miss what the last process took, so the run waits to
 * be told; later nothing waits.
 */
async function cameBeforeRestart(mark: Mark, { recall }: TriggerState, store: Store): Promise<boolean> {
	if (mark.at - PROCESS_STARTED > MEMORY_MS) {
		void mark.outcome.then((taken) => taken && recall.remember(mark, store));
		return false;
	}
	const isAnswered = await Promise.race([mark.outcome, sleep(ANSWER_MS).then(() => false)]);
	if (!isAnswered) return false;
	if (await recall.wasDone(mark, store)) return true;
	recall.remember(mark, store);
	return false;
}

/** Absent when another process took the event, as n8n's workers find it. */
function markOf(items: INodeExecutionData[], { memory }: TriggerState): Mark | undefined {
	const id = items[0]?.json.event_id;
	return typeof id === 'string' ? memory.find(`id ${id}`) : undefined;
}

function storeOf({ helpers }: IExecuteFunctions): Store {
	return async (keys) => {
		const options = { mode: 'entries', maxEntries: MOST_KEYS } as const;
		const { processed } = await helpers.checkProcessedAndRecord(keys, 'node', options);
		return processed.map(String);
	};
}
