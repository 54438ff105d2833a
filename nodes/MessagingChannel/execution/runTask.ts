import { randomUUID } from 'crypto';
import compact from 'lodash/compact';
import isEmpty from 'lodash/isEmpty';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { succeedsOnce } from '../api/apiRequest';
import { withLimits } from '../api/client';
import { GET_HEALTH } from '../api/endpoints';
import { ApiError } from '../api/errors';
import { listRecords, UnfinishedList } from '../api/pagination';
import { responseError } from '../api/responseErrors';
import { recordsOf } from '../api/values';
import type { ActionRun } from '../n8n/actionRun';
import type { Operation, Report } from '../operation/operation';
import { sendParts } from './sending/parts';
import type { Send, SendOutcome } from './sending/send';
import type { SendJournal } from './sending/sendJournal';
import type { SendLog } from './sending/sendLog';
import { sendOnce, type Step } from './sending/sendOnce';
import { withoutRepeated } from './sending/repeatedRecipients';
import { withoutSkipped } from './sending/skipRecipients';
import { requestKeysOf } from './sending/journal/facts';
import type { TextSend } from './sending/sentTexts';
import { reasonIfSilent } from './sending/whoWrote';
import type { ItemResult, RunContext, Task } from './task';

/** What all tasks of a run share while they run. */
export interface SharedContext extends RunContext {
	/** Whether its requests are safe to repeat. */
	isRepeatable: boolean;
	/** Undefined if no send of the run is in it. */
	journal: SendJournal | undefined;
}

/** Makes the request of a task, or its several sends. Never rejects. */
export async function runTask(runContext: SharedContext, task: Task): Promise<ItemResult> {
	const counts = [task.account, task.account.state];
	for (const count of counts) count.tasks++;
	try {
		return await perform(runContext, task);
	} catch (error) {
		return { error };
	} finally {
		for (const count of counts) count.tasks--;
	}
}

async function perform(runContext: SharedContext, task: Task): Promise<ItemResult> {
	const { account, input, request, pairedItem } = task;
	const { report } = runContext.operation;
	if (report) return { items: itemsFor(task, await makeReport(runContext, task, report)) };
	if (runContext.operation.download?.(input)) {
		const field = String(input.settings.binaryPropertyName);
		const item = await account.client.download(
			request,
			async (file) => await runContext.run.storeFile(file, field),
		);
		return { items: [{ ...item, pairedItem }] };
	}
	if (runContext.isRepeatable) return { items: itemsFor(task, await repeatable(runContext, task)) };
	const outcome = await send(runContext, task);
	if ('error' in outcome) return { error: outcome.error };
	return { items: itemsFor(task, outcome.kind === 'skipped' ? outcome.recipients : outcome.records) };
}

/** Makes a report, whose most important line the editor shows, too. */
async function makeReport(
	{ run, clock }: RunContext,
	{ account, itemIndex, input, options }: Task,
	report: Report,
): Promise<IDataObject[]> {
	const client = withLimits(account.client, options);
	const context = { ...run.surroundingsOf(itemIndex), client, account: account.state, clock };
	const { records, hint } = await report(context, input);
	run.showHints([hint]);
	return records;
}

/** Makes a request that must not be made twice, or the several sends of a long text. */
async function send(runContext: SharedContext, task: Task): Promise<SendOutcome> {
	const { run, operation, clock, log, journal, sentTexts } = runContext;
	const { account, options } = task;
	const line = {
		clock,
		log,
		journal,
		reconciliation: account.reconciliation,
		sent: account.sent,
		...(task.input.settings.findMessageId === true && {
			noteSent: (text: TextSend, record: IDataObject) => void sentTexts.push({ account, text, record }),
		}),
		cancelled: run.cancelled,
		isSearched: options.afterAmbiguousSend === 'verify',
		request: async (request: Task['request']) => await requestRecords(run, operation, { ...task, request }),
	};
	const planned = sendOf(task, log);
	const sendMessage = async (message: Send): Promise<SendOutcome> =>
		await sendOnce({ ...line, steps: stepsOf(runContext, task, message) }, message);
	return await (planned.parts ? sendParts(line, planned, sendMessage) : sendMessage(planned));
}

