import { isIdempotent, type Endpoint } from './apiRequest';
import { API_PATH, parseUrl } from './baseUrl';
import { CHECK_BASE_URL, HAS_ID, MAY_BE_PROXY, TEXTS_BY_CODE } from './errorTexts';
import { ApiError, checkFirst, unconfirmedTexts, type ErrorTexts } from './errors';
import { quotable } from './quote';
import { isEntered, recordOrEmpty, textsOf, type ResponseBody } from './values';

/** The code of a response that has none itself. */
const CODE_BY_STATUS: Record<number, string> = {
	400: 'validation_error',
	401: 'invalid_api_key',
	403: 'forbidden',
	404: 'not_found',
	429: 'rate_limit_exceeded',
	504: 'send_timeout',
};

/** The form of the service's codes. */
const CODE = /^[\w.:-]{1,64}$/;

/** The status of each code (API spec, "Errors"). Most stand for a mistake in the request. */
const STATUS_BY_CODE = new Map<unknown, number>([
	...[...TEXTS_BY_CODE.keys()].map((code) => [code, 400] as const),
	...Object.entries(CODE_BY_STATUS).map(([status, code]) => [code, Number(status)] as const),
	['internal_error', 500],
	['no_media', 404],
	['contact_not_found', 404],
]);

/** The status of a response with an error. A successful one has the status of the error's code. */
export function toldStatus(httpStatus: number, { error }: ResponseBody): number {
	return (httpStatus < 300 && STATUS_BY_CODE.get(error)) || httpStatus;
}

/** What the service said stands after this, at the end of a description. */
const QUOTES = ' The service said: ';

/** A description without what the service said, which can quote what must not be shown. */
export function withoutQuote(description: string): string {
	return description.split(QUOTES, 1)[0] ?? description;
}

/**
 * The error for a response that reports a failure (API spec, "Errors").
 *
 * @param endpoint the endpoint that was called
 * @param httpStatus the status of the response
 * @param body the body of the response, of any shape
 */
export function responseError(endpoint: Endpoint, httpStatus: number, body: unknown): ApiError {
	const { error, message, errors, details } = recordOrEmpty(body);
	const fallback = CODE_BY_STATUS[httpStatus] ?? (httpStatus >= 500 ? 'internal_error' : 'unexpected_answer');
	const hasOwnCode = typeof error === 'string' && CODE.test(error);
	const code = hasOwnCode ? error : fallback;
	const isUncertain = httpStatus >= 500 || ['send_timeout', 'internal_error'].includes(code);
	const ambiguous = endpoint.sends !== undefined && isUncertain;
	const texts = textsFor({ code, hasOwnCode }, endpoint, httpStatus, ambiguous);
	const said = [message, recordOrEmpty(error).message, hasOwnCode || error].find(
		(text) => typeof text === 'string' && text.trim() !== '',
	);
	// Such as the valid events (API spec, "Webhooks").
	const listed = Object.values(recordOrEmpty(body)).flatMap((value) => textsOf(value) ?? []);
	const fields = [errors, details].filter((each) => !textsOf(each)).concat(recordOrEmpty(error).details);
	const quoted = [said, [...listed, ...fields.flatMap((each) => detailsIn(each))].join(', ')]
		.filter(isEntered)
		.join(' ');
	return new ApiError({
		message: texts.message,
		description: quoted === '' ? texts.description : `${texts.description}${QUOTES}"${quotable(quoted)}"`,
		code,
		httpStatus,
		ambiguous,
		hasOwnCode,
	});
}

/** Which values of a request are wrong, as services tell it in lists and objects, with the names of what tells it. */
function detailsIn(value: unknown, name = '', depth = 4): string[] {
	if (typeof value === 'string') return [name === '' ? value : `${name}: ${value}`];
	if (typeof value !== 'object' || value === null || depth === 0) return [];
	return Object.entries(value).flatMap(([key, inner]) =>
		detailsIn(inner, Array.isArray(value) ? name : key, depth - 1),
	);
}

function textsFor(
	{ code, hasOwnCode }: { code: string; hasOwnCode: boolean },
	endpoint: Endpoint,
	httpStatus: number,
	ambiguous: boolean,
): ErrorTexts {
	if (ambiguous) return unconfirmedTexts(endpoint);
	const mayBeWrongPath = endpoint.inferred === 'endpoint' || (endpoint.corrected && !hasOwnCode);
	if ((httpStatus === 404 || httpStatus === 405) && mayBeWrongPath)
		return wrongPathTexts(endpoint, httpStatus === 404);
	if (httpStatus === 404 && !hasOwnCode && !endpoint.path.includes('{')) {
		return {
			message: "There is no messaging service at the 'Base URL' (HTTP 404)",
			description: CHECK_BASE_URL,
		};
	}
	// A proxy has a limit of its own, often 1 MB.
	if (httpStatus === 413 && !hasOwnCode) {
		return {
			message: 'The request is too large',
			description:
				'Send a smaller file, or less data at once. If the service accepts such a size, ask whoever runs the proxy between n8n and the service to raise the limit.',
		};
	}
	if (code === 'unexpected_answer') {
		return {
			message: `The request was rejected (HTTP ${httpStatus})`,
			description:
				'The response has no code that explains why. A proxy between n8n and the service may have responded instead.',
		};
	}
	const texts = TEXTS_BY_CODE.get(code)?.(endpoint) ?? {
		message: `The service returned '${code}' (HTTP ${httpStatus})`,
		description: 'Look up the code in the documentation of the service.',
	};
	return hasOwnCode || !MAY_BE_OTHERS.includes(httpStatus) ? texts : withoutCode(texts, endpoint, httpStatus);
}

