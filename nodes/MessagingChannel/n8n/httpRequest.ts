import type { IHttpRequestOptions, IN8nHttpFullResponse, RequestHelperFunctions } from 'n8n-workflow';

/** n8n's HTTP helper. */
export type HttpRequest = (options: IHttpRequestOptions) => Promise<unknown>;

/** n8n's HTTP helper in a context. */
export function httpRequestOf(context: {
	helpers: Pick<RequestHelperFunctions, 'httpRequest'>;
}): HttpRequest {
	return async (options) => (await context.helpers.httpRequest(options)) as unknown;
}

/** A POST to a URL of n8n, or to another receiver of events. */
export type Post = Pick<IHttpRequestOptions, 'url' | 'body' | 'headers' | 'timeout'>;

/** Sends a POST, and resolves with the response, whatever the status. Rejects only without a response. */
export async function post(request: HttpRequest, options: Post): Promise<IN8nHttpFullResponse> {
	return await send(request, { ...options, method: 'POST' });
}

/** Sends a GET, and resolves with the response, whatever the status. Rejects only without a response. */
export async function get(
	request: HttpRequest,
	options: Pick<IHttpRequestOptions, 'url' | 'timeout'>,
): Promise<IN8nHttpFullResponse> {
	return await send(request, { ...options, method: 'GET' });
}

async function send(request: HttpRequest, options: IHttpRequestOptions): Promise<IN8nHttpFullResponse> {
	const response = await request({
		...options,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	});
	return response as IN8nHttpFullResponse;
}
