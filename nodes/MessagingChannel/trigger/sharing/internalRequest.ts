import { readSignedHeader, signedHeader } from '../../api/signedHeader';
import { sharingKeyOf } from '../../webhook/sharingKey';

/**
 * What one trigger asks of another:
 * - `event`: receive a forwarded delivery
 * - `probe`: check whether you can reach the URL in the body, which is to join
 * - `reach`: say that you are there
 * - `report`: show the user the problem in the body
 * - `instance`: show that you run in the same n8n
 * - `status`: tell what your process knows; by name only to somebody who runs in the same n8n
 */
const KINDS = ['event', 'probe', 'reach', 'report', 'instance', 'status'] as const;

export type InternalRequestKind = (typeof KINDS)[number];

/** Says what a request of a trigger to a trigger is, signed with the secret. Node lists headers in lower case. */
export const REQUEST_HEADER = 'x-messaging-channel-request';

/** Marks the responses of the trigger. An n8n that starts responds 200 to everything, without it. */
export const RESPONSE_HEADER = 'x-messaging-channel-trigger';

/**
 * The header of a request to another trigger.
 *
 * @param now Unix time in milliseconds
 */
export function requestHeader(kind: InternalRequestKind, body: Buffer, secret: string, now: number): string {
	return signedHeader({ key: sharingKeyOf(secret), body }, now, kind);
}

/**
 * The kind of a request from another trigger with this header.
 *
 * @returns undefined if it is no such request, is not signed with this secret, or is too old
 */
export function requestKind(
	header: unknown,
	body: Buffer,
	secret: string,
	now: number,
): InternalRequestKind | undefined {
	if (secret === '') return undefined;
	const read = readSignedHeader(header, { key: sharingKeyOf(secret), body }, now);
	return KINDS.find((kind) => kind === read?.kind);
}
