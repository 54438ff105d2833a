import { owner } from './owner';

/** n8n refused a request; `message` is n8n's own. */
export class N8nRequestError extends Error {
	constructor(
		message: string,
		readonly status: number,
		/** What n8n adds for some failures: the description of a node's error, the id of the node. */
		readonly meta: { description?: string; nodeId?: string } = {},
	) {
		super(message);
		this.name = 'N8nRequestError';
	}
}

/** Sends requests as the owner. */
export interface Session {
	/** Sends a request below `/rest` and returns the `data` of its answer. */
	rest<T>(method: string, path: string, body?: unknown): Promise<T>;
	/** Fetches any path of n8n. */
	get(path: string): Promise<Response>;
}

const timeout = 60_000;

// n8n ties a login to the browser it came from.
const browser = { 'browser-id': 'messaging-channel-tests' };

/** A session that logs in by itself, at its first request and whenever n8n forgot it. */
export function session(url: string): Session {
	let cookie: Promise<string> | undefined;

	const fetchFrom = async (path: string, init: RequestInit, headers: Record<string, string>) => {
		const send = async () =>
			await fetch(`${url}${path}`, {
				...init,
				headers: { ...browser, ...headers },
				signal: AbortSignal.timeout(timeout),
			});
		// A busy n8n can close an idle connection just when a request goes out on it; a look may be repeated.
		return (init.method ?? 'GET') === 'GET' ? await send().catch(send) : await send();
	};

	const request = async (path: string, init: RequestInit, headers: Record<string, string>) => {
		cookie ??= logIn(url);
		const login = cookie;
		const response = await fetchFrom(path, init, { ...headers, cookie: await login });
		if (response.status !== 401) return response;
		if (cookie === login) cookie = logIn(url);
		return await fetchFrom(path, init, { ...headers, cookie: await cookie });
	};

	return {
		rest: async <T>(method: string, path: string, body?: unknown) => {
			const init = { method, body: body === undefined ? undefined : JSON.stringify(body) };
			const response = await request(`/rest${path}`, init, { 'content-type': 'application/json' });
			return await dataOf<T>(response, `${method} ${path}`);
		},
		get: async (path) => await request(path, {}, {}),
	};
}

/** Makes the owner, as the set-up page of a new n8n does. */
export async function setUpOwner(url: string): Promise<void> {
	await postAsNobody(url, '/owner/setup', owner);
}

async function postAsNobody(url: string, path: string, body: object): Promise<Response> {
	const response = await fetch(`${url}/rest${path}`, {
		method: 'POST',
		headers: { ...browser, 'content-type': 'application/json' },
		body: JSON.stringify(body),
		signal: AbortSignal.timeout(timeout),
	});
	await dataOf(response, `POST ${path}`);
	return response;
}

async function logIn(url: string): Promise<string> {
	const { email, password } = owner;
	const response = await postAsNobody(url, '/login', { emailOrLdapLoginId: email, password });
	return response.headers
		.getSetCookie()
		.map((cookie) => cookie.split(';')[0])
		.join('; ');
}

interface Answer<T> {
	data?: T;
	message?: string;
	meta?: { description?: string; nodeId?: string };
}

async function dataOf<T>(response: Response, what: string): Promise<T> {
	const text = await response.text();
	let answer: Answer<T>;
	try {
		answer = JSON.parse(text) as Answer<T>;
	} catch {
		throw new N8nRequestError(`${what} answered ${response.status}: ${text.slice(0, 500)}`, response.status);
	}
	if (!response.ok) {
		throw new N8nRequestError(
			answer.message ?? `${what} answered ${response.status}`,
			response.status,
			answer.meta,
		);
	}
	return answer.data as T;
}
