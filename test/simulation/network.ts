import type { Choices } from './choices';
import type { Scheduler } from './scheduler';
import type { ServiceRequest, ServiceResponse } from './http';
import type { SimulatedService } from './service';

/** What may become of a request on its way; the first is the usual. */
const FATES = [
	'arrives',
	'refused',
	'resetBeforeArrival',
	'resetAfterArrival',
	'responseLost',
	'requestLost',
	'unavailable',
	'failsBefore',
	'failsAfter',
	'timesOutAfter',
] as const;

const DELAYS_MS = [20, 200, 1_500, 12_000] as const;

/** n8n gives a request up after this. */
const TIMEOUT_MS = 300_000;

/** What n8n's HTTP helper throws when there is no response. */
function networkError(code: string, message: string, wasWritten: boolean): Error {
	const socket = { bytesWritten: wasWritten ? 300 : 0, secureConnecting: false };
	return Object.assign(new Error(message), { code, request: { socket: wasWritten ? socket : null } });
}

/** A response that comes from something in front of the service, or from the service in trouble. */
const troubled = (statusCode: number, error: string, headers = {}): ServiceResponse => ({
	statusCode,
	headers,
	body: { error, message: 'Trouble' },
});

/** Carries a request to the service, unless it gets lost. */
export type Transport = (request: ServiceRequest) => Promise<ServiceResponse>;

/**
 * The way between a process of n8n and the service. A request that is on its way arrives even when the process dies; its
 * response does not.
 *
 * @param isDead whether the process is
 */
export function createTransport(
	scheduler: Scheduler,
	choices: Choices,
	service: SimulatedService,
	isDead: () => boolean,
): Transport {
	const fateOf = () => (choices.rarely(4) ? FATES[choices.upTo(FATES.length)] : FATES[0]);

	return async (request) =>
		await new Promise((resolve, reject) => {
			const fate = fateOf();
			const thereMs = choices.oneOf(DELAYS_MS);
			const backMs = choices.oneOf(DELAYS_MS);
			const arrive = (respond: (response: ServiceResponse) => void) =>
				scheduler.after(thereMs, () => respond(service.handle(request)));
			const answer = (response: ServiceResponse) => scheduler.after(backMs, () => resolve(response), isDead);
			const fail = (afterMs: number, error: Error) => scheduler.after(afterMs, () => reject(error), isDead);
			const reset = () => networkError('ECONNRESET', 'socket hang up', true);
			const timeout = () => networkError('ECONNABORTED', `timeout of ${TIMEOUT_MS}ms exceeded`, true);
			switch (fate) {
				case 'refused':
					return fail(thereMs, networkError('ECONNREFUSED', 'connect ECONNREFUSED 10.0.0.1:443', false));
				case 'resetBeforeArrival':
					return fail(thereMs, reset());
				case 'resetAfterArrival':
					return arrive(() => fail(backMs, reset()));
				case 'responseLost':
					return arrive(() => fail(TIMEOUT_MS, timeout()));
				case 'requestLost':
					return fail(TIMEOUT_MS, timeout());
				case 'unavailable':
					return scheduler.after(
						thereMs,
						() => resolve(troubled(503, 'unavailable', { 'retry-after': '2' })),
						isDead,
					);
				case 'failsBefore':
					return scheduler.after(thereMs, () => resolve(troubled(500, 'internal_error')), isDead);
				case 'failsAfter':
					return arrive(() => answer(troubled(500, 'internal_error')));
				case 'timesOutAfter':
					return arrive(() => answer(troubled(504, 'send_timeout')));
				default:
					return arrive(answer);
			}
		});
}
