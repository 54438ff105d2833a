import type { Field } from '../operation/operation';

/** How long ago a person must have written to get a message. */
export const onlyIfWroteWithin: Field = {
	displayName: 'Recipients: Only If They Wrote (Hours)',
	name: 'onlyIfWroteWithin',
	type: 'number',
	// Up to a year.
	typeOptions: { minValue: 1, maxValue: 8760 },
	default: 24,
	placeholder: 'e.g. 24',
	description:
		'How many hours ago people may have written last. Others are skipped; the output says so. Reads the chat of each person once. Groups are left alone.',
	api: [],
	// If it were empty, everybody would get the message.
	required: true,
};
