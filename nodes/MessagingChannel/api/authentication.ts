import { createHash } from 'crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/** The API key in a credential, without the spaces that come along when it is pasted. */
export function apiKeyIn({ apiKey }: ICredentialDataDecryptedObject): string {
	return String(apiKey ?? '').trim();
}

/** A digest that names the account which a key at an address belongs to, and tells nothing about the key. */
export function accountDigestOf(baseUrl: string, apiKey: string): string {
	return createHash('sha256').update(`${baseUrl} ${apiKey}`).digest('base64');
}
