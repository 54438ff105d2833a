import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IRun,
	IWorkflowExecutionCustomData,
} from 'n8n-workflow';

import { runStoreOf } from '../deduplication/messageRuns';
import { messageNameOf, runsOf } from './workflowRuns';

/** n8n keeps 255 characters of an execution's custom data without a complaint: six messages in each. */
export const MAX_MESSAGES_IN_LOOK_UP = 1_500;

/** The name of the answer among the execution's custom data, the only output that a worker gives the main process. */
const ANSWER = 'messages_not_run';

/**
 * The item of an execution that only looks up which messages ran. n8n's database is open to executions, and not to what
 * starts them.
 */
export function lookUpItem(messageIds: string[]): INodeExecutionData {
	return { json: { look_up_messages: messageIds } };
}

/** The IDs that an item asks for; undefined for any other item. */
export function lookUpIn(json: IDataObject | undefined): string[] | undefined {
	const ids = json?.look_up_messages;
	return Array.isArray(ids) && json?.event === undefined ? ids.map(String) : undefined;
}

/** Answers a look-up. Without an answer, no message counts as missing. */
export async function answerLookUp(context: IExecuteFunctions, messageIds: string[]): Promise<void> {
	const names = messageIds.map((id) => messageNameOf(context, id));
	const ran = await runsOf(context).ranBefore(names, runStoreOf(context));
	const bits = Buffer.alloc(Math.ceil(names.length / 8));
	names.forEach((name, index) => {
		if (!ran.has(name)) bits.writeUInt8(bits.readUInt8(index >> 3) | (1 << (index & 7)), index >> 3);
	});
	// n8n 1.x has no `context.customData`.
	const { customData } = context.getWorkflowDataProxy(0).$execution as {
		customData: IWorkflowExecutionCustomData;
	};
	customData.set(ANSWER, bits.toString('base64'));
}

/**
 * Which of the messages did not run, by their places in the look-up.
 *
 * @param run the execution of the look-up as n8n reports it
 * @returns undefined if the execution gave no answer
 */
export function notRunIn(run: IRun | undefined, count: number): boolean[] | undefined {
	const answer = run?.data.resultData.metadata?.[ANSWER];
	if (answer === undefined) return undefined;
	const bits = Buffer.from(answer, 'base64');
	if (bits.length !== Math.ceil(count / 8)) return undefined;
	return Array.from({ length: count }, (_, index) => ((bits[index >> 3] ?? 0) >> (index & 7)) % 2 === 1);
}
