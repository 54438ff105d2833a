import { InvalidInput } from '../operation/input';
import type { Field } from '../operation/operation';
import { listedRecipient } from '../recipients/recipientList';

/** The only recipients that a message can go to. */
export const allowedRecipients: Field = {
	displayName: 'Recipients: Allowed',
	name: 'allowedRecipients',
	type: 'string',
	default: '',
	placeholder: 'e.g. +90 555 123 45 67, 905551234567@c.us',
	description:
		'Only these get a message: phone numbers with country codes, and IDs of chats and groups, separated by commas. Empty means nobody at all. Auto-replies, which the service sends itself, are not covered.',
	list: true,
	api: [],
	readsEmpty: true,
	mustBeWhole: 'filled',
	refusesModel: true,
	toApi: (entered: string[]) => ({ allowedRecipients: entered.map(allowedRecipient) }),
};

/** Text that does not begin with "=", as an expression does. n8n gives up a regular expression that takes long, on a busy machine any. */
const FIXED = [{ _cnd: { between: { from: '\t', to: '<' } } }, { _cnd: { gte: '>' } }];

/**
 * What the panel of a tool says until its recipients are fixed or limited. The panel does not know what the credential allows.
 *
 * @param recipient where the recipient is, if the editor does not resolve its expression before it compares
 */
export const modelChooses = (recipient?: 'to' | '/updateFields.to'): Field => ({
	displayName:
		"If the model chooses the recipient, limit it with 'Recipients: Allowed' under 'Options', or with 'Allowed Recipients' in the credential.",
	name: 'modelChooses',
	type: 'notice',
	default: '',
	displayOptions: {
		show: { '@tool': [true] },
		// As a condition to show it, n8n would take any expression for met, and ask no more.
		hide: {
			'/options.allowedRecipients': [{ _cnd: { exists: true } }],
			...(recipient && { [recipient]: FIXED }),
		},
	},
	api: [],
});

/** @throws InvalidInput that does not quote the entry, because the model of an agent reads the error */
function allowedRecipient(entered: string, index: number): string {
	const recipient = listedRecipient(entered);
	if (recipient !== undefined) return recipient;
	throw new InvalidInput(
		`has an entry that is neither a phone number with its country code nor a chat ID: number ${index + 1}`,
		'Begin phone numbers with + and their country code.',
	);
}
