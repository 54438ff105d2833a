import mapValues from 'lodash/mapValues';
import omit from 'lodash/omit';
import pick from 'lodash/pick';
import type { IDataObject } from 'n8n-workflow';

import type { Parameters } from '../../api/apiRequest';
import { isRecord } from '../../api/values';
import type { Input } from '../../operation/input';
import type { Field } from '../../operation/operation';
import { withoutAnswerLinks } from '../../sendAndWait/withoutAnswerLinks';

/** Which message, who wrote it, when, and what. */
const SIMPLIFIED = ['id', 'from', 'from_me', 'timestamp', 'type', 'body', 'has_media'];

const FOR_TOOLS = { show: { '@tool': [true] } };

/** How much of a message is output. A tool has `output` instead. */
export const simplify: Field = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
	displayOptions: { hide: { '@tool': [true] } },
	api: [],
};

/** How much of a message the model of an agent gets. */
export const output: Field = {
	displayName: 'Output',
	name: 'output',
	type: 'options',
	default: 'simplified',
	description: 'What the model gets of each message. Less data costs less and distracts less.',
	options: [
		{ name: 'Simplified', value: 'simplified', description: 'ID, sender, time, type and text' },
		{ name: 'Raw', value: 'raw', description: 'All fields' },
		{
			name: 'Selected Fields',
			value: 'selectedFields',
			description: 'The ID and the fields that you choose',
		},
	],
	displayOptions: FOR_TOOLS,
	api: [],
};

/** The fields for a tool with `selectedFields`. */
export const selectedFields: Field = {
	displayName: 'Fields',
	name: 'fields',
	type: 'multiOptions',
	default: ['body', 'from_me', 'timestamp'],
	description: 'The fields of a message besides its ID',
	options: [
		{ name: 'From', value: 'from', description: 'Chat ID of the sender' },
		{ name: 'From Me', value: 'from_me', description: 'Whether the account sent the message' },
		{ name: 'Has Media', value: 'has_media', description: 'Whether the message has a file' },
		{ name: 'Media', value: 'media', description: 'File of the message, with a temporary download link' },
		{ name: 'Raw Type', value: 'raw_type', description: "Type of the message in the channel's own terms" },
		{ name: 'Text', value: 'body' },
		{ name: 'Time', value: 'timestamp', description: 'Unix time in seconds' },
		{ name: 'To', value: 'to', description: 'Chat ID of the recipient' },
		{ name: 'Type', value: 'type' },
	],
	displayOptions: { show: { ...FOR_TOOLS.show, output: ['selectedFields'] } },
	api: [],
};

/** The request for messages. What the output does not need is not asked for, because raw data and links take time. */
export function requestForOutput(input: Input): { parameters: Parameters } {
	const { parameters } = input;
	const fields = fieldsOf(input);
	if (!fields) return { parameters };
	const includePresignedUrl = fields.includes('media') && parameters.includePresignedUrl !== false;
	return { parameters: { ...parameters, includeRaw: false, includePresignedUrl } };
}

/** A message with the fields that are to be output. A model gets no links that answer a question. */
export function messageFields(message: IDataObject, input: Input, isForModel: boolean): IDataObject {
	const fields = fieldsOf(input);
	const chosen = fields ? pick(message, fields) : message;
	return isForModel ? { ...withoutLinksIn(omit(chosen, FILE)), ...pick(chosen, FILE) } : chosen;
}

/** The field that stays as it is, because its download link can look like a link that answers a question. */
const FILE = 'media';

/** A record as a model gets it: without links that answer a question, in any of its texts. */
export function withoutLinksIn<T>(value: T): T {
	if (typeof value === 'string') return withoutAnswerLinks(value) as T;
	if (Array.isArray(value)) return value.map(withoutLinksIn) as T;
	return isRecord(value) ? (mapValues(value, withoutLinksIn) as T) : value;
}

/** The fields to output; undefined for all of them. The hidden one of `simplify` and `output` has its default. */
function fieldsOf({ parameters, settings }: Input): string[] | undefined {
	if (settings.simplify === false || settings.output === 'raw') return undefined;
	if (settings.output === 'selectedFields') return ['id', ...((settings.fields ?? []) as string[])];
	return parameters.includePresignedUrl === true ? [...SIMPLIFIED, 'media'] : SIMPLIFIED;
}