/** What of a task must not be sent twice. */
export function sendOf(task: Task, log: SendLog): Send {
	const { request, itemIndex, partitionKey, parts, options, account } = task;
	const { requestId } = options;
	const send = {
		request,
		itemIndex,
		partitionKey: String(partitionKey),
		...(requestId === undefined ? {} : requestKeysOf(account.sender(), account.digest, requestId)),
	};
	// The parts of an earlier try count, because an expression can change the text.
	const earlier = log.hasEarlier && request.endpoint.sends === 'text' ? log.find(send) : undefined;
	return { ...send, parts: earlier ? earlier.parts : parts };
}

/** What a send passes before its request, in order. What is not switched on is not in it. */
function stepsOf({ clock }: RunContext, { account, input, interaction, options }: Task, send: Send): Step[] {
	const { pauseWhenQueueAbove } = options;
	// A text whose first part was sent is not cut off.
	const settings = send.part?.index ? {} : input.settings;
	const tags = (settings.skipTags ?? []) as string[];
	const hours = settings.onlyIfWroteWithin as number | undefined;
	const withoutThose =
		(reasonFor: (to: string) => Promise<string | undefined>): Step =>
		async (remaining) =>
			await withoutSkipped(remaining, reasonFor);
	return compact<Step>([
		interaction?.check && (async () => await interaction.check?.()),
		send.request.parameters?.recipients !== undefined &&
			(async (remaining) => await withoutRepeated(remaining, account.country)),
		// Who is skipped does not wait.
		tags.length > 0 && withoutThose(async (to) => await account.reasonToSkip()(to, tags, options)),
		hours !== undefined &&
			withoutThose(async (to) => await reasonIfSilent(account, clock, to, hours, options)),
		pauseWhenQueueAbove > 0 && (async () => await account.waitForQueue()(pauseWhenQueueAbove, options)),
	]);
}

function itemsFor({ pairedItem, itemsOf }: Task, records: IDataObject[]): INodeExecutionData[] {
	return records.map((json) => ({
		json,
		pairedItem: (json.skipped === true && itemsOf?.(String(json.to))) || pairedItem,
	}));
}

/** Makes a request that is safe to repeat. What an earlier try of the run has deleted is not deleted again. */
async function repeatable({ run, operation, clock, log }: RunContext, task: Task): Promise<IDataObject[]> {
	// An agent can call its tool again for a record that was created anew.
	if (!succeedsOnce(task.request.endpoint) || run.isTool) return await requestRecords(run, operation, task);
	const deletion = sendOf(task, log);
	const earlier = log.find(deletion);
	if (earlier?.answer) return earlier.answer;
	const { partitionKey } = deletion;
	const entry = earlier ?? { partitionKey, id: randomUUID(), attemptedAt: clock.now() };
	// The entry stays if the execution is stopped meanwhile.
	log.record(deletion, entry);
	const request = { ...task.request, mayBeDone: earlier !== undefined };
	const answer = await requestRecords(run, operation, { ...task, request }).catch((error: unknown) => {
		if (error instanceof ApiError && !error.mayBeDone) log.forget(deletion);
		throw error;
	});
	log.record(deletion, { ...entry, answer });
	return answer;
}

/** Makes a request, or as many as its list has pages. Returns the records that are output. */
async function requestRecords(
	{ isTool }: ActionRun,
	{ pagination, output = recordsOf, pickFields }: Operation,
	{ account, request, input }: Task,
): Promise<IDataObject[]> {
	if (!pagination) {
		const { endpoint } = request;
		const records = output(await account.client.call(request));
		// That the service is up needs no record.
		if (records.every(isEmpty) && endpoint.method === 'GET' && endpoint !== GET_HEALTH)
			throw responseError(endpoint, 200, { error: 'not_found' });
		// Without an item, the nodes after this one would not run.
		return records.length > 0 ? records : [{}];
	}
	const limit = Number(input.settings.limit ?? Infinity);
	const records = await listRecords(account.client, request, pagination, limit).catch((error: unknown) => {
		throw limit === Infinity ? returnAllError(error) : error;
	});
	return pickFields ? records.map((record) => pickFields(record, input, isTool)) : records;
}

/** The error of a list that was read with Return All. With a Limit, its first records can be read. */
function returnAllError(error: unknown): unknown {
	if (!(error instanceof UnfinishedList)) return error;
	const description = `${error.description} To get the first of its records, turn off 'Return All' and set a 'Limit'.`;
	return error.with({ description });
}
