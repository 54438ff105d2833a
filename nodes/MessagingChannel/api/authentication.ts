import { createHash } from 'crypto';
import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { normalizeBaseUrl } from './baseUrl';

/** The API key in a credential, without the spaces that come along when it is pasted. */
export function apiKeyIn({ apiKey }: ICredentialDataDecryptedObject): string {
	return String(apiKey ?? '').trim();
}

/** A digest that names the account which a key at an address belongs to, and tells nothing about the key. */
export function accountDigestOf(baseUrl: string, apiKey: string): string {
	return createHash('sha256').update(`${baseUrl} ${apiKey}`).digest('base64');
}

/**
 * A request with the account's key on it (API spec, "Authentication"). A path alone is taken from the base URL.
 *
 * @throws UserError when the base URL is needed and is not usable
 */
export async function authenticate(
	credential: ICredentialDataDecryptedObject,
	requestOptions: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	return await Promise.resolve({
		...requestOptions,
		// The HTTP Request node says `uri` instead, and always the whole of it.
		...((requestOptions.url as string | undefined)?.startsWith('/')
			? { baseURL: normalizeBaseUrl(credential.baseUrl) }
			: {}),
		headers: { ...requestOptions.headers, Authorization: `Bearer ${apiKeyIn(credential)}` },
	});
}
