import { randomUUID } from 'crypto';
import { sleep } from 'n8n-workflow';

import type { Client } from '../../api/client';
import { SEND_TEST_EVENT } from '../../api/endpoints';
import { ApiError } from '../../api/errors';
import { recordsOf, type ResponseBody } from '../../api/records';
import { startSecretCheck, SAMPLE_TIMEOUT_MS, type SecretCheckResult } from '../delivery/secretChecks';
import { setWebhook, type DesiredWebhook } from './registration';

/**
 * Checks the signing secret with the service's sample event (API spec, "Delivery rules" 6). The sample goes to a URL that
 * only the service knows, so a wrong signature means a wrong secret and not a forged request. Sets the desired webhook
 * afterwards, unless the check failed.
 *
 * @returns the result, and the event ID of the sample if the response contains it; only the ID distinguishes the sample
 *   from a real event
 * @throws ApiError if the webhook cannot be set
 */
export async function checkSecret(
	client: Client,
	desired: DesiredWebhook,
): Promise<{ result: SecretCheckResult; sampleId?: string }> {
	const token = `${Date.now()}-${randomUUID()}`;
	const check = startSecretCheck(token);
	try {
		await setWebhook(client, { ...desired, url: `${desired.url}?check=${token}` });
		// The check is optional: if the service cannot send a sample, the first event verifies the secret.
		const response: ResponseBody | ApiError = await client
			.call({ endpoint: SEND_TEST_EVENT })
			.catch((error: unknown) => (error instanceof ApiError ? error : {}));
		if (!isRefused(response)) await Promise.race([check.reported, sleep(SAMPLE_TIMEOUT_MS)]);
		if (check.result === 'right' || check.result === 'unknown') await setWebhook(client, desired);
		// A delivery that arrived while the webhook was set counts too.
		return { result: check.result, sampleId: sampleIdIn(response) };
	} finally {
		check.end();
	}
}

/** Whether the service rejected the request, so that no sample will arrive. */
function isRefused(response: ResponseBody | ApiError): boolean {
	return response instanceof ApiError && response.httpStatus !== null && response.httpStatus >= 400;
}

function sampleIdIn(response: ResponseBody | ApiError): string | undefined {
	const [sample] = response instanceof ApiError ? [] : recordsOf(response);
	return typeof sample?.event_id === 'string' ? sample.event_id : undefined;
}
