import type { IDataObject } from 'n8n-workflow';

import type { Client } from '../../../../nodes/MessagingChannel/api/client';
import { virtualClock } from '../../../support/engine/clock';

/** A service whose queue has these statuses, one look after the other; the last one stays. */
export function serviceWithQueue(statuses: readonly IDataObject[]) {
	let looks = 0;
	const client: Client = {
		call: async ({ endpoint }) => {
			expect(endpoint.path).toBe('/messages/queue');
			if (looks > 1000) throw new Error('It looks on and on.');
			const data = statuses[Math.min(looks++, statuses.length - 1)];
			return await Promise.resolve({ success: true, data });
		},
		download: async () => await Promise.reject(new Error('Not for queues.')),
	};
	return { client, clock: virtualClock(), looks: () => looks };
}
