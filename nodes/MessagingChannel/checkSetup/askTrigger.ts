import { randomUUID } from 'crypto';
import mapValues from 'lodash/mapValues';

import type { Surroundings } from '../operation/operation';
import { isRecord, nonEmptyText, parsedJson, recordOrEmpty } from '../api/values';
import type { ToldFetch, TriggerStatus } from '../trigger/delivery/status';
import { sendInternal } from '../trigger/sharing/forward';
import { askerTagOf } from '../trigger/sharing/instanceTag';

/** The user waits for it. */
const TIMEOUT_MS = 10_000;

/** What came back from the URL of a trigger: what it tells, or who else responded. */
export type TriggerAnswer =
	{ status: TriggerStatus } | { statusCode: number; isFromTrigger: boolean } | 'noResponse';

/** What a trigger tells; undefined if it tells nothing. */
export function statusOf(answer: TriggerAnswer | undefined): TriggerStatus | undefined {
	return typeof answer === 'object' && 'status' in answer ? answer.status : undefined;
}

/**
 * Asks the process that receives the requests of a trigger what it knows. The request is signed, and names n8n in a way that only
 * the same n8n can.
 *
 * @param now Unix time in milliseconds
 */
export async function askTrigger(
	url: string,
	secret: string,
	{ request, instanceId }: Pick<Surroundings, 'request' | 'instanceId'>,
	now: number,
): Promise<TriggerAnswer> {
	const nonce = randomUUID();
	const asker = askerTagOf(instanceId, nonce, secret, url);
	const options = { request, secret, now, timeoutMs: TIMEOUT_MS };
	const response = await sendInternal('status', url, { nonce, asker }, options);
	if (!response) return 'noResponse';
	const { statusCode, isFromTrigger } = response;
	const body = parsedJson(response.body);
	return statusCode === 200 && isFromTrigger && isRecord(body)
		? { status: statusIn(body) }
		: { statusCode, isFromTrigger };
}

/** What a trigger tells, perhaps one of another version of this package. */
function statusIn(body: Record<string, unknown>): TriggerStatus {
	return {
		isProven: body.isProven === true,
		isProxied: body.isProxied === true,
		deliveries: mapValues(recordOrEmpty(body.deliveries), Number),
		lastMsAgo: mapValues(recordOrEmpty(body.lastMsAgo), Number),
		workflow: nonEmptyText(body.workflow),
		fetches: Array.isArray(body.fetches) ? (body.fetches as ToldFetch[]) : undefined,
	};
}
