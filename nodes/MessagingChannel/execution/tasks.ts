import pick from 'lodash/pick';

import { type ApiRequest, pathOf } from '../api/apiRequest';
import type { Clock } from '../api/clock';
import { SET_WEBHOOK } from '../api/endpoints';
import type { ActionRun } from '../n8n/actionRun';
import type { Connection } from '../n8n/connect';
import { corrected } from '../operation/inferred';
import { AccountCountryNeeded, InvalidInput, type Input } from '../operation/input';
import type { Operation } from '../operation/operation';
import { readInput, type Source } from '../operation/readInput';
import { runOptionsIn } from '../operation/runOptions';
import { recipientKey } from '../recipients/recipient';
import { createAccount, type Account } from './account';
import { sendOf } from './runTask';
import type { SendLog } from './sending/sendLog';
import type { Entry, RunContext, Task } from './task';

/** Reading items blocks the event loop. This is how often reading yields, in milliseconds. */
const YIELD_INTERVAL_MS = 50;

/**
 * Reads the task of each input item, in order. Sends nothing, and reads the account if an entered number needs its country.
 *
 * @throws ApiError if all items use the same credential and it is not usable. With Continue On Fail, each item fails instead
 */
export async function readTasks(
	context: Pick<RunContext, 'run' | 'operation' | 'clock' | 'log'>,
): Promise<Entry[]> {
	const { run, operation, clock, log } = context;
	const accountOf = await accountsOf(run, clock);
	const entries: Entry[] = [];
	let yieldedAt = clock.elapsed();
	for (const itemIndex of run.items.keys()) {
		if (clock.elapsed() - yieldedAt >= YIELD_INTERVAL_MS) {
			await clock.yield();
			yieldedAt = clock.elapsed();
		}
		let account: Account | undefined;
		try {
			account = await accountOf(itemIndex);
			const task = await readTask(run, operation, itemIndex, account);
			const { beforeAttempt } = task.request;
			// What an earlier try may have made was valid then.
			if (beforeAttempt && isNew(run, task, log)) beforeAttempt(clock.now());
			entries.push({ task });
		} catch (error) {
			entries.push({ result: { error, to: recipientOf(run, operation, itemIndex, account) } });
		}
	}
	return entries;
}

/** Connects the items. Items of one account share it. */
async function accountsOf(run: ActionRun, clock: Clock): Promise<(itemIndex: number) => Promise<Account>> {
	const connectionOf = await run.connect(clock).catch((error: unknown) => {
		if (!run.continuesOnFail) throw error;
		// n8n would output the input items, as if they had been sent.
		return async () => await Promise.reject<Connection>(error);
	});
	const accounts = new Map<Connection, Account>();
	return async (itemIndex) => {
		const connection = await connectionOf(itemIndex);
		const account = accounts.get(connection) ?? createAccount(connection, clock, run);
		accounts.set(connection, account);
		return account;
	};
}

/** Reads the task of one item, again if it turns out to need the country of the account. */
async function readTask(...read: Parameters<typeof taskOf>): Promise<Task> {
	return await taskOf(...read).catch(async (error: unknown) => {
		if (!(error instanceof AccountCountryNeeded)) throw error;
		const [, , , account] = read;
		await account.country().read();
		return await taskOf(...read);
	});
}

async function taskOf(
	run: ActionRun,
	operation: Operation,
	itemIndex: number,
	account: Account,
): Promise<Task> {
	const values = readInput(operation, sourceOf(run, itemIndex, account));
	const { input, interaction, request, parts } = await requestOf(run, operation, values);
	const options = runOptionsIn(input);
	if (options.requestId !== undefined && !run.nodeData) throw noRequestIds();
	const twin = options.requestId === undefined ? undefined : run.twin();
	if (twin !== undefined) throw sharedRequestIds(twin);
	const lists = [
		{ allowed: input.settings.allowedRecipients as string[] | undefined, place: "under 'Options'" },
		{ allowed: account.allowedRecipients, place: 'in the credential' },
	];
	const allowedLists = lists.flatMap(({ allowed, place }) => (allowed ? [{ allowed, place }] : []));
	const key = partitionKeyOf(request);
	return {
		account,
		itemIndex,
		input,
		options,
		request: { ...request, limits: options },
		...(parts && parts.length > 1 && { parts }),
		allowedLists,
		pairedItem: { item: itemIndex },
		partitionKey: interaction ? `${key} ${interaction.scope}` : key,
		interaction,
	};
}

