import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/** The API key in a credential, without the spaces that come along when it is pasted. */
export function apiKeyIn({ apiKey }: ICredentialDataDecryptedObject): string {
	return String(apiKey ?? '').trim();
}
