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

/** Sends requests as one user. */
export interface Session {
	/** Sends a request below `/rest` and returns the `data` of its answer. */
	rest<T>(method: string, path: string, body?: unknown): Promise<T>;
	/** Fetches any path of n8n. */
	get(path: string): Promise<Response>;
}

/** Who signs in. */
export interface Login {
	email: string;
	password: string;
}

const timeout = 240_000;

// n8n ties a login to the browser it came from.
const browser = { 'browser-id': 'messaging-channel-tests' };

/**
 * A session that logs in by itself, at its first request and whenever n8n forgot it.
 *
 * @param onAnswer gets the text of each answer
 */
export function session(
	url: string,
	onAnswer?: (request: string, answer: string) => void,
	login: Login = owner,
): Session {
	let cookie: Promise<string> | undefined;

	const fetchFrom = async (path: string, init: RequestInit, headers: Record<string, string>) =>
		await fetchFromN8n(url, path, {
			...init,
			// A connection that is kept can be closed by n8n in the moment in which it is used again.
			headers: { ...browser, ...headers, connection: 'close' },
		});

	const request = async (path: string, init: RequestInit, headers: Record<string, string>) => {
		cookie ??= logIn(url, login);
		const current = cookie;
		const response = await fetchFrom(path, init, { ...headers, cookie: await current });
		if (response.status !== 401) return response;
		if (cookie === current) cookie = logIn(url, login);
		return await fetchFrom(path, init, { ...headers, cookie: await cookie });
	};

	return {
		rest: async <T>(method: string, path: string, body?: unknown) => {
			const init = { method, body: body === undefined ? undefined : JSON.stringify(body) };
			const response = await request(`/rest${path}`, init, { 'content-type': 'application/json' });
			const text = await response.text();
			onAnswer?.(`${method} ${path}`, text);
			return dataOf<T>(response, text, `${method} ${path}`);
		},
		get: async (path) => await request(path, {}, {}),
	};
}

/** Fetches a path of n8n; a failure names the address and the reason, which are not in the message of `fetch`. */
async function fetchFromN8n(url: string, path: string, init: RequestInit): Promise<Response> {
	return await fetch(`${url}${path}`, { ...init, signal: AbortSignal.timeout(timeout) }).catch(
		(error: Error & { cause?: { code?: string } }) => {
			throw new Error(`No n8n answers at ${url} (${error.cause?.code ?? error.message})`, { cause: error });
		},
	);
}

/** Makes the owner, as the set-up page of a new n8n does. */
export async function setUpOwner(url: string): Promise<void> {
	await postAsNobody(url, '/owner/setup', owner);
}

async function postAsNobody(url: string, path: string, body: object): Promise<Response> {
	const response = await fetchFromN8n(url, `/rest${path}`, {
		method: 'POST',
		headers: { ...browser, 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	dataOf(response, await response.text(), `POST ${path}`);
	return response;
}

async function logIn(url: string, { email, password }: Login): Promise<string> {
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

function dataOf<T>(response: Response, text: string, what: string): T {
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