/** Whether a request was certainly not made before. */
function isNew({ isRetry }: ActionRun, task: Task, log: SendLog): boolean {
	return !isRetry && task.options.requestId === undefined && !log.find(sendOf(task, log));
}

/** The request of an item, which asks a person if the operation does. */
async function requestOf(
	run: ActionRun,
	operation: Operation,
	input: Input,
): Promise<Pick<Task, 'input' | 'interaction' | 'request' | 'parts'>> {
	const { endpoint } = operation;
	const base = { endpoint, ...(operation.request?.(input) ?? { parameters: input.parameters }) };
	const interaction = await operation.interaction?.(run.waiting(), input, base);
	const asked = interaction?.request ?? base;
	const request = asked.endpoint.inferred ? corrected(asked, input) : asked;
	const parts = operation.parts?.(request, input);
	const [message] = parts ?? [];
	if (parts?.length !== 1) return { input, interaction, request, parts };
	// The space around a text can make it too long.
	return { input, interaction, request: { ...request, parameters: { ...request.parameters, message } } };
}

/** The source of an item's values. */
function sourceOf(run: ActionRun, itemIndex: number, account: Account | undefined): Source {
	return {
		timezone: run.timezone,
		file: (field) => run.fileOf(itemIndex, field),
		accountCountryCode: () => account?.country().code(),
		...run.parametersOf(itemIndex),
	};
}

/** The recipient of an item with a mistake elsewhere; undefined if the recipient cannot be read. */
function recipientOf(
	run: ActionRun,
	{ endpoint, fields, options }: Operation,
	itemIndex: number,
	account: Account | undefined,
): unknown {
	const to = fields?.filter(({ name }) => name === 'to');
	if (!endpoint.sends || !to?.length) return undefined;
	try {
		const { read, timezone, file, accountCountryCode } = sourceOf(run, itemIndex, account);
		// Another option can be the one with the mistake.
		const readNext: Source['read'] = (name, fallback) => {
			const value = read(name, fallback);
			return name === 'options' ? pick(value, 'defaultCountryCode') : value;
		};
		const source = { read: readNext, timezone, file, accountCountryCode };
		return readInput({ endpoint, fields: to, options }, source).parameters.to;
	} catch {
		return undefined;
	}
}

function noRequestIds(): InvalidInput {
	return new InvalidInput(
		'cannot be used here, because n8n stores nothing for the tools of its Agents',
		"Remove this option, or let the Agent call a workflow that sends with it, or use an 'AI Agent' node.",
		'Request ID',
	);
}

function sharedRequestIds(twin: string): InvalidInput {
	return new InvalidInput(
		`cannot be used here, because the node '${twin}' has the same internal ID as this one, so that n8n would mix up what the two have sent`,
		"Delete one of the two, and add a new node from n8n's list in its place.",
		'Request ID',
	);
}

/**
 * The recipient, or the path of what is created or changed: creates of one kind, and broadcasts, are made one after the other.
 * GET requests and POST requests that change no record have no key.
 */
function partitionKeyOf(request: ApiRequest): string | undefined {
	const { endpoint, parameters = {} } = request;
	// Of several webhooks, the last one counts.
	const hasOrder = !endpoint.idempotent || endpoint.ends || endpoint === SET_WEBHOOK;
	if (endpoint.method === 'GET' || !hasOrder) return undefined;
	return endpoint.sends && typeof parameters.to === 'string' ? recipientKey(parameters.to) : pathOf(request);
}
