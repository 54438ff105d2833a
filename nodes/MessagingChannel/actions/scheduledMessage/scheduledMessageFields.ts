import { recordId } from '../../fields/recordId';
import { InvalidInput } from '../../operation/input';
import type { Field } from '../../operation/operation';

export const scheduledMessageId = recordId(
	'scheduledMessageId',
	'Scheduled Message ID',
	'Scheduled Message > Get Many',
);

export const scheduledAt: Field = {
	displayName: 'Scheduled At',
	name: 'scheduledAt',
	type: 'dateTime',
	default: '',
	description: "When to send the message. A time without a time zone is in the workflow's time zone.",
	toApi: (utc: string) => {
		if (Date.parse(utc) > Date.now()) return { scheduledAt: utc };
		throw new InvalidInput(`is in the past: '${utc}'`, 'Enter a date and time in the future.');
	},
};
