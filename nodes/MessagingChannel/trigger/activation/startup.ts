import type { Client } from '../../api/client';
import { ApiError } from '../../api/errors';
import { serviceAt } from '../account/account';
import { NoResponse, withTimeout } from '../account/clock';
import { WebhookTaken } from './activationErrors';
import { othersAtStartup } from './joining';
import { subscribe, type Activation } from './subscription';

/** n8n may start the other workflows only afterwards, and gives up after a minute and a half. */
const STARTUP_TIMEOUT_MS = 10_000;

/** The same for the next triggers, each of which waits for those before it. */
const NEXT_STARTUP_TIMEOUT_MS = 1_000;

/** How long requests that a start has left under way hold up the end of a trigger. n8n gives an end up after 84 seconds. */
const LATE_TIMEOUT_MS = 30_000;

/**
 * Restores the subscription when n8n starts. Another webhook is never replaced: of several n8n with 'Replace', the current
 * one keeps the webhook. An unreachable service is only logged, because after an error n8n would remove the route for
 * incoming events. Other triggers may not respond yet, so none is asked; the repair does that later.
 */
export async function reactivate(activation: Activation, baseUrl: string): Promise<void> {
	const { trigger, ifWebhookExists } = activation;
	const service = serviceAt(baseUrl);
	const warn = (message: string) => trigger.logger.warn(`${trigger.node.name}: ${message}`);
	let isLate = false;
	// By then, others may have changed the webhook.
	const beforeAttempt = () => {
		if (isLate) throw new NoResponse();
	};
	const client: Client = {
		...activation.client,
		call: async (request) => await activation.client.call({ ...request, beforeAttempt }),
	};
	const subscribed = subscribe(
		{ ...activation, client },
		async (state) => await Promise.resolve({ others: othersAtStartup(activation, state) }),
	);
	try {
		await withTimeout(service.late ? NEXT_STARTUP_TIMEOUT_MS : STARTUP_TIMEOUT_MS, subscribed);
	} catch (error) {
		isLate = error instanceof NoResponse;
		if (isLate) {
			const late = Promise.allSettled([service.late, subscribed]).then(() => {
				if (service.late === late) delete service.late;
			});
			service.late = late;
			service.lateOver = withTimeout(LATE_TIMEOUT_MS, late).catch(() => undefined);
		}
		if (error instanceof WebhookTaken && ifWebhookExists === 'replace') {
			warn(
				`${error.message}. n8n does not replace it at startup; unpublish and publish the workflow to receive the events here`,
			);
		} else if (isLate || (error instanceof ApiError && isTransient(error))) {
			warn('the service could not be reached at startup, so the webhook was not checked');
		} else await Promise.reject(error);
	}
}

/** Whether the service may respond otherwise soon. A 404 that is not its own is that of a proxy. */
function isTransient({ httpStatus, hasOwnCode }: ApiError): boolean {
	return (
		httpStatus === null || httpStatus === 429 || httpStatus >= 500 || (httpStatus === 404 && !hasOwnCode)
	);
}
