import { randomUUID } from 'crypto';
import partition from 'lodash/partition';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isIdempotent, succeedsOnce } from '../api/apiRequest';
import type { Clock } from '../api/clock';
import { ApiError } from '../api/errors';
import { listRecords, UnfinishedList } from '../api/pagination';
import { recordsOf } from '../api/records';
import { downloadedItem } from '../n8n/binaryData';
import { isToolNode } from '../n8n/toolNode';
import type { Operation } from '../operation/operation';
import { sendParts, sendsOf } from './sending/parts';
import { requestIdsOf } from './sending/requestIds/requestIds';
import { requestKeysOf, type IdentifiedSend } from './sending/requestIds/requestKeys';
import { retriedSendsOf } from './sending/retriedSends';
import { sendLogOf, type Send, type SendLog } from './sending/sendLog';
import {
	registerEarlierText,
	registerPossibleText,
	sendOnce,
	type SendDependencies,
} from './sending/sendOnce';
import type { SendClaims } from './sending/sendClaims';
import { AllRecipientsSkipped, withoutSkipped } from './sending/skipRecipients';
import type { Failed, Task } from './tasks';

/** What all tasks of a run share. */
export interface RunContext extends Omit<SendDependencies, 'reconciliation' | 'noteQueued'> {
	context: IExecuteFunctions;
	operation: Operation;
}

/** The output items of a task, or its error. */
export type ItemResult = { items: INodeExecutionData[] } | Failed;

/** Creates what the tasks share, and registers the texts that earlier tries sent. */
export function createRunContext(
	context: IExecuteFunctions,
	operation: Operation,
	clock: Clock,
	tasks: readonly Task[],
): RunContext {
	const log = sendLogOf(context, clock.now());
	for (const task of tasks) {
		for (const send of sendsOf(sendOf(task), task.parts, log)) {
			registerEarlierText({ ...task.account, log }, send);
		}
	}
	const retried = isIdempotent(operation.endpoint) ? undefined : retriedSendsOf(context, clock);
	return {
		context,
		operation,
		clock,
		log,
		retried,
		requestIds: requestIdsIn(context, clock, log, tasks),
		cancelled: context.getExecutionCancelSignal(),
	};
}

/** The claims of the tasks' request IDs; undefined if there are none. */
function requestIdsIn(
	context: IExecuteFunctions,
	clock: Clock,
	log: SendLog,
	tasks: readonly Task[],
): SendClaims | undefined {
	const identified = tasks
		.map((task) => ({ task, send: sendsOf(sendOf(task), task.parts, log)[0] as Send }))
		.filter(isIdentified);
	if (identified.length === 0) return undefined;
	const sends = identified.map(({ send }) => send);
	return requestIdsOf(context, clock, sends, async (unconfirmed) => {
		const keys = new Set(unconfirmed.map(({ requestKey }) => requestKey));
		const [earlier, others] = partition(identified, ({ send }) => keys.has(send.requestKey));
		registerSameMessages(unconfirmed, others, clock);
		return await keysNotQueued(earlier);
	});
}

/** A task whose request has an ID, and its send. */
interface IdentifiedTask {
	task: Task;
	send: IdentifiedSend;
}

function isIdentified(entry: { task: Task; send: Send }): entry is IdentifiedTask {
	return entry.send.requestKey !== undefined;
}

/** Registers the other tasks whose message looks like one of these in the chat. It may have been sent, too. */
function registerSameMessages(
	unconfirmed: readonly IdentifiedSend[],
	others: readonly IdentifiedTask[],
	clock: Clock,
): void {
	const messages = new Set(unconfirmed.map(messageKeyOf));
	for (const { task, send } of others) {
		if (messages.has(messageKeyOf(send))) registerPossibleText({ ...task.account, clock }, send);
	}
}

/** The request keys of the tasks whose account has an empty queue. */
async function keysNotQueued(tasks: readonly IdentifiedTask[]): Promise<Set<string>> {
	const accounts = [...new Set(tasks.map(({ task }) => task.account))];
	const areEmpty = await Promise.all(accounts.map(async (account) => await account.emptyQueueCheck.check()));
	const notQueued = tasks.filter(({ task }) => areEmpty[accounts.indexOf(task.account)]);
	return new Set(notQueued.map(({ send }) => send.requestKey));
}

/** The recipient and the text, which are all that the chat shows. */
function messageKeyOf({ partitionKey, request }: Send): string {
	return JSON.stringify([partitionKey, request.parameters?.message]);
}

/** Makes the request of a task, or its several sends. Never rejects. */
export async function runTask(runContext: RunContext, task: Task): Promise<ItemResult> {
	try {
		return { items: await task.account.runCounted(async () => await perform(runContext, task)) };
	} catch (error) {
		if (error instanceof AllRecipientsSkipped) return { items: itemsFor(task, error.recipients) };
		return { error };
	}
}

async function perform(runContext: RunContext, task: Task): Promise<INodeExecutionData[]> {
	const { context, operation } = runContext;
	const { account, input, request, pairedItem } = task;
	if (operation.download?.(input)) {
		const field = String(input.settings.binaryPropertyName);
		const item = await account.client.download(
			request,
			async (file) => await downloadedItem(context, file, field),
		);
		return [{ ...item, pairedItem }];
	}
	const make = isIdempotent(request.endpoint) ? requestIdempotent : requestOnce;
	return itemsFor(task, await make(runContext, task));
}

