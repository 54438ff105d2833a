import type { ApiRequest, Parameters } from '../api/apiRequest';
import { InvalidInput, type Input } from '../operation/input';
import type { Field } from '../operation/operation';
import { toChannelMarks } from './markdown';
import { splitText } from './splitText';

/** The text of a message. */
export const messageText: Field = {
	displayName: 'Message',
	name: 'message',
	type: 'string',
	typeOptions: { rows: 3 },
	default: '',
	required: true,
	placeholder: 'e.g. Your order is on its way',
	description: 'Text of the message',
	toApi: (text: string, settings) => ({ message: inFormat(text, settings) }),
};

/** How a text is written. */
export const format: Field = {
	displayName: 'Format',
	name: 'format',
	type: 'options',
	default: 'none',
	description: 'How the text is written. AI models write Markdown.',
	options: [
		{ name: 'None', value: 'none', description: 'Send the text as it is' },
		{
			name: 'Markdown',
			value: 'markdown',
			description: "Convert Markdown to the channel's own marks, e.g. **bold** to *bold*",
		},
	],
	api: [],
};

/** A text in the format of the channel, by the settings of its item. */
export function inFormat(text: string, settings: Parameters): string {
	return settings.format === 'markdown' ? toChannelMarks(text) : text;
}

/** Shorter parts could not hold a word each. */
const MIN_PART_LENGTH = 10;

/** More messages in a row look like spam and raise the risk that the number is blocked. */
const MAX_PARTS = 100;

const SPLIT = 'Split Long Text (Characters)';

/** Whether a long text is sent as several messages. */
export const splitLongText: Field = {
	displayName: SPLIT,
	name: 'splitLongText',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 0,
	placeholder: 'e.g. 1000',
	description:
		'Send a text with more characters than this as several messages, one after the other. 0 means that no text is split.',
	api: [],
	toApi: (length: number) => {
		if (length === 0 || length >= MIN_PART_LENGTH) return { splitLongText: length };
		throw new InvalidInput(
			`is too small to split a text: ${length}`,
			`Enter ${MIN_PART_LENGTH} or more, or 0 to send each text as one message.`,
		);
	},
};

/**
 * The texts of the messages that a text is sent as; undefined if it is not to be split.
 *
 * @throws InvalidInput when there would be too many of them, or none
 */
export function partsOf({ parameters }: ApiRequest, { settings }: Input): string[] | undefined {
	const maxLength = Number(settings.splitLongText ?? 0);
	if (maxLength === 0) return undefined;
	const text = String(parameters?.message);
	// Splitting a huge text would hold up n8n.
	const isHuge = text.replace(/\s/g, '').length > MAX_PARTS * maxLength;
	const parts = isHuge ? undefined : splitText(text, maxLength);
	if (parts?.length === 0) throw new InvalidInput('is empty', 'Enter a value.', 'Message');
	if (parts && parts.length <= MAX_PARTS) return parts;
	throw new InvalidInput(
		`splits the text into more than ${MAX_PARTS} messages`,
		'Enter a larger number, or shorten the text. So many messages in a row could get your number blocked.',
		SPLIT,
	);
}
