import { jsonParse } from 'n8n-workflow';

/** What the account's one webhook is set to (API spec, "Webhooks"). */
export interface Registration {
	url: string;
	events: string[];
	timeoutSeconds: number;
}

const QUERY_PARAMETER = 'lent';

/** An address without what we hang on to it. */
export function withoutQuery(url: string): string {
	return url.split('?')[0] ?? url;
}

/** A test address that carries what the webhook has to be set back to. n8n does not look at its query. */
export function withSnapshot(testUrl: string, { url, events, timeoutSeconds }: Registration): string {
	const lent = Buffer.from(JSON.stringify([url, events, timeoutSeconds])).toString('base64url');
	return `${testUrl}?${QUERY_PARAMETER}=${lent}`;
}

/** What a test address carries. */
export function snapshotIn(testUrl: string): Registration | undefined {
	const lent = new RegExp(`[?&]${QUERY_PARAMETER}=([\\w-]+)`).exec(testUrl)?.[1];
	if (lent === undefined) return undefined;
	const value = jsonParse<unknown>(Buffer.from(lent, 'base64url').toString(), { fallbackValue: null });
	if (!Array.isArray(value)) return undefined;
	const [url, events, timeoutSeconds] = value as unknown[];
	if (typeof url !== 'string' || !Array.isArray(events) || typeof timeoutSeconds !== 'number')
		return undefined;
	return { url, events: events.map(String), timeoutSeconds };
}
