import type { IDataObject } from 'n8n-workflow';

import { eventFilterOf, type EventFilter } from '../../../../nodes/MessagingChannel/trigger/delivery/filter';
import { eventWith } from '../deliveries';

/** The filter of a panel in which these options are set. */
export const filterOf = (options: Record<string, unknown> = {}): EventFilter =>
	eventFilterOf({
		getNodeParameter: (path, fallback) => {
			const value = options[path.replace('options.', '')];
			return value === undefined ? fallback : value;
		},
	});

export const received = (message: IDataObject = {}, chat: IDataObject = {}) =>
	eventWith('message.received', {
		chat: { id: '905551112233@c.us', phone: '905551112233', type: 'individual', ...chat },
		message: { type: 'chat', from_me: false, ...message },
	});
