import type { IDataObject, INodeExecutionData, IRun } from 'n8n-workflow';

import type { RowHistory } from '../deduplication/runMarks';
import type { TriggerRun } from '../delivery/trigger';
import { messageNameOf, runsOf } from './workflowRuns';

/** n8n keeps 255 characters of an execution's custom data without a warning: six messages in each. */
export const MAX_MESSAGES_IN_LOOK_UP = 1_500;

/** The names of the answers among the execution's custom data, the only output that a worker gives the main process. */
const ANSWER = 'messages_not_run';
const HISTORY = 'reach';

/** What a look-up asks for. */
export interface LookUp {
	messageIds: string[];
	/** When the oldest of the messages came in, in Unix milliseconds of n8n's clock. */
	since: number;
	/** When the trigger began to look for messages. */
	startedAt: number;
	/** When it asks. A worker that answers may have another clock. */
	askedAt: number;
}

/** What it finds. */
export interface LookUpAnswer {
	/** Whether a message did not run, by its place in the look-up. */
	isMissing: boolean[];
	history: RowHistory;
}

/**
 * The item of an execution that only looks up which messages ran. n8n's database is open to executions, and not to what
 * starts them.
 */
export function lookUpItem({ messageIds, since, startedAt, askedAt }: LookUp): INodeExecutionData {
	return { json: { look_up_messages: messageIds, since, started_at: startedAt, asked_at: askedAt } };
}

/** What an item asks for; undefined for any item of a message. */
export function lookUpIn(json: IDataObject | undefined): LookUp | undefined {
	const ids = json?.look_up_messages;
	if (!json || !Array.isArray(ids) || json.event_id !== undefined) return undefined;
	return {
		messageIds: ids.map(String),
		since: Number(json.since),
		startedAt: Number(json.started_at),
		askedAt: Number(json.asked_at),
	};
}

/** Answers a look-up. Without an answer, no message counts as missing. */
export async function answerLookUp(run: TriggerRun, { messageIds, ...times }: LookUp): Promise<void> {
	const names = messageIds.map((id) => messageNameOf(run, id));
	const { ran, history } = await runsOf(run).lookUp(names, times, run.workflowRow);
	const bits = Buffer.alloc(Math.ceil(names.length / 8));
	names.forEach((name, index) => {
		if (!ran.has(name)) bits.writeUInt8(bits.readUInt8(index >> 3) | (1 << (index & 7)), index >> 3);
	});
	run.keep(ANSWER, bits.toString('base64'));
	run.keep(HISTORY, `${history.knownSince} ${history.quietSince}`);
}

/**
 * The answer to a look-up.
 *
 * @param run the execution of the look-up as n8n reports it
 * @returns undefined if the execution gave no answer
 */
export function answerIn(
	run: IRun | undefined,
	{ messageIds: { length } }: LookUp,
): LookUpAnswer | undefined {
	const { [ANSWER]: answer, [HISTORY]: history } = run?.data.resultData.metadata ?? {};
	const [, knownSince, quietSince] = /^(\d+) (\d+)$/.exec(history ?? '') ?? [];
	if (answer === undefined || knownSince === undefined) return undefined;
	const bits = Buffer.from(answer, 'base64');
	if (bits.length !== Math.ceil(length / 8)) return undefined;
	return {
		isMissing: Array.from({ length }, (_, index) => ((bits[index >> 3] ?? 0) >> (index & 7)) % 2 === 1),
		history: { knownSince: Number(knownSince), quietSince: Number(quietSince) },
	};
}
