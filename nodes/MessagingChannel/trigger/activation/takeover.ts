import type { ITriggerFunctions } from 'n8n-workflow';

import { isRecent } from '../../api/clock';
import { accountDigestIn } from '../../api/authentication';
import { connect, CREDENTIAL } from '../../n8n/connect';
import { signingSecretIn } from '../delivery/secretCache';
import { clock, secretChecks } from '../delivery/state';
import { CHECK_PARAMETER } from '../../webhook/checkUrl';
import { registrationOf } from '../../webhook/sharedUrl';
import { subscriberAt, withoutSubscriber } from '../../webhook/subscribers';
import { activationError } from './activationErrors';
import { setWebhook } from './registration';
import { readWebhookState } from '../../webhook/webhookState';
import { checkSecret } from './secretCheck';
import { desiredSubscriberOf, isDeactivated, runSerialized } from './subscription';

/** During a check, the service gets a 503 for all events. */
const SECRET_CHECK_INTERVAL_MS = 60 * 60_000;

/** When a secret was checked, by account and secret. A wrong one has Infinity, as it is never checked again. */
const lastChecks = new Map<string, number>();

/** Whether a secret may be checked now. */
export function isCheckDue(account: string, secret: string): boolean {
	const lastCheck = lastChecks.get(`${account} ${secret}`) ?? 0;
	return lastCheck !== Infinity && !isRecent(lastCheck, SECRET_CHECK_INTERVAL_MS, clock.now());
}

/**
 * Makes a published trigger the hub if the hub has another signing secret, and the service's sample event shows that the
 * one of the trigger is right. The old hub stays on the list, so that it alerts its user.
 *
 * @param url the URL of the trigger
 * @param hubUrl the URL of the hub
 * @returns whether it is the hub now
 * @throws NodeApiError if a request fails; NodeOperationError if the sample did not show it
 */
export async function takeOver(context: ITriggerFunctions, url: string, hubUrl: string): Promise<boolean> {
	return await runSerialized(context, async () => {
		const credential = await context.getCredentials(CREDENTIAL);
		const secret = signingSecretIn(credential);
		const account = accountDigestIn(credential);
		const client = await connect(context);
		const { registered, subscribers } = await readWebhookState(client, secret, clock.now());
		const isOpen = subscribers[0]?.url === hubUrl && subscriberAt(subscribers, url) && !isDeactivated(url);
		if (!registered || !isOpen || isInCheck(registered.url) || !isCheckDue(account, secret)) return false;

		const subscriber = desiredSubscriberOf(context, url, credential);
		const registration = registrationOf([subscriber, ...withoutSubscriber(subscribers, url)], secret);
		lastChecks.set(`${account} ${secret}`, clock.now());
		const { result } = await checkSecret(client, secret, registration, registered).catch(
			async (error: unknown) => {
				await setWebhook(client, registered);
				return await Promise.reject(error);
			},
		);
		if (result === 'right') return true;
		if (result === 'wrong') lastChecks.set(`${account} ${secret}`, Infinity);
		throw activationError(context, {
			message: `The trigger that receives the events has another 'Signing Secret', and the service's sample event ${result === 'wrong' ? 'showed that the one of this workflow is wrong' : 'did not show which one is right'}`,
			description: "Give all credentials of this account the same 'Signing Secret'.",
		});
	});
}

/** Whether another trigger checks its secret at the moment. */
function isInCheck(url: string): boolean {
	return secretChecks.open(new URL(url).searchParams.get(CHECK_PARAMETER), Date.now()) !== undefined;
}
