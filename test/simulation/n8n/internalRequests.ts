import type { IHttpRequestOptions } from 'n8n-workflow';

import type { InternalRequest } from '../service/http';
import type { SimulatedProcess, World } from './process';
import type { Deliver } from '../service/events';
import { FOREIGN_URL } from '../service/webhooks';

/** What may become of a request of one trigger to another. The first is the usual. */
const FATES = [
	'arrives',
	'is refused',
	'gets lost',
	'loses its response',
	'comes late',
	'meets a 404 of the proxy',
] as const;

/** The fates of an answer, which is handed over again at once if its connection breaks. */
const ANSWER_FATES = [...FATES, 'is reset after it arrived'] as const;

const DELAYS_MS = [2, 40, 1_500] as const;

/** Longer than any trigger waits. */
const LATE_MS = 40_000;

/**
 * n8n's HTTP helper, as triggers use it among each other: the request leaves n8n, and comes back to its public URL.
 *
 * @param deliver what stands before all processes of n8n and before other systems
 */
export function createInternalRequest(
	{ name, reach, after }: SimulatedProcess,
	{ scheduler, choices, tell, internalLog }: World,
	deliver: Deliver,
) {
	return async ({ url, headers, body, timeout = 300_000 }: IHttpRequestOptions): Promise<unknown> =>
		await new Promise((resolve, reject) => {
			const isAnswer = headers?.['x-messaging-channel-answer'] !== undefined;
			const fate = choices.rarely(12) ? choices.oneOf(isAnswer ? ANSWER_FATES : FATES) : 'arrives';
			const mark = String(headers?.['x-messaging-channel-request'] ?? (isAnswer ? 'answer' : 'event'));
			const [kind = ''] = mark.split('.');
			const logged: InternalRequest = {
				url,
				headers: headers as Record<string, string>,
				body: body as Buffer,
				sentAt: scheduler.now(),
				isTroubled: fate !== 'arrives',
			};
			internalLog?.push(logged);
			const backMs = choices.oneOf(DELAYS_MS);
			const fail = (ms: number, code: string) =>
				after(ms, () => reject(Object.assign(new Error(code), { code })));
			const respond = (statusCode: number, responseHeaders = {}, responseBody: unknown = '') =>
				after(backMs, () => resolve({ statusCode, headers: responseHeaders, body: responseBody }));
			fail(timeout, 'ECONNABORTED');
			void reach({
				name: `${kind} to ${url.split('?')[0]} ${fate}`,
				thereMs: fate === 'comes late' ? LATE_MS : choices.oneOf(DELAYS_MS),
				backMs: 0,
				happen() {
					if (fate === 'is refused') return fail(backMs, 'ECONNREFUSED');
					if (fate === 'gets lost') return;
					// The other system is absent by itself at times.
					if (fate === 'meets a 404 of the proxy' && !url.startsWith(FOREIGN_URL)) return respond(404);
					const delivery = {
						name: `${kind} of ${name}`,
						url,
						headers: headers as Record<string, string>,
						body,
					};
					void deliver({ ...delivery, body: body as Buffer }).then((response) => {
						tell(() => `${name}: ${kind} to ${url.split('?')[0]} gets ${response?.status ?? 'nothing'}`);
						if (fate === 'loses its response') return;
						if (!response || fate === 'is reset after it arrived') return fail(backMs, 'ECONNRESET');
						logged.status = response.status;
						respond(response.status, response.headers, response.body);
					});
				},
			});
		});
}
