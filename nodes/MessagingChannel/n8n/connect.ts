import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHookFunctions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	ISupplyDataFunctions,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import { NO_RETRIES } from '../api/apiRequest';
import { accountDigestOf, apiKeyIn } from '../api/authentication';
import { normalizeBaseUrl } from '../api/baseUrl';
import { parseChat } from '../api/message';
import { createClient, withLimits, type Client } from '../api/client';
import { systemClock, type Clock } from '../api/clock';
import { GET_CHATS, RESOLVE_CHAT } from '../api/endpoints';
import { ApiError, messageOf } from '../api/errors';
import {
	backgroundSpacingMs,
	createRateLimiter,
	hasSpareRoom,
	newAccountState,
	sharedAccountOf,
	type AccountState,
} from '../api/rateLimiter';
import { recordsOf, splitList, type ResponseBody } from '../api/values';
import { keepNumbers } from '../recipients/hiddenNumbers';
import { listedRecipient } from '../recipients/recipientList';

/** The credential type of all nodes. */
export const CREDENTIAL = 'messagingChannelApi';

/** An n8n context that can call the service. */
export type Caller =
	| IExecuteFunctions
	| IHookFunctions
	| ILoadOptionsFunctions
	| ISupplyDataFunctions
	| ITriggerFunctions
	| IWebhookFunctions;

/** A context with items, for each of which n8n can resolve the credential. */
type ItemsCaller = IExecuteFunctions | ISupplyDataFunctions;

/** Longer waits are logged. */
const LOGGED_WAIT_MS = 5000;

/** The connection of one n8n context to an account. */
export interface Connection {
	client: Client;
	/** Shared by all executions of this process that call the account. */
	account: AccountState;
	/** Identifies the account, and does not reveal the API key. */
	accountDigest: string;
	/** The only recipients that the credential allows; undefined for everybody. */
	allowedRecipients: readonly string[] | undefined;
	/** How long this connection has waited for the rate limit to reset, in milliseconds. */
	rateLimitWait: Readonly<{ ms: number }>;
}

/**
 * Creates a client for the account in the node's credential. It uses n8n's HTTP helper, so that n8n's proxy and network
 * settings apply.
 *
 * @throws UserError when the base URL in the credential is not valid
 */
export async function connect(
	caller: Caller,
	clock: Clock = systemClock(cancelSignalOf(caller)),
): Promise<Client> {
	return (await connectTo(caller, clock)).client;
}

/**
 * Connects to the account in the node's credential, like `connect`.
 *
 * @returns the client, and what all executions share about the account
 * @throws UserError when the base URL in the credential is not valid
 */
export async function connectTo(caller: Caller, clock: Clock): Promise<Connection> {
	const data = await caller.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL);
	return connectionOf(caller, clock, data);
}

/** How long a background task leaves the account to the executions before it looks again. */
const SPARE_ROOM_INTERVAL_MS = 1000;

/** A rate limit that resets later, such as one for a day, must not stop a background task. */
const MAX_SPARE_ROOM_WAIT_MS = 5 * 60_000;

/**
 * Connects a task in the background. Its requests wait while executions wait for the rate limit, or have used half of it,
 * but not for more than five minutes or their share of what is left, and are sent once.
 *
 * @param clock its waits end the task
 * @throws UserError when the base URL in the credential is not valid
 */
export async function connectInBackground(caller: ITriggerFunctions, clock: Clock): Promise<Connection> {
	const data = await caller.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL);
	const connection = connectionOf(caller, clock, data, true);
	// The task tries again by itself.
	const client = withLimits(connection.client, NO_RETRIES);
	const call: Client['call'] = async (request) => {
		const { account } = connection;
		const since = clock.elapsed();
		const mustWait = (now: number) =>
			!hasSpareRoom(account, now) &&
			now - since < Math.max(MAX_SPARE_ROOM_WAIT_MS, backgroundSpacingMs(account, now));
		while (mustWait(clock.elapsed())) await clock.sleep(SPARE_ROOM_INTERVAL_MS);
		return await client.call(request);
	};
	return { ...connection, client: { ...client, call } };
}

/**
 * Connects the items of an execution. A field of the credential may hold an expression, which n8n resolves for each item.
 * Items of one account share a connection.
 *
 * @param count the number of items
 * @returns a function that resolves to the connection of an item, and rejects when its credential cannot be used
 * @throws ApiError when all items share a credential that cannot be used
 */
export async function connectItems(
	context: ItemsCaller,
	clock: Clock,
	count: number,
): Promise<(itemIndex: number) => Promise<Connection>> {
	const connectionOf = await connectEach(context, clock, count).catch(failAsCredential);
	return async (itemIndex) => await connectionOf(itemIndex).catch(failAsCredential);
}

/** Whatever n8n says when it cannot give the credential, or why that cannot be used: no field of the node is wrong. */
function failAsCredential(error: unknown): never {
	throw new ApiError({
		message: messageOf(error),
		description: 'Check the credential of the node, then run again.',
		code: 'credential_error',
		httpStatus: null,
		neverSent: true,
	});
}