/**
 * The texts for a 404 or 405 of an endpoint whose path may be wrong.
 *
 * @param mayBeId whether its ID may be wrong instead
 */
function wrongPathTexts({ method, path, corrected }: Endpoint, mayBeId: boolean): ErrorTexts {
	const hasId = mayBeId && HAS_ID.test(path);
	const advice = corrected
		? "what you entered in the option 'Endpoint Path'. Correct it there"
		: "undocumented, so we derived it. If you know the right path, enter it in the option 'Endpoint Path'";
	return {
		message: hasId ? 'The ID or the endpoint was not found' : 'The endpoint was not found',
		description: `${hasId ? 'Check the ID. If it is right, the' : 'The'} service has this operation at another path: '${method} ${path}' is ${advice}.`,
	};
}

/** Statuses with which firewalls and proxies refuse a request themselves. */
const MAY_BE_OTHERS = [400, 401, 403, 404];

/** The texts for a response that has no code of the service, so that it may not be from the service. */
function withoutCode(
	{ message, description }: ErrorTexts,
	{ permission }: Endpoint,
	httpStatus: number,
): ErrorTexts {
	if (description.endsWith(MAY_BE_PROXY)) return { message, description };
	if (httpStatus !== 403) return { message, description: `${description} ${MAY_BE_PROXY}` };
	return {
		message: 'The service refused the request (HTTP 403)',
		description: `The API key may lack the permission '${permission}': look in the account panel. ${MAY_BE_PROXY}`,
	};
}

/** The error for a successful status with a body that the API does not describe, such as the login page of a proxy. */
export function unreadableResponseError(endpoint: Endpoint, httpStatus: number): ApiError {
	const ambiguous = endpoint.sends !== undefined;
	const happened = 'The response is not in the format of the messaging service';
	const unconfirmed = unconfirmedTexts(endpoint);
	return new ApiError({
		message: ambiguous ? unconfirmed.message : happened,
		description: ambiguous
			? `${happened}. ${unconfirmed.description}`
			: isIdempotent(endpoint)
				? CHECK_BASE_URL
				: `${CHECK_BASE_URL} ${checkFirst(endpoint)}.`,
		code: 'unexpected_answer',
		httpStatus,
		ambiguous,
	});
}

const REDIRECTS = [301, 302, 303, 307, 308];

/** These can point to the result of the request. The others ask to repeat the request elsewhere. */
const REDIRECTS_TO_RESULTS = [302, 303];

/**
 * The error for a redirect. Redirects are not followed, because the API key would go to the other address too.
 *
 * @param location the Location header
 * @returns undefined when the status is not a redirect
 */
export function redirectError(
	endpoint: Endpoint,
	httpStatus: number,
	location: unknown,
): ApiError | undefined {
	if (!REDIRECTS.includes(httpStatus)) return undefined;
	const neverSent = !REDIRECTS_TO_RESULTS.includes(httpStatus);
	const ambiguous = endpoint.sends !== undefined && !neverSent;
	const happened = "The 'Base URL' in the credential redirects to another address";
	const target = targetOf(location);
	const description = target
		? `It redirects to ${target}. If the service is there, enter that address as the 'Base URL'. Otherwise, a proxy or firewall between n8n and the service may have responded instead.`
		: CHECK_BASE_URL;
	const caution = neverSent || isIdempotent(endpoint) ? '' : ` ${checkFirst(endpoint)}.`;
	const unconfirmed = unconfirmedTexts(endpoint);
	return new ApiError({
		message: ambiguous ? unconfirmed.message : happened,
		description: ambiguous ? `${happened}. ${unconfirmed.description} ${description}` : description + caution,
		code: 'unexpected_answer',
		httpStatus,
		ambiguous,
		neverSent,
		permanent: true,
	});
}

/** The error for a response whose status is neither a success nor an error. */
export function unexpectedStatusError(
	endpoint: Endpoint,
	httpStatus: number,
	{ location }: Record<string, unknown>,
): ApiError {
	return redirectError(endpoint, httpStatus, location) ?? unreadableResponseError(endpoint, httpStatus);
}

/** The base URL in a redirect's address. The rest of the address is left out, because it may hold secrets. */
function targetOf(location: unknown): string | undefined {
	const text = String(location);
	const url = /^https?:/i.test(text) ? parseUrl(text) : undefined;
	if (!url) return undefined;
	const { origin, pathname } = url;
	const start = pathname.indexOf(API_PATH);
	return start < 0 ? origin : origin + pathname.slice(0, start) + API_PATH;
}

/**
 * The error for a service that asks for a longer pause (Retry-After) than the request may wait.
 *
 * @param error the error of the response
 * @param until when the pause ends, in Unix milliseconds
 * @param waitOption the option with which it would have waited; undefined if there is none
 */
export function retryAfterTooLongError(error: ApiError, until: number, waitOption?: string): ApiError {
	const limit = waitOption === undefined ? 'this request may wait' : `the option '${waitOption}' allows`;
	const asked = `The service asked to wait until ${new Date(until).toISOString()}, which is longer than ${limit}.`;
	return error.with({ description: `${error.description} ${asked}` });
}
