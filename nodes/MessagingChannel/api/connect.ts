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
import { createRateLimiter, type RateLimiter } from './rateLimiter';

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
		limiter: limiterOf(caller, `${baseUrl} ${String(data.apiKey)}`, () => createRateLimiter(clock, onWait)),
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

/** The limiters of the executions that are under way, by account. An execution is known by its own data. */
const limiters = new WeakMap<object, Map<string, RateLimiter>>();

/** One limiter for all that an execution asks of an account, so that the passes of a loop know of one another. */
function limiterOf(caller: Caller, account: string, create: () => RateLimiter): RateLimiter {
	if (!('getContext' in caller)) return create();
	const execution = caller.getContext('flow');
	const ofExecution = limiters.get(execution) ?? new Map<string, RateLimiter>();
	limiters.set(execution, ofExecution);
	const limiter = ofExecution.get(account) ?? create();
	ofExecution.set(account, limiter);
	return limiter;
}

function cancelSignalOf(caller: Caller): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in caller ? caller.getExecutionCancelSignal() : undefined;
}
