import { jsonParse, type INodeExecutionData, type IWebhookFunctions } from 'n8n-workflow';

import { isRecord, nonEmptyText } from '../../api/values';
import { httpRequestOf } from '../../n8n/httpRequest';
import { sendInternal } from '../sharing/forward';
import { instanceTagOf } from '../sharing/instanceTag';
import type { InternalRequestKind } from '../sharing/internalRequest';
import { secretDigestOf } from '../../webhook/sharingKey';
import { isReceiverProblem } from './receiverProblem';
import { savedStateOf } from './savedState';
import { secretChecks } from './state';

/** How long the hub waits for a trigger that is to join. */
const PING_TIMEOUT_MS = 5_000;

/** A response to another trigger, and the item of an execution that shows the user a problem. */
export interface InternalReply {
	body: object;
	failure?: INodeExecutionData;
}

/**
 * Answers a request of another trigger.
 *
 * @param secret the signing secret, which has verified the request
 */
export async function answerInternal(
	context: IWebhookFunctions,
	kind: Exclude<InternalRequestKind, 'event'>,
	rawBody: Buffer,
	secret: string,
): Promise<InternalReply> {
	const body = jsonParse<unknown>(rawBody.toString(), { fallbackValue: {} });
	const url = isRecord(body) ? nonEmptyText(body.url) : undefined;
	if (kind === 'probe' && url !== undefined) {
		const options = {
			request: httpRequestOf(context),
			secret,
			timeoutMs: PING_TIMEOUT_MS,
			now: Date.now(),
		};
		const response = await sendInternal('reach', url, {}, options);
		return {
			body: {
				reached: response?.statusCode === 200 && response.isFromTrigger,
				isProven: isProven(context, secret),
			},
		};
	}
	const nonce = isRecord(body) ? nonEmptyText(body.nonce) : undefined;
	if (kind === 'instance' && nonce !== undefined)
		return { body: { instance: instanceTagOf(context.getInstanceId(), nonce, secret) } };
	const isProblem = kind === 'report' && isRecord(body) && isReceiverProblem(body);
	return { body: {}, failure: isProblem ? { json: body } : undefined };
}

/** Whether the service has shown that a secret is right: somebody may have just mistyped it in the credential. */
function isProven(context: IWebhookFunctions, secret: string): boolean {
	const { accountId, secretDigest } = savedStateOf(context);
	return secretDigest === secretDigestOf(secret) || secretChecks.wasVerified(accountId, secret, Date.now());
}
