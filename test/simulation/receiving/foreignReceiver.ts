import { sign } from '../../support/service/core/signature';
import type { World } from '../n8n/process';
import type { Delivery, DeliveryResponse } from '../service/events';

/** What another system received. */
export interface ForeignDelivery {
	eventId: string | undefined;
	at: number;
	status: number;
}

const RESPONSE_MS = [5, 400, 12_000] as const;
const GONE_FOR_A_WHILE = 0;
const FAILURES: readonly [number, ...number[]] = [500, 404, 429, GONE_FOR_A_WHILE];

/** Longer than an absence that counts as a short one. */
const ABSENCE_MS = 500_000;

/** Another system that uses the account. It verifies what it receives. */
export type ForeignReceiver = ReturnType<typeof createForeignReceiver>;

/** @param secrets all secrets so far; the other system has each as soon as it is valid */
export function createForeignReceiver(
	{ scheduler, choices, tell }: Pick<World, 'scheduler' | 'choices' | 'tell'>,
	secrets: readonly string[],
) {
	const received: ForeignDelivery[] = [];
	const surprises: string[] = [];
	let isGoneUntil = 0;
	return {
		received,
		/** What came with a header that the service does not send, for the judgement. */
		surprises,
		deliver: async ({ name, headers, body }: Delivery): Promise<DeliveryResponse> =>
			await new Promise((resolve) => {
				const signature = headers['x-service-signature'];
				const isVerified = secrets.some((secret) => sign(body, secret) === signature);
				const strange = Object.keys(headers).filter(
					(header) => !/^(content-type|user-agent|x-service-.*)$/.test(header),
				);
				// A forger may write to the other system too.
				const isForged = headers['x-service-event-id']?.startsWith('forged') === true;
				if (strange.length > 0 && !isForged)
					surprises.push(`the other system got the headers ${strange.join(', ')}`);
				const failure = choices.rarely(10) ? choices.oneOf(FAILURES) : undefined;
				if (failure === GONE_FOR_A_WHILE) isGoneUntil = scheduler.now() + ABSENCE_MS;
				const isGone = scheduler.now() < isGoneUntil;
				const status = isGone ? 404 : isVerified ? (failure ?? 200) : 401;
				tell(() => `the other system responds ${status} to ${name}`);
				received.push({ eventId: headers['x-service-event-id'], at: scheduler.now(), status });
				scheduler.after(choices.oneOf(RESPONSE_MS), () => resolve({ status }));
			}),
	};
}
