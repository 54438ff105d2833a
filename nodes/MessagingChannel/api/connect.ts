import { createHash } from 'crypto';
import type {
	IExecuteFunctions,
	IHookFunctions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	IWebhookFunctions,
} from 'n8n-workflow';

import { normalizeBaseUrl } from './baseUrl';
import { createClient, type Client } from './client';
import { systemClock, type Clock } from './clock';
import { createRateLimiter, newAccountWindow, type AccountWindow } from './rateLimiter';

export const CREDENTIAL = 'messagingChannelApi';

/** A place in n8n from which the service can be called. */
export type Caller = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IWebhookFunctions;

/** Waits longer than this are told. */
const LONG_WAIT_MS = 5000;

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
	const data = await caller.getCredentials(CREDENTIAL);
	// Handing the credential over spares n8n from resolving it again for every request.
	const credentialsDecrypted = { id: '', name: '', type: CREDENTIAL, data };
	const baseUrl = normalizeBaseUrl(data.baseUrl);
	const onWait = logsLongWaits(caller, 'the rate limit of the account to reset');
	return createClient(baseUrl, {
		clock,
		cancelled: cancelSignalOf(caller),
		secret: String(data.apiKey),
		limiter: createRateLimiter(clock, onWait, accountOf(caller, baseUrl, String(data.apiKey))),
		transport: async (options) =>
			(await caller.helpers.httpRequestWithAuthentication.call(caller, CREDENTIAL, options, {
				credentialsDecrypted,
			})) as IN8nHttpFullResponse,
	});
}

/** Tells in the log what a long wait is for. */
export function logsLongWaits({ logger }: Pick<Caller, 'logger'>, what: string): (ms: number) => void {
	return (ms) => {
		if (ms >= LONG_WAIT_MS) logger.info(`Waiting ${Math.ceil(ms / 1000)} s for ${what}`);
	};
}

/** What this process knows of the accounts that executions call, by a digest that tells nothing about the key. */
const accounts = new Map<string, AccountWindow>();

/**
 * All executions of a process share what they know of an account, so that many small ones at once, as incoming messages
 * start them, do not burst together. What the editor asks for waits for nobody.
 */
function accountOf(caller: Caller, baseUrl: string, apiKey: string): AccountWindow {
	if (!('getInputData' in caller)) return newAccountWindow();
	const key = createHash('sha256').update(`${baseUrl} ${apiKey}`).digest('base64');
	const account = accounts.get(key) ?? newAccountWindow();
	accounts.set(key, account);
	return account;
}

function cancelSignalOf(caller: Caller): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in caller ? caller.getExecutionCancelSignal() : undefined;
}