/** Makes a request that must not be made twice, or the several sends of a long text. Returns the records. */
async function requestOnce(runContext: RunContext, task: Task): Promise<IDataObject[]> {
	const { account, options } = task;
	return await sendParts(
		sendsOf(sendOf(task), task.parts, runContext.log),
		runContext,
		async (send) =>
			await sendOnce({ ...runContext, ...account }, send, options.afterAmbiguousSend, async () => {
				const sent = await checkBeforeSend(task, send).catch(failAsNeverSent);
				return [...(await requestRecords(runContext, { ...task, request: sent.request })), ...sent.skipped];
			}),
	);
}

/**
 * Checks an interaction, waits for the queue, and finds out who must not get the message and what the chat shows.
 *
 * @returns the request for the recipients who get it, and those who are skipped
 */
async function checkBeforeSend(task: Task, send: Send): ReturnType<typeof withoutSkipped> {
	const { account, input, request, options } = task;
	await task.interaction?.check?.();
	// A text whose first part was sent is not cut off.
	const tags = send.part?.index ? [] : ((input.settings.skipTags ?? []) as string[]);
	const recipients = async () => await withoutSkipped(send.request, account.optOuts, tags, options);
	// Who is skipped does not wait. Somebody can opt out during the wait.
	if (options.pauseWhenQueueAbove > 0) await recipients();
	await account.waitForQueue(options.pauseWhenQueueAbove, options);
	const sent = await recipients();
	if (wantsMessageId(task)) {
		await account.messageIds.remember(String(request.parameters?.to), options);
	}
	return sent;
}

function failAsNeverSent(error: unknown): never {
	throw error instanceof ApiError ? error.with({ neverSent: true }) : error;
}

function itemsFor({ pairedItem, itemsOf }: Task, records: IDataObject[]): INodeExecutionData[] {
	return records.map((json) => ({
		json,
		pairedItem: (json.skipped === true && itemsOf?.(String(json.to))) || pairedItem,
	}));
}

function sendOf({ request, itemIndex, partitionKey, options: { requestId }, account }: Task): Send {
	return {
		request,
		itemIndex,
		partitionKey: String(partitionKey),
		...(requestId === undefined ? {} : requestKeysOf(account.sender, account.digest, requestId)),
	};
}

/** Makes a request that is safe to repeat. What an earlier try of the run has deleted is not deleted again. */
async function requestIdempotent(runContext: RunContext, task: Task): Promise<IDataObject[]> {
	const { context, clock, log } = runContext;
	// An agent can call its tool again for a record that was created anew.
	if (!succeedsOnce(task.request.endpoint) || isToolNode(context))
		return await requestRecords(runContext, task);
	const send = sendOf(task);
	const earlier = log.find(send);
	if (earlier?.answer) return earlier.answer;
	const entry = earlier ?? { lane: send.partitionKey, id: randomUUID(), attemptedAt: clock.now() };
	// It stays if the execution is stopped meanwhile.
	log.record(send, entry);
	const request = { ...task.request, mayBeDone: earlier !== undefined };
	const answer = await requestRecords(runContext, { ...task, request }).catch((error: unknown) => {
		if (error instanceof ApiError && !error.mayBeDone) log.forget(send);
		throw error;
	});
	log.record(send, { ...entry, answer });
	return answer;
}

/** Makes a request, or as many as its list has pages. Returns the records that are output. */
async function requestRecords(
	{ context, operation }: RunContext,
	{ account, request, input }: Task,
): Promise<IDataObject[]> {
	const { pagination, output = recordsOf, pickFields } = operation;
	if (!pagination) {
		const made = output(await account.client.call(request));
		// Without an item, the nodes that note what was done would not run.
		return made.length > 0 || request.endpoint.method === 'GET' ? made : [{}];
	}
	const limit = Number(input.settings.limit ?? Infinity);
	const records = await listRecords(account.client, request, pagination, limit).catch((error: unknown) => {
		throw limit === Infinity ? returnAllError(error) : error;
	});
	return pickFields ? records.map((record) => pickFields(record, input, isToolNode(context))) : records;
}

/** The error of a list that was read with Return All. With a Limit, its first records can be read. */
function returnAllError(error: unknown): unknown {
	if (!(error instanceof UnfinishedList)) return error;
	const description = {
		change:
			"Run again. If the list is still incomplete, turn off 'Return All' and set a 'Limit' to get the available records, and report this to the provider of the service.",
		service: "Turn off 'Return All', set a 'Limit', and report this to the provider of the service.",
		api: "The API reads a chat by the times of its messages, which are whole seconds, so the others of that second cannot be read. To get the messages after it, turn off 'Return All' and set a 'Limit'; for those before it, set 'Before' to that time.",
	}[error.obstacle];
	return error.with({ description });
}

/** Whether the task's message is to be looked for in its chat. */
export function wantsMessageId({ input }: Task): boolean {
	return input.settings.findMessageId === true;
}
