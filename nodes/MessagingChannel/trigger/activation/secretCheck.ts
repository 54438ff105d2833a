import { sleep } from 'n8n-workflow';

import { NO_RETRIES } from '../../api/apiRequest';
import { SEND_TEST_EVENT } from '../../api/endpoints';
import { ApiError } from '../../api/errors';
import { idOf, recordsOf, type ResponseBody } from '../../api/values';
import { SAMPLE_TIMEOUT_MS, type SecretCheckResult } from '../delivery/secrets';
import { secretChecks } from '../delivery/state';
import { clock, withTimeout } from '../account/clock';
import { checkUrlOf, newCheckToken } from '../../webhook/checkUrl';
import type { Registration } from '../../webhook/subscribers';
import { setWebhook, type WebhookAccess } from './registration';

/** How long the service may take to respond. Until the check ends, it delivers no event. */
const RESPONSE_TIMEOUT_MS = 10_000;

/**
 * Checks the signing secret with the service's sample event (API spec, "Delivery rules" 6). The sample goes to a URL that
 * only the service knows, so a wrong signature means a wrong secret and not a forged request. Sets the webhook again
 * afterwards, unless the check failed.
 *
 * @returns the result, why a delivery was rejected, and the event ID of the sample if the response contains it; only the ID
 *   distinguishes the sample from a real event
 * @throws ApiError if the webhook cannot be set
 */
export async function checkSecret(
	access: WebhookAccess,
	registration: Registration,
): Promise<{ result: SecretCheckResult; rejection?: string; sampleId?: string }> {
	const { client, secret } = access;
	const token = newCheckToken(Date.now());
	const check = secretChecks.start(token, secret, ({ body }) =>
		access.account.noteProof(body.account_id, secret, clock.elapsed()),
	);
	try {
		await setWebhook(access, { ...registration, url: checkUrlOf(registration.url, token) });
		// The check is optional: if the service cannot send a sample, the first event verifies the secret.
		const call = client.call({ endpoint: SEND_TEST_EVENT, limits: NO_RETRIES });
		const response: ResponseBody | ApiError = await withTimeout(RESPONSE_TIMEOUT_MS, call).catch(
			(error: unknown) => {
				// A late response still names the sample, which the service may deliver again.
				void call.then(noteSample, () => undefined);
				return error instanceof ApiError ? error : {};
			},
		);
		const sampleId = sampleIdIn(response);
		const status = response instanceof ApiError ? (response.httpStatus ?? 0) : 0;
		// To set the webhook has to wait for the rate limit, too.
		if (status === 429) check.end();
		// The service sends no sample if it rejected the request.
		if (status < 400) await Promise.race([check.reported, sleep(SAMPLE_TIMEOUT_MS)]);
		if (check.result === 'right' || check.result === 'unknown') await setWebhook(access, registration);
		// A delivery that arrived while the webhook was set counts too.
		return { result: check.end(), rejection: check.rejection, sampleId };
	} finally {
		check.end();
	}
}

function noteSample(response: ResponseBody | ApiError): void {
	const sampleId = sampleIdIn(response);
	if (sampleId !== undefined) secretChecks.noteSample(sampleId, clock.elapsed());
}

function sampleIdIn(response: ResponseBody | ApiError): string | undefined {
	const [sample] = response instanceof ApiError ? [] : recordsOf(response);
	return idOf(sample?.event_id);
}
