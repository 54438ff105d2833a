import { createHash, createHmac, randomUUID, timingSafeEqual } from 'crypto';

import { TOLERANCE_MS } from './timestampTolerance';

/** A request between nodes of this package, as its header signs it. */
export interface SignedRequest {
	key: Buffer;
	body: Buffer;
	/** What is signed together with the body: the stamp of the header, and what else the request is about. */
	textOf?: (stamp: string) => string;
}

const FORMAT = /^(?<stamp>(?:(?<kind>[a-z]+)\.)?(?<time>\d{1,15})\.[\da-f-]{36})\.(?<mac>[\w-]+)$/;

/**
 * The header that signs a request.
 *
 * @param now Unix time in milliseconds
 * @param kind what the request is, in small letters; undefined if its receiver knows only one kind
 */
export function signedHeader(request: SignedRequest, now: number, kind?: string): string {
	const stamp = [...(kind === undefined ? [] : [kind]), now, randomUUID()].join('.');
	return `${stamp}.${macOf(stamp, request)}`;
}

/**
 * Reads the header of a request.
 *
 * @param now Unix time in milliseconds
 * @returns undefined if it is not signed with this key for this request, or is too old
 */
export function readSignedHeader(
	header: unknown,
	request: SignedRequest,
	now: number,
): { kind?: string } | undefined {
	const match = typeof header === 'string' ? FORMAT.exec(header) : undefined;
	if (!match) return undefined;
	const { stamp, kind, time, mac } = match.groups as Record<'stamp' | 'time' | 'mac', string> & {
		kind?: string;
	};
	if (!areSameMac(macOf(stamp, request), mac)) return undefined;
	return Math.abs(now - Number(time)) <= TOLERANCE_MS ? { kind } : undefined;
}

/** Compares two MACs in constant time. */
export function areSameMac(expected: string, given: string): boolean {
	const [one, other] = [Buffer.from(expected), Buffer.from(given)];
	return one.length === other.length && timingSafeEqual(one, other);
}

function macOf(stamp: string, { key, body, textOf = (text) => text }: SignedRequest): string {
	const digest = createHash('sha256').update(body).digest('hex');
	return createHmac('sha256', key)
		.update(`${textOf(stamp)}\n${digest}`)
		.digest('base64url');
}
