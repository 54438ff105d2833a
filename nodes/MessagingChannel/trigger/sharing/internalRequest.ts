import { createHash, createHmac, randomUUID, timingSafeEqual } from 'crypto';

import { TOLERANCE_MS } from '../../api/timestampTolerance';
import { sharingKeyOf } from '../../webhook/sharingKey';

/**
 * What one trigger asks of another:
 * - `event`: receive a forwarded delivery
 * - `probe`: check whether you can reach the URL in the body, which is to join
 * - `reach`: say that you are there
 * - `report`: show the user the problem in the body
 */
export type InternalRequestKind = 'event' | 'probe' | 'reach' | 'report';

/** Says what a request of a trigger to a trigger is, signed with the secret. Node lists headers in lower case. */
export const REQUEST_HEADER = 'x-messaging-channel-request';

/** Marks the responses of the trigger. An n8n that starts responds 200 to everything, without it. */
export const RESPONSE_HEADER = 'x-messaging-channel-trigger';

const SIGNED_CONTENT =
	/^(?<content>(?<kind>event|probe|reach|report)\.(?<time>\d{1,15})\.[\da-f-]{36})\.(?<mac>[\w-]+)$/;

/**
 * The header of a request to another trigger.
 *
 * @param now Unix time in milliseconds
 */
export function requestHeader(kind: InternalRequestKind, body: Buffer, secret: string, now: number): string {
	const content = `${kind}.${now}.${randomUUID()}`;
	return `${content}.${macOf(content, body, secret)}`;
}

/**
 * The kind of a request from another trigger.
 *
 * @param header the value of its header
 * @param now Unix time in milliseconds
 * @returns undefined if it is no such request, is not signed with this secret, or is too old
 */
export function requestKind(
	header: unknown,
	body: Buffer,
	secret: string,
	now: number,
): InternalRequestKind | undefined {
	const match = typeof header === 'string' && secret !== '' ? SIGNED_CONTENT.exec(header) : undefined;
	if (!match) return undefined;
	const { content, kind, time, mac } = match.groups as Record<'content' | 'kind' | 'time' | 'mac', string>;
	const expected = Buffer.from(macOf(content, body, secret));
	const given = Buffer.from(mac);
	if (expected.length !== given.length || !timingSafeEqual(expected, given)) return undefined;
	return Math.abs(now - Number(time)) <= TOLERANCE_MS ? (kind as InternalRequestKind) : undefined;
}

function macOf(content: string, body: Buffer, secret: string): string {
	const digest = createHash('sha256').update(body).digest('hex');
	return createHmac('sha256', sharingKeyOf(secret)).update(`${content}\n${digest}`).digest('base64url');
}
