import type { Field } from '../operation/operation';

/** How long ago a person must have written to get a message. */
export const onlyIfWroteWithin: Field = {
	displayName: 'Recipients: Only If They Wrote',
	name: 'onlyIfWroteWithin',
	type: 'number',
	// Up to a year.
	typeOptions: { minValue: 1, maxValue: 8760 },
	default: 24,
	placeholder: 'e.g. 24',
	description:
		"Only people whose last message to you is at most this many hours old get the message. Others are skipped, and the output says so. Groups always get it. Reads each person's chat, which uses the rate limit.",
	api: [],
	// If it were empty, everybody would get the message.
	required: true,
};
