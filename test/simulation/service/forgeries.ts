import { EVENT_TYPES, type Delivery, type EmittedEvent } from './events';

/** What somebody sends who does not know the secret. */
export const FORGERIES = [
	'guessed',
	'signed with an old secret',
	'changed',
	'stale',
	'replayed',
	'names a receiver',
] as const;

/** These have a body that the service has signed, so a trigger takes what it does not know. */
export const REPLAYS: ReadonlyArray<(typeof FORGERIES)[number]> = ['replayed', 'names a receiver'];

/** Whom a forger wants to receive the events. */
const FORGER_URL = 'https://forger.example.com/hook';

export interface ForgedEvent extends EmittedEvent {
	kind: (typeof FORGERIES)[number];
}

/** What somebody on the way could record. */
export type RecordedDelivery = Delivery & { event: EmittedEvent };

/** A URL with one more receiver on its list, which nobody has signed. */
function withForger(url: string): string {
	const [hub, query = ''] = url.split('?') as [string, string?];
	const parts = query.replace('subscribers=', '').split('~');
	const entries = parts.slice(0, -1);
	const forger = Buffer.from(JSON.stringify([FORGER_URL, 'external', EVENT_TYPES, 30])).toString('base64url');
	const list = [...(entries.length > 0 ? entries : ['.3.30']), `_${forger}`, parts.at(-1) || 'none'];
	return `${hub}?subscribers=${list.join('~')}`;
}

/**
 * What a forger makes of an event.
 *
 * @param made its delivery with a signature of the forger
 * @param original a delivery that was recorded; undefined if there is none
 */
export function forgeryOf(
	event: ForgedEvent,
	made: Delivery,
	original: RecordedDelivery | undefined,
): [ForgedEvent, Delivery] | undefined {
	const { kind } = event;
	if (kind === 'guessed' || kind === 'signed with an old secret') return [event, made];
	if (!original) return undefined;
	const { headers, body } = original;
	const { type, messageId, isFromMe } = original.event;
	if (kind === 'changed')
		return [event, { ...made, headers: { ...headers, 'x-service-event-id': event.id } }];
	if (kind === 'stale')
		return [
			{ ...event, messageId },
			{ ...made, body, headers },
		];
	const signature = { 'x-service-signature': String(headers['x-service-signature']) };
	const url = kind === 'names a receiver' ? withForger(made.url) : made.url;
	return [
		{ ...event, type, messageId, isFromMe },
		{ ...made, url, body, headers: { ...made.headers, ...signature } },
	];
}
