import type { RequestEvent, Sender, ServiceRequest, ServiceResponse } from '../service/http';
import type { SimulatedProcess, World } from './process';

/** Of the service's API. */
export const BASE_URL = 'https://service.example.com/api/v1/whatsapp/external';

export const N8N_URL = 'https://n8n.example.com';

/** In the place of the real key, so that it is noticed wherever it turns up. */
export const API_KEY = 'key-of-the-simulated-account';

/** What may become of a request on its way. */
interface Fate {
	name: string;
	/** Whether the service gets it. */
	arrives: boolean;
	/** How long after n8n has heard of its end it arrives. */
	lateMs?: number;
	/** How long n8n waits in vain, when nothing comes back. */
	waitMs?: number;
	/** What n8n's HTTP helper throws. */
	error?: () => Error;
	/** Whether the connection is never ready for it. */
	isNeverReady?: boolean;
	/** What comes back in place of the service's own response. */
	response?: ServiceResponse;
}

/** n8n gives a request up after this. */
const TIMEOUT_MS = 300_000;

/** What n8n's HTTP helper throws when there is no response. It holds the request with all its headers. */
function networkError(code: string, message: string, wasWritten: boolean, secureConnecting = false): Error {
	const socket = { bytesWritten: wasWritten ? 300 : 0, secureConnecting };
	const config = { headers: { Authorization: `Bearer ${API_KEY}` } };
	return Object.assign(new Error(message), { code, config, request: { socket: wasWritten ? socket : null } });
}

const refused = () => networkError('ECONNREFUSED', 'connect ECONNREFUSED 10.0.0.1:443', false);
/** Without the request, as n8n 1.x passes it on. */
const untrusted = () =>
	Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
const handshake = () => networkError('ECONNRESET', 'read ECONNRESET', true, true);
const reset = () => networkError('ECONNRESET', 'socket hang up', true);
const timeout = () => networkError('ECONNABORTED', `timeout of ${TIMEOUT_MS}ms exceeded`, true);
const canceled = () => networkError('ERR_CANCELED', 'canceled', true);

/** A response that comes from something in front of the service, or from the service in trouble. */
const troubled = (statusCode: number, error: string, headers = {}): ServiceResponse => ({
	statusCode,
	headers,
	body: { error, message: `Trouble with ${API_KEY}` },
});

/** A redirect, which n8n does not follow. */
const redirect = (statusCode: number): ServiceResponse => ({
	statusCode,
	headers: { location: 'https://service.example.com/elsewhere' },
	body: '',
});

const webPage: ServiceResponse = { statusCode: 200, headers: {}, body: '<html>Log in</html>' };

const USUAL: Fate = { name: 'arrives', arrives: true };

const FATES: readonly Fate[] = [
	USUAL,
	{ name: 'is refused', arrives: false, error: refused, isNeverReady: true },
	{ name: 'meets a certificate that nobody trusts', arrives: false, error: untrusted, isNeverReady: true },
	{ name: 'is reset in the TLS handshake', arrives: false, error: handshake, isNeverReady: true },
	{ name: 'is reset before it arrives', arrives: false, error: reset },
	{ name: 'is reset after it arrived', arrives: true, error: reset },
	{ name: 'is reset, and arrives late', arrives: true, lateMs: 30_000, error: reset },
	{ name: 'loses its response', arrives: true, waitMs: TIMEOUT_MS, error: timeout },
	{ name: 'gets lost', arrives: false, waitMs: TIMEOUT_MS, error: timeout },
	{ name: 'meets a 503', arrives: false, response: troubled(503, 'unavailable', { 'retry-after': '2' }) },
	{ name: 'meets a 429 of a proxy', arrives: false, response: troubled(429, 'busy', { 'retry-after': '3' }) },
	{ name: 'meets a 401', arrives: false, response: troubled(401, 'invalid_api_key') },
	{ name: 'meets a web page', arrives: false, response: webPage },
	{ name: 'arrives, and a web page comes back', arrives: true, response: webPage },
	{ name: 'is redirected', arrives: false, response: redirect(307) },
	{ name: 'is redirected after it was taken', arrives: true, response: redirect(303) },
	{ name: 'fails before it is taken', arrives: false, response: troubled(500, 'internal_error') },
	{ name: 'fails after it was taken', arrives: true, response: troubled(500, 'internal_error') },
	{ name: 'times out after it was taken', arrives: true, response: troubled(504, 'send_timeout') },
	{
		name: 'times out, and arrives late',
		arrives: true,
		lateMs: 10_000,
		response: troubled(504, 'send_timeout'),
	},
];

