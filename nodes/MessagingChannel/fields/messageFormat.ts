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

/** The request parameters, with the text in the format of the channel. */
export function formatted({ parameters, settings }: Input): Pick<Input, 'parameters'> {
	if (settings.format !== 'markdown') return { parameters };
	return { parameters: { ...parameters, message: toChannelMarks(String(parameters.message)) } };
}
