import { EVENT_TYPES, type Delivery, type EmittedEvent } from './events';

/** What somebody sends who does not know the secret. */
export const FORGERIES = [
	'guessed',
	'signed with an old secret',
	'bare',
	'changed',
	'stale',
	'replayed',
	'names a receiver',
	'names nobody',
	'claims to be forwarded',
] as const;

/** These have a body that the service has signed, so a trigger takes what it does not know. */
export const REPLAYS: ReadonlyArray<(typeof FORGERIES)[number]> = [
	'replayed',
	'names a receiver',
	'names nobody',
	'claims to be forwarded',
];

/** Whom a forger wants to receive the events. */
const FORGER_URL = 'https://forger.example.com/hook';

export interface ForgedEvent extends EmittedEvent {
	kind: (typeof FORGERIES)[number];
}

/** What somebody on the way could record. */
export type RecordedDelivery = Delivery & { event: EmittedEvent };

/** What somebody changes of a delivery that the service does not sign. */
function replayOf(kind: ForgedEvent['kind'], url: string, now: number) {
	const [hub, query = ''] = url.split('?') as [string, string?];
	const entries = query.replace('subscribers=', '').split('~').slice(0, -1);
	const mac = query.split('~').at(-1) ?? 'none';
	const receiver = Buffer.from(JSON.stringify([FORGER_URL, 'external', EVENT_TYPES, 30])).toString(
		'base64url',
	);
	const list = [...(entries.length > 0 ? entries : ['.3.30']), `_${receiver}`];
	if (kind === 'names a receiver') return { url: `${hub}?subscribers=${[...list, mac].join('~')}` };
	if (kind === 'names nobody') return { url: `${hub}?subscribers=.3.30~${mac}` };
	const mark = `event.${now}.00000000-0000-4000-8000-000000000000.guessed`;
	return {
		url,
		...(kind === 'claims to be forwarded' && { headers: { 'x-messaging-channel-request': mark } }),
	};
}

/**
 * What a forger makes of an event.
 *
 * @param made its delivery with a signature of the forger
 * @param chosen a delivery that was recorded; undefined if there is none
 * @param now Unix time in milliseconds
 */
export function forgeryOf(
	event: ForgedEvent,
	made: Delivery,
	chosen: () => RecordedDelivery | undefined,
	now: number,
): [ForgedEvent, Delivery] | undefined {
	const { kind } = event;
	if (kind === 'guessed' || kind === 'signed with an old secret') return [event, made];
	if (kind === 'bare') return [event, { ...made, headers: { 'content-type': 'application/json' } }];
	const original = chosen();
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
	const replay = replayOf(kind, made.url, now);
	const signature = { 'x-service-signature': String(headers['x-service-signature']) };
	return [
		{ ...event, type, messageId, isFromMe },
		{ ...made, url: replay.url, body, headers: { ...made.headers, ...replay.headers, ...signature } },
	];
}