/** The fates of the trigger's requests. The world of receiving knows no TLS. */
const TRIGGER_FATES = FATES.filter(({ error }) => error !== untrusted && error !== handshake);

const DELAYS_MS = [20, 200, 1_500, 12_000] as const;

/**
 * Carries a request to the service, unless it gets lost.
 *
 * @param execution the ID of the execution that makes it
 * @param cancelled aborted when the user stops that execution, which ends the request for n8n but not on its way
 */
export type Transport = (
	request: Omit<ServiceRequest, 'from'>,
	execution?: string,
	cancelled?: AbortSignal,
) => Promise<ServiceResponse>;

/** n8n's helper, which adds the credential to a request. */
export const requestHelper =
	(transport: Transport, execution?: string, cancelled?: AbortSignal) =>
	async (
		_type: string,
		{ method, url, qs, body }: { method: string; url: string; qs?: object; body?: object },
	): Promise<ServiceResponse> => {
		const request = { method, path: url.slice(BASE_URL.length), query: { ...qs }, body: { ...body } };
		return await transport(request, execution, cancelled);
	};

/** The way between a process of n8n and the service. */
export function createTransport(
	{ name, reach }: SimulatedProcess,
	{ scheduler, choices, service, tell, fateOf, requestLog }: World,
): Transport {
	const anyFate = (fates: readonly Fate[]) =>
		choices.rarely(4) ? (fates[choices.upTo(fates.length)] as Fate) : USUAL;
	const fateNamed = (name: string) => FATES.find((fate) => fate.name === name) as Fate;

	const log = (event: RequestEvent['event'], request: RequestEvent['request']): void =>
		void requestLog?.push({ event, at: scheduler.now(), request });

	const end = (request: RequestEvent['request']): void => {
		request.from.endedAt = scheduler.now();
		log('ended', request);
	};

	const carry = async (
		request: RequestEvent['request'],
		cancelled?: AbortSignal,
	): Promise<ServiceResponse> => {
		const { from } = request;
		const isCutOff = scheduler.now() < (service.settings.cutOffUntil ?? 0);
		const fate = isCutOff
			? fateNamed('is refused')
			: fateOf
				? fateNamed(fateOf(request))
				: anyFate(from.execution === '' ? TRIGGER_FATES : FATES);
		const backMs = choices.oneOf(DELAYS_MS) + (fate.waitMs ?? 0);
		const arrive = () => service.handle(request);
		const response = await reach({
			name: `${request.method} ${request.path} ${JSON.stringify(request.body)} ${fate.name}`,
			thereMs: choices.oneOf(DELAYS_MS),
			backMs,
			happen: () => {
				if (!fate.arrives) return undefined;
				if (fate.lateMs === undefined) return arrive();
				return scheduler.after(backMs + fate.lateMs, arrive);
			},
		});
		if (cancelled?.aborted) throw canceled();
		from.wasNeverReady = fate.isNeverReady;
		const received = fate.response ?? (response as ServiceResponse);
		if (!fate.error) {
			const { statusCode: status, headers, body } = received;
			Object.assign(from, { status, headers, body });
		}
		end(request);
		if (fate.error) throw fate.error();
		tell(() => `${name}: ${request.method} ${request.path} gets ${JSON.stringify(received)}`);
		return received;
	};

	return async (wanted, execution = '', cancelled) => {
		const from: Sender = { process: name, execution, sentAt: scheduler.now() };
		if (cancelled?.aborted) throw canceled();
		const request = { ...wanted, from };
		log('sent', request);
		const carried = carry(request, cancelled);
		if (!cancelled) return await carried;
		const aborted = new Promise<never>((_, reject) => {
			const abort = (): void => {
				if (from.endedAt === undefined) end(request);
				reject(canceled());
			};
			cancelled.addEventListener('abort', abort, { once: true });
		});
		return await Promise.race([carried, aborted]);
	};
}
