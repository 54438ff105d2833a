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
	return createClient(normalizeBaseUrl(data.baseUrl), {
		clock,
		cancelled: cancelSignalOf(caller),
		transport: async (options) =>
			(await caller.helpers.httpRequestWithAuthentication.call(caller, CREDENTIAL, options, {
				credentialsDecrypted,
			})) as IN8nHttpFullResponse,
		onWait: (ms) => {
			if (ms < LONG_WAIT_MS) return;
			caller.logger.info(`Waiting ${Math.ceil(ms / 1000)} s for the rate limit of the account to reset`);
		},
	});
}

function cancelSignalOf(caller: Caller): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in caller ? caller.getExecutionCancelSignal() : undefined;
}
