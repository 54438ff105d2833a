import type { IDataObject } from 'n8n-workflow';

import { eventOf, type ServiceEvent } from '../../../nodes/MessagingChannel/trigger/delivery/event';
import type { Delivery } from '../../../nodes/MessagingChannel/trigger/delivery/verify';
import { sign as signWith } from '../../support/service/core/signature';

export const SECRET = 'a-signing-secret';
export const NOW = Date.UTC(2030, 0, 31, 9);
export const SECONDS = NOW / 1000;

export const BODY = JSON.stringify({
	event: 'message.received',
	account_id: 'account-1',
	chat: { id: '905551112233@c.us', name: 'Somebody', phone: '905551112233', type: 'individual' },
	message: { id: 'message-1', body: 'Grüße 👋', type: 'chat', from_me: false, has_media: false },
});

/** A verified event. */
export const eventWith = (type: string, body: IDataObject = {}, id = '1'): ServiceEvent => ({
	...eventOf(id, {}, body),
	type,
});

export const sign = (body: string | Buffer, secret = SECRET) => signWith(body, secret);

/** A delivery as the service makes it, with changed headers where given; undefined removes one. */
export function delivery(
	body: string | Buffer = BODY,
	headers: Record<string, string | string[] | undefined> = {},
): Delivery {
	return {
		rawBody: Buffer.from(body),
		headers: {
			'content-type': 'application/json',
			'x-service-signature': sign(body),
			'x-service-timestamp': String(SECONDS),
			'x-service-event': 'message.received',
			'x-service-event-id': 'event-1',
			'x-service-account-id': 'account-1',
			...headers,
		},
	};
}
