import { randomUUID } from 'crypto';
import { sleep } from 'n8n-workflow';

import type { Client } from '../../api/client';
import { SEND_TEST_EVENT } from '../../api/endpoints';
import { ApiError } from '../../api/errors';
import { recordsOf, type ResponseBody } from '../../api/records';
import { beginSecretCheck, SAMPLE_TIMEOUT_MS, type SecretCheckResult } from '../delivery/secretChecks';
import { setWebhook, type DesiredWebhook } from './registration';

/**
 * Has the service send its sample event to an address that only this check knows (Delivery rules 6). A delivery there
 * comes from the service for certain: a wrong signature means a wrong secret, not a forger.
 * Leaves the webhook as desired, unless a delivery showed that no event could be verified.
 *
 * @returns what it showed, and the sample's event ID if the service's answer names it: nothing else tells the sample
 *   from a customer's event that comes at the same moment
 * @throws ApiError when the webhook cannot be set
 */
export async function checkSecret(
	client: Client,
	desired: DesiredWebhook,
): Promise<{ result: SecretCheckResult; sampleId?: string }> {
	const token = `${Date.now()}-${randomUUID()}`;
	const check = beginSecretCheck(token);
	try {
		await setWebhook(client, { ...desired, url: `${desired.url}?check=${token}` });
		// A service that cannot send samples is none the worse; then the first event shows it.
		const answer: ResponseBody | ApiError = await client
			.call({ endpoint: SEND_TEST_EVENT })
			.catch((error: unknown) => (error instanceof ApiError ? error : {}));
		if (!isRefused(answer)) await Promise.race([check.reported, sleep(SAMPLE_TIMEOUT_MS)]);
		const { result } = check;
		if (result === 'right' || result === 'unknown') await setWebhook(client, desired);
		return { result, sampleId: eventIdIn(answer) };
	} finally {
		check.end();
	}
}

/** Then no sample comes, and there is nothing to wait for. */
function isRefused(answer: ResponseBody | ApiError): boolean {
	return answer instanceof ApiError && answer.httpStatus !== null && answer.httpStatus >= 400;
}

function eventIdIn(answer: ResponseBody | ApiError): string | undefined {
	const [sample] = answer instanceof ApiError ? [] : recordsOf(answer);
	return typeof sample?.event_id === 'string' ? sample.event_id : undefined;
}
