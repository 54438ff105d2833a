import { UserError } from 'n8n-workflow';

import { INVISIBLE } from './values';

/** The path that every base URL ends with (API spec, "Conventions"). */
export const API_PATH = '/api/v1/whatsapp/external';

/** A host name without a scheme, as people copy it. */
const BARE_HOST = /^[\w-]+(\.[\w-]+)+(:\d+)?(\/|$)/;

/**
 * The URL that all paths of the API are relative to (API spec, "Conventions").
 *
 * @param entered the full base URL or only its origin, with or without `https://` and a trailing slash
 * @returns the base URL without a trailing slash
 * @throws UserError when it is not an http(s) URL, contains a login, or has another path than the API
 */
export function normalizeBaseUrl(entered: unknown): string {
	// A whole URL is often pasted behind the beginning of one.
	const trimmed = String(entered)
		.replace(INVISIBLE, '')
		.trim()
		.replace(/^https?:\/\/(?=https?:\/\/)/i, '');
	const text = BARE_HOST.test(trimmed) ? `https://${trimmed}` : trimmed;
	const url = parseUrl(text);
	if (!url || !['http:', 'https:'].includes(url.protocol)) {
		throw new UserError(
			`The 'Base URL' in the credential is not a valid URL. Enter it as shown in the account panel, e.g. https://service.example.com${API_PATH}`,
		);
	}
	if (url.username || url.password) {
		throw new UserError(
			"The 'Base URL' in the credential contains a user name or password, which the service does not accept. Remove the part before the @ sign.",
		);
	}
	const path = url.pathname.replace(/\/+$/, '') || API_PATH;
	if (!path.endsWith(API_PATH)) {
		throw new UserError(
			`The 'Base URL' in the credential ends with '${path}', but the API is at '${API_PATH}'. Enter only the first part, e.g. ${url.origin}`,
		);
	}
	return `${url.origin}${path}`;
}

/**
 * Reads a URL; undefined if the text is none. `URL.canParse` is not used: in Node.js 20 it refuses texts with letters such as ü as
 * soon as it has been called often.
 *
 * @param base what a relative URL is relative to
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}
