import type { IDataObject, INodeExecutionData, IRun } from 'n8n-workflow';

import type { TriggerRun } from '../delivery/trigger';
import { messageNameOf, runsOf } from './workflowRuns';

/** n8n keeps 255 characters of an execution's custom data without a warning: six messages in each. */
export const MAX_MESSAGES_IN_LOOK_UP = 1_500;

/** The names of the answers among the execution's custom data, the only output that a worker gives the main process. */
const ANSWER = 'messages_not_run';
const KNOWN_SINCE = 'known_since';

/** What a look-up finds. */
export interface LookUpAnswer {
	/** Whether a message did not run, by its place in the look-up. */
	isMissing: boolean[];
	/** All messages that ran and came in later are known, in Unix milliseconds. */
	knownSince: number;
}

/**
 * The item of an execution that only looks up which messages ran. n8n's database is open to executions, and not to what
 * starts them.
 */
export function lookUpItem(messageIds: readonly string[]): INodeExecutionData {
	return { json: { look_up_messages: [...messageIds] } };
}

/** The IDs that an item asks for; undefined for any item of a message. */
export function lookUpIn(json: IDataObject | undefined): string[] | undefined {
	const ids = json?.look_up_messages;
	if (!json || !Array.isArray(ids) || json.event_id !== undefined) return undefined;
	return ids.map(String);
}

/** Answers a look-up. Without an answer, no message counts as missing. */
export async function answerLookUp(run: TriggerRun, messageIds: readonly string[]): Promise<void> {
	const names = messageIds.map((id) => messageNameOf(run, id));
	const { ran, knownSince } = await runsOf(run).lookUp(names, run.workflowRow);
	const bits = Buffer.alloc(Math.ceil(names.length / 8));
	names.forEach((name, index) => {
		if (!ran.has(name)) bits.writeUInt8(bits.readUInt8(index >> 3) | (1 << (index & 7)), index >> 3);
	});
	run.keep(ANSWER, bits.toString('base64'));
	run.keep(KNOWN_SINCE, `${knownSince}`);
}

/**
 * The answer to a look-up.
 *
 * @param run the execution of the look-up as n8n reports it
 * @param length of how many messages
 * @returns undefined if the execution gave no answer
 */
export function answerIn(run: IRun | undefined, length: number): LookUpAnswer | undefined {
	const { [ANSWER]: answer, [KNOWN_SINCE]: knownSince } = run?.data.resultData.metadata ?? {};
	if (answer === undefined || knownSince === undefined) return undefined;
	const bits = Buffer.from(answer, 'base64');
	if (bits.length !== Math.ceil(length / 8)) return undefined;
	return {
		isMissing: Array.from({ length }, (_, index) => ((bits[index >> 3] ?? 0) >> (index & 7)) % 2 === 1),
		knownSince: Number(knownSince),
	};
}
