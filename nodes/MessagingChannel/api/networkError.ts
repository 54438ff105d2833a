import { isIdempotent, type Endpoint } from './apiRequest';
import { ApiError, checkFirst, STOPPED, unconfirmedTexts, type ErrorTexts } from './errors';
import { networkFailureOf } from './networkFailure';

const UNREACHABLE: ErrorTexts = {
	message: 'The service could not be reached',
	description: "Check the 'Base URL' in the credential and the network of the machine that runs n8n.",
};

/** What happened, by the code of a failure that may pass. */
const NETWORK_MESSAGES: ReadonlyArray<[codes: RegExp, message: string]> = [
	[/^ECONNREFUSED$/, 'The connection to the service was refused'],
	[/^ENOTFOUND$/, 'The host name of the service does not exist'],
	[/^EAI_AGAIN$/, 'The host name of the service could not be looked up'],
	[/^(ECONNRESET|EPIPE|EPROTO|ERR_BAD_RESPONSE|ERR_SSL_.*)$/, 'The connection to the service was lost'],
	[/^(ETIMEDOUT|ECONNABORTED)$/, 'The service did not respond in time'],
	// The codes of the HTTP parser and of decompression.
	[/^(HPE|Z)_/, 'The response of the service could not be read'],
];

/** What happened and how to fix it, by the code of a permanent failure. The first match counts. */
const REPAIRS: ReadonlyArray<ErrorTexts & { codes: RegExp }> = [
	{
		codes: /^CERT_HAS_EXPIRED$/,
		message: 'The certificate of the service has expired',
		description: 'Ask the provider of the service to renew it.',
	},
	{
		codes: /^CERT_NOT_YET_VALID$/,
		message: 'The certificate of the service is not valid yet',
		description:
			'Check the clock of the machine that runs n8n. If it is right, ask the provider of the service to replace the certificate.',
	},
	{
		codes: /ALTNAME|HOSTNAME/,
		message: 'The certificate of the service is for another host name',
		description:
			"Enter the host name of the certificate in the 'Base URL', or ask the provider of the service to add your host name to the certificate.",
	},
	{
		codes: /SELF_SIGNED|ISSUER|LEAF_SIGNATURE|INVALID_CA|UNTRUSTED/,
		message: 'The certificate of the service is not from a trusted authority',
		description:
			"If you trust the service, ask your n8n administrator to save the certificate of its authority in a file, set n8n's environment variable NODE_EXTRA_CA_CERTS to the path of that file, and restart n8n. If the authority is well known, an intermediate certificate is missing: ask the provider of the service to add it.",
	},
	{
		codes: /^(EPROTO|ERR_SSL_.*)$/,
		message: 'n8n and the service could not establish a secure connection',
		description:
			"Check the port in the 'Base URL', and whether the service uses 'https' or 'http'. If both are right, the service requires a TLS version or a client certificate that n8n does not have: ask the provider of the service.",
	},
	{
		codes: /^SSRF$/,
		message: 'n8n blocks the address of the service to protect internal networks',
		description:
			"If the 'Base URL' in the credential is right, ask your n8n administrator to add its host name to n8n's environment variable N8N_SSRF_ALLOWED_HOSTNAMES, or its IP address to N8N_SSRF_ALLOWED_IP_RANGES, and restart n8n.",
	},
	{
		codes: /./,
		message: 'The certificate of the service is not valid',
		description: 'Ask the provider of the service to replace it.',
	},
];

/**
 * The error for a request without a response. A message may have been sent unless it is proven that the request was not.
 *
 * @param thrown what the HTTP layer threw; the error code stands in it or in one of its causes
 * @param isStopped whether n8n has ended the execution, and the request with it
 */
export function networkError(endpoint: Endpoint, thrown: unknown, isStopped = false): ApiError {
	const { code = 'no response', detail, neverSent, permanent } = networkFailureOf(thrown);
	const ambiguous = endpoint.sends !== undefined && !neverSent;
	const repair = permanent ? REPAIRS.find(({ codes }) => codes.test(code)) : undefined;
	const message =
		(isStopped ? STOPPED : repair?.message) ??
		NETWORK_MESSAGES.find(([codes]) => codes.test(code))?.[1] ??
		UNREACHABLE.message;
	const advice =
		!isStopped && (neverSent || isIdempotent(endpoint))
			? `${(repair ?? UNREACHABLE).description} Then run again`
			: checkFirst(endpoint);
	const told = detail ? `${code}: ${detail}` : code;
	const unconfirmed = unconfirmedTexts(endpoint);
	return new ApiError({
		message: ambiguous ? unconfirmed.message : message,
		description: ambiguous ? `${message} (${told}). ${unconfirmed.description}` : `${advice} (${told}).`,
		code: 'network_error',
		httpStatus: null,
		ambiguous,
		neverSent,
		permanent,
	});
}
