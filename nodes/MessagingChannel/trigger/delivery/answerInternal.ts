import { jsonParse, type INodeExecutionData } from 'n8n-workflow';

import { isRecord, nonEmptyText } from '../../api/values';
import { secretDigestOf } from '../../webhook/sharingKey';
import type { Account } from '../account/account';
import { clock } from '../account/clock';
import { sendInternal } from '../sharing/forward';
import { instanceTagOf } from '../sharing/instanceTag';
import type { Door } from './door';
import { isReceiverProblem } from './receiverProblem';
import type { VerifiedRequest } from './verifyRequest';

/** How long the hub waits for a trigger that is to join. */
const PING_TIMEOUT_MS = 5_000;

/** A response to another trigger, and the item of an execution that shows the user a problem. */
export interface InternalReply {
	body: object;
	failure?: INodeExecutionData;
}

/** Answers a verified request of another trigger. */
export async function answerInternal(
	door: Door,
	{ kind, rawBody, secret, account }: Exclude<VerifiedRequest, { kind: 'delivery' }>,
): Promise<InternalReply> {
	const body = jsonParse<unknown>(rawBody.toString(), { fallbackValue: {} });
	const url = isRecord(body) ? nonEmptyText(body.url) : undefined;
	if (kind === 'probe' && url !== undefined) {
		const options = { request: door.request, secret, timeoutMs: PING_TIMEOUT_MS, now: Date.now() };
		const response = await sendInternal('reach', url, {}, options);
		return {
			body: {
				reached: response?.statusCode === 200 && response.isFromTrigger,
				isProven: isProven(door, account, secret),
			},
		};
	}
	const nonce = isRecord(body) ? nonEmptyText(body.nonce) : undefined;
	if (kind === 'instance' && nonce !== undefined)
		return { body: { instance: instanceTagOf(door.instanceId(), nonce, secret) } };
	const isProblem = kind === 'report' && isRecord(body) && isReceiverProblem(body);
	return { body: {}, failure: isProblem ? { json: body } : undefined };
}

/** Whether the service has shown that a secret is right: somebody may have just mistyped it in the credential. */
function isProven({ saved }: Door, account: Account, secret: string): boolean {
	const { accountId, secretDigest } = saved;
	return secretDigest === secretDigestOf(secret) || account.isProven(accountId, secret, clock.elapsed());
}
