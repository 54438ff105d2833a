import type { Field } from '../operation/operation';
import type { Input } from '../operation/input';
import { toChannelMarks } from './markdown';

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

/**
 * The request parameters, with the text in the format of the channel.
 *
 * @param name the request parameter that holds the text
 */
export function formatted<T extends Pick<Input, 'parameters' | 'settings'>>(
	input: T,
	name: 'message' | 'caption',
): T {
	const { parameters, settings } = input;
	const text = parameters[name];
	if (settings.format !== 'markdown' || typeof text !== 'string') return input;
	return { ...input, parameters: { ...parameters, [name]: toChannelMarks(text) } };
}
