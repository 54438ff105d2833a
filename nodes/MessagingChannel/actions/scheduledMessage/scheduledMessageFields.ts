import type { Parameters } from '../../api/apiRequest';
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
	placeholder: 'e.g. 2030-01-31T09:00:00',
	description: "When to send the message. A time without a time zone is in the workflow's time zone.",
};

/**
 * Checks the time of a scheduled message, if the request has one.
 *
 * @param now Unix time in milliseconds
 * @throws InvalidInput if it is not in the future
 */
export function requireFuture({ scheduledAt: utc }: Parameters, now: number): void {
	if (utc === undefined || Date.parse(String(utc)) > now) return;
	throw new InvalidInput(
		`is in the past: '${String(utc)}'`,
		'Enter a date and time in the future.',
		scheduledAt.displayName,
	);
}
