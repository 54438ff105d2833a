import { randomUUID } from 'crypto';

import type { Clock } from '../../api/clock';
import { isRecord, parsedJson } from '../../api/values';
import type { ProbeResult } from '../account/decisions';
import { isProvenDead } from '../sharing/deadUrl';
import { sendInternal, type ForwardOptions } from '../sharing/forward';
import { instanceTagOf } from '../sharing/instanceTag';

/** How long a hub may take to reach the trigger that is to join, and to say so. */
const PROBE_TIMEOUT_MS = 10_000;

/** n8n removes a changed trigger's URL for a moment, and all URLs while it starts. */
const ABSENT_RETRIES = 3;
const ABSENT_RETRY_MS = 1_000;

/** What a probe needs. */
type ProbeOptions = Pick<ForwardOptions, 'request' | 'secret'> & Pick<Clock, 'now' | 'sleep'>;

/**
 * Asks a hub to call a trigger that is to join. This shows, before anything changes, that the two have the same secret,
 * and that the process that receives events can reach the trigger.
 */
export async function probe(
	hubUrl: string,
	url: string,
	{ sleep, now, ...options }: ProbeOptions,
): Promise<ProbeResult> {
	for (let retries = 0; ; retries++) {
		const response = await sendInternal(
			'probe',
			hubUrl,
			{ url },
			{ ...options, now: now(), timeoutMs: PROBE_TIMEOUT_MS },
		);
		if (!response) return 'noResponse';
		if (response.isFromTrigger) {
			if (response.statusCode === 401) return 'otherSecret';
			const body = parsedJson(response.body);
			if (!isRecord(body) || body.reached !== true) return 'unreachable';
			return body.isProven === true ? 'reached' : 'unproven';
		}
		if (response.statusCode !== 404) return response.statusCode >= 500 ? 'noResponse' : 'noTrigger';
		if (retries === ABSENT_RETRIES) return isProvenDead(hubUrl, response) ? 'dead' : 'absent';
		await sleep(ABSENT_RETRY_MS);
	}
}

/**
 * Whether a hub shows that it belongs to an instance of n8n: it responds with a tag that only somebody with the secret can make,
 * for a nonce that nobody has used before.
 *
 * @param instanceId n8n's ID of the instance, the same in all its processes
 */
export async function isOfInstance(
	hubUrl: string,
	instanceId: string,
	{ now, request, secret }: ProbeOptions,
): Promise<boolean> {
	const nonce = randomUUID();
	const options = { request, secret, now: now(), timeoutMs: PROBE_TIMEOUT_MS };
	const response = await sendInternal('instance', hubUrl, { nonce }, options);
	const body = response?.isFromTrigger ? parsedJson(response.body) : undefined;
	return isRecord(body) && body.instance === instanceTagOf(instanceId, nonce, secret);
}