async function connectEach(
	context: ItemsCaller,
	clock: Clock,
	count: number,
): Promise<(itemIndex: number) => Promise<Connection>> {
	const connections = new Map<string, Connection>();
	const connectWith = (data: ICredentialDataDecryptedObject): Connection => {
		const fields = fieldsIn(data);
		const connection = connections.get(fields) ?? connectionOf(context, clock, data);
		connections.set(fields, connection);
		return connection;
	};
	const shared = await sharedCredentialOf(context, count);
	if (shared) {
		const connection = connectWith(shared);
		return async () => await Promise.resolve(connection);
	}
	return async (itemIndex) =>
		connectWith(await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL, itemIndex));
}

/**
 * The credential, if none of its fields holds an expression. n8n does not say so, and to resolve it for each item takes about
 * as long as the requests. So n8n resolves it once with an item index that notes whether anything reads it: n8n needs the index
 * for every expression, and for nothing else.
 *
 * @returns undefined when the credential has to be resolved for each item
 */
async function sharedCredentialOf(
	context: ItemsCaller,
	count: number,
): Promise<ICredentialDataDecryptedObject | undefined> {
	if (count <= 1) return await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL, 0);
	let isRead = false;
	const readItemIndex = (): void => {
		isRead = true;
	};
	const itemIndex = new Proxy({}, { get: readItemIndex }) as unknown as number;
	const credential = await context
		.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL, itemIndex)
		.catch(() => undefined);
	return isRead ? undefined : credential;
}

function fieldsIn({ baseUrl, apiKey, allowedRecipients }: ICredentialDataDecryptedObject): string {
	return JSON.stringify([baseUrl, apiKey, allowedRecipients]);
}

/**
 * Connects with a credential.
 *
 * @param sharesAccount whether the rate limit is shared with all executions of this process. Otherwise many small executions,
 *   which incoming messages start, would exceed it together. Requests of the editor do not wait for executions
 */
function connectionOf(
	caller: Caller,
	clock: Clock,
	data: ICredentialDataDecryptedObject,
	sharesAccount = 'getInputData' in caller,
): Connection {
	const cancelled = cancelSignalOf(caller);
	const allowedRecipients = allowedRecipientsIn(data);
	const logWait = logsLongWaits(caller, 'the rate limit to reset');
	const rateLimitWait = { ms: 0 };
	const baseUrl = normalizeBaseUrl(data.baseUrl);
	const apiKey = apiKeyIn(data);
	const accountDigest = accountDigestOf(baseUrl, apiKey);
	const account = sharesAccount ? sharedAccountOf(accountDigest) : newAccountState();
	// With the decrypted credential, n8n does not resolve it again for every request.
	const credentialsDecrypted = { id: '', name: '', type: CREDENTIAL, data };
	const onWait = (ms: number): void => {
		rateLimitWait.ms += ms;
		logWait(ms);
	};
	// What chats are read with (API spec, "Chats") can name the numbers that their IDs hide.
	const keepTheirNumbers = (body: ResponseBody) => keepNumbers(account, recordsOf(body).map(parseChat));
	const client = createClient(baseUrl, {
		clock,
		cancelled,
		secret: apiKey,
		limiter: createRateLimiter(clock, onWait, account),
		readers: new Map([
			[GET_CHATS, keepTheirNumbers],
			[RESOLVE_CHAT, keepTheirNumbers],
		]),
		transport: async (options) =>
			(await caller.helpers.httpRequestWithAuthentication.call(caller, CREDENTIAL, options, {
				credentialsDecrypted,
			})) as IN8nHttpFullResponse,
	});
	return { client, account, accountDigest, allowedRecipients, rateLimitWait };
}

/**
 * Creates a function that logs long waits.
 *
 * @param what what the wait is for
 * @returns a function that takes the duration in milliseconds
 */
export function logsLongWaits({ logger }: Pick<Caller, 'logger'>, what: string): (ms: number) => void {
	return (ms) => {
		if (ms >= LOGGED_WAIT_MS) logger.info(`Waiting ${Math.ceil(ms / 1000)} s for ${what}`);
	};
}

function cancelSignalOf(caller: Caller): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in caller ? caller.getExecutionCancelSignal() : undefined;
}

/**
 * The only recipients that a credential allows. An entry that does not say for certain who is meant allows nobody.
 *
 * @returns undefined if it allows everybody, because the field is empty or the credential is older than the field
 */
export function allowedRecipientsIn(data: ICredentialDataDecryptedObject): string[] | undefined {
	return entriesIn(data)?.flatMap((entry) => listedRecipient(entry) ?? []);
}

/** What is wrong with the list in a credential; undefined if nothing is. */
export function problemOfAllowed(data: ICredentialDataDecryptedObject): string | undefined {
	const entry = entriesIn(data)?.find((each) => listedRecipient(each) === undefined);
	if (entry === undefined) return undefined;
	return `'Allowed Recipients' has an entry that is neither a phone number with its country code nor a chat ID: '${entry}'`;
}

function entriesIn(data: ICredentialDataDecryptedObject): string[] | undefined {
	// Only a credential that is older than the field lacks it. Whatever n8n or another program stored there is a list.
	const { allowedRecipients: entered = 'allowedRecipients' in data ? null : '' } = data;
	const text = typeof entered === 'string' ? entered : JSON.stringify(entered);
	return text.trim() === '' ? undefined : splitList(text);
}
