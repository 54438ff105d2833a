import { isRecord, parsedJson } from '../../../nodes/MessagingChannel/api/values';

export interface Answer {
	status: number;
	headers: Headers;
	/** Undefined if it is a file, or not JSON. */
	body?: unknown;
	isJson: boolean;
}

export interface Asked {
	method: string;
	/** Below the base URL, encoded. */
	path: string;
	query?: Record<string, string>;
	body?: object;
}

/** Where the requests go. */
export interface Service {
	ask(asked: Asked): Promise<Answer | undefined>;
	/** How many requests were made. */
	made(): number;
}

const TIMEOUT_MS = 60_000;
const MAX_REQUESTS = 120;
/** Nobody waits longer for a window. */
const MAX_WAIT_MS = 300_000;
const MAX_ATTEMPTS = 3;

/** How long to wait for the next window, in milliseconds, by the service's own clock. */
function waitFor(headers: Headers): number {
	const number = (name: string) => Number(headers.get(name) ?? NaN);
	const now = Date.parse(headers.get('date') ?? '') || Date.now();
	const seconds = [number('retry-after'), number('x-ratelimit-reset') - now / 1000].find(
		(each) => !Number.isNaN(each),
	);
	// The clock is in whole seconds.
	return Math.min(Math.max((seconds ?? 60) * 1000 + 1000, 0), MAX_WAIT_MS);
}

/**
 * Asks one after the other, and leaves others a tenth of the rate limit.
 *
 * @param tell shown while it waits
 * @returns the answer; undefined if there was none. Nothing but a read that the rate limit refused is asked again
 */
export function createService(baseUrl: string, apiKey: string, tell: (text: string) => void): Service {
	let requests = 0;
	let waitUntil = 0;
	const waitForWindow = async () => {
		const ms = waitUntil - Date.now();
		if (ms <= 0) return;
		tell(`Waiting ${Math.ceil(ms / 1000)} s for the rate limit.`);
		await new Promise((resolve) => setTimeout(resolve, ms));
	};
	const send = async ({ method, path, query, body }: Asked): Promise<Answer | undefined> => {
		if (++requests > MAX_REQUESTS) throw new Error(`The check ends after ${MAX_REQUESTS} requests.`);
		await waitForWindow();
		try {
			const search = query ? `?${new URLSearchParams(query).toString()}` : '';
			const response = await fetch(`${baseUrl}${path}${search}`, {
				method,
				headers: {
					authorization: `Bearer ${apiKey}`,
					...(body && { 'content-type': 'application/json' }),
				},
				body: body && JSON.stringify(body),
				// Another host must not get the key.
				redirect: 'manual',
				signal: AbortSignal.timeout(TIMEOUT_MS),
			});
			const { status, headers } = response;
			const limit = Number(headers.get('x-ratelimit-limit') ?? NaN);
			if (status === 429 || Number(headers.get('x-ratelimit-remaining') ?? NaN) <= limit / 10)
				waitUntil = Date.now() + waitFor(headers);
			const isJson = /^application\/json\b/.test(headers.get('content-type') ?? '');
			if (isJson) return { status, headers, isJson, body: parsedJson(await response.text()) };
			await response.body?.cancel();
			return { status, headers, isJson };
		} catch {
			return undefined;
		}
	};
	return {
		made: () => requests,
		ask: async (asked) => {
			let answer = await send(asked);
			for (
				let attempt = 1;
				asked.method === 'GET' && answer?.status === 429 && attempt < MAX_ATTEMPTS;
				attempt++
			)
				answer = await send(asked);
			return answer;
		},
	};
}

/** The records of an answer. */
export function recordsIn(answer: Answer | undefined): Array<Record<string, unknown>> {
	const { data } = (isRecord(answer?.body) ? answer.body : {}) as { data?: unknown };
	return [data].flat().filter(isRecord);
}
