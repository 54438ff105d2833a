import { createHash } from 'crypto';
import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { normalizeBaseUrl } from './baseUrl';

/**
 * The API key in a credential, without the spaces or the word of the header that were pasted with it. n8n's HTTP client leaves
 * out characters that no header can hold, such as invisible ones, so an error would quote the key without them.
 */
export function apiKeyIn({ apiKey }: ICredentialDataDecryptedObject): string {
	return String(apiKey ?? '')
		.replace(/[^\t -~\x80-\xff]/g, '')
		.trim()
		.replace(/^Bearer\s+/i, '');
}

/** A digest that identifies an account by base URL and API key, and does not reveal the key. */
export function accountDigestOf(baseUrl: string, apiKey: string): string {
	return createHash('sha256').update(`${baseUrl} ${apiKey}`).digest('base64');
}

/** The digest of the account in a credential. It depends on how the base URL was entered, which need not be valid. */
export function accountDigestIn(credential: ICredentialDataDecryptedObject): string {
	return accountDigestOf(String(credential.baseUrl), apiKeyIn(credential));
}

/**
 * Adds the API key to a request (API spec, "Authentication" 1). A URL without an origin is resolved against the base URL.
 *
 * @throws UserError when the base URL is needed and not valid
 */
export async function authenticate(
	credential: ICredentialDataDecryptedObject,
	requestOptions: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	return await Promise.resolve({
		...requestOptions,
		// The HTTP Request node passes `uri` instead of `url`, and always an absolute one.
		...((requestOptions.url as string | undefined)?.startsWith('/')
			? { baseURL: normalizeBaseUrl(credential.baseUrl) }
			: {}),
		headers: { ...requestOptions.headers, Authorization: `Bearer ${apiKeyIn(credential)}` },
	});
}
