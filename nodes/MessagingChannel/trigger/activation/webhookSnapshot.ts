import { jsonParse } from 'n8n-workflow';

/** The configuration of an account's webhook (API spec, "Webhooks"). */
export interface Registration {
	url: string;
	events: string[];
	timeoutSeconds: number;
}

/** The service stores URLs with this parameter, so its name must not change. */
const QUERY_PARAMETER = 'lent';

/** A URL without its query. */
export function withoutQuery(url: string): string {
	return url.split('?')[0] ?? url;
}

/** A test URL whose query contains the previous webhook, to restore it later. n8n ignores the query. */
export function withSnapshot(testUrl: string, { url, events, timeoutSeconds }: Registration): string {
	const encoded = Buffer.from(JSON.stringify([url, events, timeoutSeconds])).toString('base64url');
	return `${testUrl}?${QUERY_PARAMETER}=${encoded}`;
}

/** The previous webhook in the query of a test URL; undefined if there is none. */
export function snapshotIn(testUrl: string): Registration | undefined {
	const encoded = new RegExp(`[?&]${QUERY_PARAMETER}=([\\w-]+)`).exec(testUrl)?.[1];
	if (encoded === undefined) return undefined;
	const value = jsonParse<unknown>(Buffer.from(encoded, 'base64url').toString(), { fallbackValue: null });
	if (!Array.isArray(value)) return undefined;
	const [url, events, timeoutSeconds] = value as unknown[];
	if (typeof url !== 'string' || !Array.isArray(events) || typeof timeoutSeconds !== 'number')
		return undefined;
	return { url, events: events.map(String), timeoutSeconds };
}
