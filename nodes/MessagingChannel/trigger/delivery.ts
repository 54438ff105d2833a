import type { IDataObject } from 'n8n-workflow';

import { isSigned } from './signature';
import { isFresh } from './timestamp';

/** A request that claims to come from the service (API spec, "Delivery request headers"). */
export interface Delivery {
	headers: Record<string, string | string[] | undefined>;
	rawBody: Buffer;
	/** The raw body as JSON. */
	body: IDataObject;
}

/** What becomes of a delivery. */
export type Verdict =
	| { outcome: 'rejected'; error: 'invalid_signature' | 'stale_timestamp' }
	| { outcome: 'ignored' }
	| { outcome: 'accepted'; event: IDataObject };

/**
 * Decides what becomes of a delivery. Only a signed and fresh one is looked at further.
 *
 * @param secret what the service signs with
 * @param selectedEvents the events that the user wants
 * @param now Unix time in milliseconds
 */
export function judge(
	{ headers, rawBody, body }: Delivery,
	secret: string,
	selectedEvents: readonly string[],
	now: number,
): Verdict {
	const signature = single(headers['x-service-signature']);
	const timestamp = single(headers['x-service-timestamp']);
	if (!isSigned(rawBody, signature, secret)) return { outcome: 'rejected', error: 'invalid_signature' };
	if (!isFresh(timestamp, now)) return { outcome: 'rejected', error: 'stale_timestamp' };
	if (!isSelected(body.event, selectedEvents)) return { outcome: 'ignored' };
	return {
		outcome: 'accepted',
		event: {
			...body,
			event_id: single(headers['x-service-event-id']) ?? null,
			delivered_at: new Date(Number(timestamp) * 1000).toISOString(),
		},
	};
}

/** The sub-types of a status event, which cannot be registered by themselves (API spec, "Events"). */
const STATUS_EVENTS = ['message.delivered', 'message.read'];

function isSelected(event: unknown, selected: readonly string[]): boolean {
	if (typeof event !== 'string') return false;
	return selected.includes(STATUS_EVENTS.includes(event) ? 'message.status' : event);
}

function single(header: string | string[] | undefined): string | undefined {
	return typeof header === 'string' ? header : undefined;
}
