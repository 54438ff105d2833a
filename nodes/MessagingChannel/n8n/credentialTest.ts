import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	ICredentialsDecrypted,
	IN8nHttpFullResponse,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { GET_HEALTH } from '../api/endpoints';
import { apiKeyIn, authenticate } from '../api/authentication';
import { normalizeBaseUrl } from '../api/baseUrl';
import { NO_RETRIES } from '../api/apiRequest';
import { createClient, type Client } from '../api/client';
import { systemClock } from '../api/clock';
import { ApiError, messageOf } from '../api/errors';
import { createRateLimiter } from '../api/rateLimiter';
import { unreadableResponseError } from '../api/responseErrors';
import { flagOf } from '../api/values';
import { problemOfAllowed } from './connect';

/** The user waits for the result. */
const TIMEOUT_MS = 20_000;

/** Here, unlike in an operation, a 404 cannot be about an ID. */
const MESSAGE_BY_STATUS: Record<number, string> = {
	401: 'The service rejected the API key. Enter the key from the account panel.',
	404: "No messaging service at this address. Check the 'Base URL'.",
};

/**
 * Tests base URL and API key with `GET /health` (API spec, "System"). n8n's declarative test would show only a code such as
 * ECONNREFUSED without a response; this one says what to do. It cannot mention a missing signing secret: the editor shows its
 * own words for a success, and a credential without the secret is right for everything but the trigger.
 */
export async function testConnection(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	const apiKey = apiKeyIn(data);
	const problem = problemOfAllowed(data);
	if (problem !== undefined) return refused(problem);
	if (apiKey === '') return refused("The 'API Key' is empty. Enter the key from the account panel.");
	try {
		// The user can retry with a click.
		const body = await clientFor(data, this.helpers).call({ endpoint: GET_HEALTH, limits: NO_RETRIES });
		if (flagOf(body.success) !== true) throw unreadableResponseError(GET_HEALTH, 200);
		return { status: 'OK', message: 'The service is up and accepts the API key.' };
	} catch (error) {
		return refused(explain(error));
	}
}

/** A credential test has only n8n's old request helper, which has other names for some options. */
function clientFor(
	data: ICredentialDataDecryptedObject,
	{ request }: ICredentialTestFunctions['helpers'],
): Client {
	const clock = systemClock();
	return createClient(normalizeBaseUrl(data.baseUrl), {
		clock,
		secret: apiKeyIn(data),
		limiter: createRateLimiter(clock),
		transport: async (options) => {
			const { method, url, headers } = await authenticate(data, options);
			return (await request({
				method,
				url,
				headers,
				json: true,
				timeout: TIMEOUT_MS,
				followRedirect: false,
				resolveWithFullResponse: true,
				simple: false,
			})) as IN8nHttpFullResponse;
		},
	});
}

function explain(error: unknown): string {
	if (!(error instanceof ApiError)) return messageOf(error);
	// Here, the user does not run anything: n8n's button for another test is 'Retry'.
	const advice = error.description.replace(/\brun again\b/, "press 'Retry'");
	return MESSAGE_BY_STATUS[error.httpStatus ?? 0] ?? `${error.message}. ${advice}`;
}

function refused(message: string): INodeCredentialTestResult {
	return { status: 'Error', message };
}
