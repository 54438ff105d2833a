import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHookFunctions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	IWebhookFunctions,
} from 'n8n-workflow';

import { accountDigestOf, apiKeyIn } from '../api/authentication';
import { normalizeBaseUrl } from '../api/baseUrl';
import { createClient, type Client } from '../api/client';
import { systemClock, type Clock } from '../api/clock';
import { messageOf } from '../api/errors';
import { createRateLimiter, newAccountWindow, type AccountWindow } from '../api/rateLimiter';

export const CREDENTIAL = 'messagingChannelApi';

/** A place in n8n from which the service can be called. */
export type Caller = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IWebhookFunctions;

/** Waits longer than this are told. */
const LONG_WAIT_MS = 5000;

/** An account of the service, as it is called from one place in n8n. */
export interface Connection {
	client: Client;
	/** What all executions of this process that call the account share. */
	account: AccountWindow;
}

/**
 * A client for the account of the node's credential, going through n8n's own HTTP helper so that its proxy and
 * network settings hold.
 *
 * @throws UserError when the credential's base URL is not usable
 */
export async function connect(
	caller: Caller,
	clock: Clock = systemClock(cancelSignalOf(caller)),
): Promise<Client> {
	const data = await caller.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL);
	return connectionOf(caller, clock, data).client;
}

/**
 * The connections of an execution's items. A field of the credential may hold an expression, which n8n resolves for each
 * item; items of one account share a connection.
 *
 * @returns resolves to the connection of an item; rejects when its credential is not usable
 * @throws UserError when the credential of all items is not usable
 */
export async function connectItems(
	context: IExecuteFunctions,
	clock: Clock,
): Promise<(itemIndex: number) => Promise<Connection>> {
	const connections = new Map<string, Connection>();
	const connectTo = (data: ICredentialDataDecryptedObject): Connection => {
		const fields = fieldsIn(data);
		const connection = connections.get(fields) ?? connectionOf(context, clock, data);
		connections.set(fields, connection);
		return connection;
	};
	const shared = await sharedCredentialOf(context);
	if (shared) {
		const connection = connectTo(shared);
		return async () => await Promise.resolve(connection);
	}
	return async (itemIndex) => connectTo(await context.getCredentials(CREDENTIAL, itemIndex));
}

/**
 * The credential, when it is the same for all items. n8n does not tell whether a field holds an expression, and resolving
 * the credential takes it about as long as a request. But an expression that reads an item fails or differs for an item
 * that does not exist, and one that counts items differs among those around the last.
 */
async function sharedCredentialOf(
	context: IExecuteFunctions,
): Promise<ICredentialDataDecryptedObject | undefined> {
	const items = context.getInputData().length;
	const credentialOf = async (itemIndex: number) =>
		await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL, itemIndex);
	if (items <= 1) return await credentialOf(0);
	const asked = new Set([0, items - 1, items, items + 1]);
	const [first, ...others] = await Promise.allSettled([...asked].map(credentialOf));
	if (first?.status === 'fulfilled') {
		const fields = fieldsIn(first.value);
		const isShared = others.every(
			(other) => other.status === 'fulfilled' && fieldsIn(other.value) === fields,
		);
		return isShared ? first.value : undefined;
	}
	// There is none, or n8n cannot read it: no item has one.
	if (
		first &&
		others.every(
			(other) => other.status === 'rejected' && messageOf(other.reason) === messageOf(first.reason),
		)
	)
		throw first.reason;
	return undefined;
}

function fieldsIn({ baseUrl, apiKey }: ICredentialDataDecryptedObject): string {
	return JSON.stringify([baseUrl, apiKey]);
}

function connectionOf(caller: Caller, clock: Clock, data: ICredentialDataDecryptedObject): Connection {
	const baseUrl = normalizeBaseUrl(data.baseUrl);
	const apiKey = apiKeyIn(data);
	const account = accountOf(caller, baseUrl, apiKey);
	// Handing the credential over spares n8n from resolving it again for every request.
	const credentialsDecrypted = { id: '', name: '', type: CREDENTIAL, data };
	const onWait = logsLongWaits(caller, 'the rate limit of the account to reset');
	const client = createClient(baseUrl, {
		clock,
		cancelled: cancelSignalOf(caller),
		secret: apiKey,
		limiter: createRateLimiter(clock, onWait, account),
		transport: async (options) =>
			(await caller.helpers.httpRequestWithAuthentication.call(caller, CREDENTIAL, options, {
				credentialsDecrypted,
			})) as IN8nHttpFullResponse,
	});
	return { client, account };
}

/** Tells in the log what a long wait is for. */
export function logsLongWaits({ logger }: Pick<Caller, 'logger'>, what: string): (ms: number) => void {
	return (ms) => {
		if (ms >= LONG_WAIT_MS) logger.info(`Waiting ${Math.ceil(ms / 1000)} s for ${what}`);
	};
}

/** The accounts that executions call, by a digest that tells nothing about the key. */
const accounts = new Map<string, AccountWindow>();

/**
 * All executions of a process share what they know of an account, so that many small ones at once, as incoming messages
 * start them, do not burst together. Requests of the editor wait for nobody.
 */
function accountOf(caller: Caller, baseUrl: string, apiKey: string): AccountWindow {
	if (!('getInputData' in caller)) return newAccountWindow();
	const key = accountDigestOf(baseUrl, apiKey);
	const account = accounts.get(key) ?? newAccountWindow();
	accounts.set(key, account);
	return account;
}

function cancelSignalOf(caller: Caller): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in caller ? caller.getExecutionCancelSignal() : undefined;
}
