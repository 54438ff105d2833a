import type { IWebhookFunctions } from 'n8n-workflow';

import { CREDENTIAL } from '../../n8n/connect';
import { REQUEST_HEADER, requestKind } from '../sharing/internalRequest';
import { answerInternal, type InternalReply } from './answerInternal';
import { credentialIdOf, signingSecretIn } from './secretCache';
import { secretCache, secretChecks } from './state';
import { verify, type Delivery, type Verification } from './verify';

/** The request as a delivery, before anything of it is verified. */
export async function deliveryOf(context: IWebhookFunctions): Promise<Delivery> {
	const request = context.getRequestObject();
	const { headers } = request;
	// n8n parses a multipart form for its files and keeps no raw bytes.
	if (/^multipart\//i.test(String(headers['content-type']))) return { headers, rawBody: undefined };
	await request.readRawBody();
	return { headers, rawBody: request.rawBody };
}

/** The response to another trigger, or what is known of a delivery. */
type VerifiedRequest =
	| { reply: InternalReply }
	| {
			verification: Verification;
			/** The secret that it was verified with. */
			secret: string;
			/** Whether another trigger forwarded it. */
			isForwarded: boolean;
	  };

/**
 * Verifies a delivery of the service or answers another trigger, whichever the request is.
 *
 * @throws SecretJustChanged, or an error of n8n if it cannot read the credential
 */
export async function verifyRequest(
	context: IWebhookFunctions,
	delivery: Delivery,
): Promise<VerifiedRequest> {
	let isForwarded = false;
	const header = delivery.headers[REQUEST_HEADER];
	const { rawBody } = delivery;
	if (header !== undefined && rawBody) {
		const { result: kind, secret } = await withSecret(
			context,
			(candidate) => requestKind(header, rawBody, candidate, Date.now()),
			(result) => result === undefined,
		);
		if (kind !== undefined && kind !== 'event')
			return { reply: await answerInternal(context, kind, rawBody, secret) };
		isForwarded = kind === 'event';
	}
	const { result: verification, secret } = await withSecret(
		context,
		(candidate) => verifyWith(delivery, candidate),
		(result) => !result.verified && result.maybeOtherSecret === true,
	);
	return { verification, secret, isForwarded };
}

/** Verifies a delivery with one secret, and notes if that secret is right. */
export function verifyWith(delivery: Delivery, secret: string): Verification {
	const verification = verify(delivery, secret, Date.now());
	if (verification.verified) secretChecks.noteVerified(verification.event, secret, Date.now());
	return verification;
}

/** The delivery may be signed with the secret before or after the change, so the service must deliver it again. */
export class SecretJustChanged extends Error {}

/** Uses the cached secret, and then the one in the credential if another secret may fit. */
async function withSecret<T>(
	context: IWebhookFunctions,
	attempt: (secret: string) => T,
	mayFitOther: (result: T) => boolean,
): Promise<{ result: T; secret: string }> {
	const credentialId = credentialIdOf(context.getNode());
	const fetchSecret = async () => signingSecretIn(await context.getCredentials(CREDENTIAL));
	const secret = await secretCache.get(credentialId, fetchSecret, Date.now());
	const result = attempt(secret);
	if (!mayFitOther(result)) return { result, secret };
	const refreshed = await secretCache.refresh(credentialId, fetchSecret, Date.now());
	if (refreshed === undefined) throw new SecretJustChanged();
	// With an unchanged secret, a second HMAC would only cost CPU time, for example in a flood of forged deliveries.
	return refreshed === secret ? { result, secret } : { result: attempt(refreshed), secret: refreshed };
}
