import {
	UserError,
	type ICredentialDataDecryptedObject,
	type ICredentialTestFunctions,
	type ICredentialsDecrypted,
	type IN8nHttpFullResponse,
	type INodeCredentialTestResult,
} from 'n8n-workflow';

import { GET_HEALTH } from '../api/endpoints';
import { apiKeyIn, authenticate } from '../api/authentication';
import { normalizeBaseUrl } from '../api/baseUrl';
import type { RequestLimits } from '../api/apiRequest';
import { createClient, type Client } from '../api/client';
import { systemClock } from '../api/clock';
import { ApiError, errorOfUnreadableAnswer } from '../api/errors';
import { createRateLimiter } from '../api/rateLimiter';

/** Somebody waits for the outcome, with the button to try again before their eyes. */
const PATIENCE: RequestLimits = { maxAttempts: 1, maxRateLimitWait: 0 };
const TIMEOUT_MS = 20_000;

/** What a status means here, where no ID or value of the user's can be what the service complains of. */
const WORDS: Record<number, string> = {
	401: 'The service does not know this API key. Enter the key from the account panel.',
	404: 'There is no messaging service at this address. Check the Base URL.',
};

/**
 * Asks the service whether it is up and knows the key. A test that the credential only describes would show the
 * system's code alone, such as ECONNREFUSED, when no answer comes; this one says what to do.
 */
export async function testConnection(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	const apiKey = apiKeyIn(data);
	if (apiKey === '') return refused('The API Key is empty. Enter the key from the account panel.');
	try {
		const answer = await clientFor(data, this.helpers).call({ endpoint: GET_HEALTH, limits: PATIENCE });
		if (answer.success !== true) throw errorOfUnreadableAnswer(GET_HEALTH, 200);
		return { status: 'OK', message: 'The service is up and knows the API key.' };
	} catch (error) {
		// Whatever answers at a wrong address may repeat what it was sent.
		return refused(explained(error).replaceAll(apiKey, '…'));
	}
}

/** n8n gives a test no other helper than its old one, which names some options otherwise. */
function clientFor(
	data: ICredentialDataDecryptedObject,
	{ request }: ICredentialTestFunctions['helpers'],
): Client {
	const clock = systemClock();
	return createClient(normalizeBaseUrl(data.baseUrl), {
		clock,
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

function explained(error: unknown): string {
	if (error instanceof ApiError) {
		return WORDS[error.httpStatus ?? 0] ?? `${error.message}. ${error.description}`;
	}
	if (error instanceof UserError) return error.message;
	throw error;
}

function refused(message: string): INodeCredentialTestResult {
	return { status: 'Error', message };
}
