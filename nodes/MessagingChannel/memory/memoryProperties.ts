import type { INodeProperties } from 'n8n-workflow';

import { GET_MESSAGES } from '../api/endpoints';
import { chatId } from '../fields/chats';
import { COLLECTIONS } from '../operation/collections';
import { withoutApi } from '../operation/nodeProperties';
import type { Field } from '../operation/operation';

const TRIGGER = "$('Messaging Channel Trigger')";

/**
 * The event of the trigger under its usual name, for an agent that does not follow it directly. After a tool was used, n8n 2.41.1
 * does not find `.item` behind a second output.
 */
const EVENT = `(${TRIGGER}.all().length > 1 ? ${TRIGGER}.item : ${TRIGGER}.first()).json`;

/** Expressions for the messages that started the run: several with Combine Events, the oldest first. */
export const STARTING_MESSAGE_IDS = ['$json', EVENT].map(
	(item) => `{{ ${item}.messages?.map(({ id }) => id) ?? [${item}.message?.id] }}`,
);

const fields: Field[] = [
	{
		...chatId,
		default: { mode: 'id', value: `={{ $json.chat?.id ?? ${EVENT}.chat.id }}` },
		description: 'The chat to remember. By default, the chat of the event that started the workflow.',
	},
	{
		displayName: 'Context Window Length',
		name: 'contextWindowLength',
		type: 'number',
		default: 10,
		typeOptions: { minValue: 1, maxValue: 500, numberPrecision: 0 },
		placeholder: 'e.g. 10',
		required: true,
		api: [],
		description: 'How many of the latest messages the model receives. Each message counts, whoever wrote it.',
	},
];

const options: Field[] = [
	{
		displayName: 'Exclude From Message ID',
		name: 'excludeMessageId',
		type: 'string',
		default: '={{ $json.messages?.[0]?.id ?? $json.message?.id }}',
		placeholder: 'e.g. false_905551234567@c.us_3EB0C767D82B',
		api: [],
		description:
			'The message that the agent receives as its prompt: it and all later ones are left out. By default, the message that started the workflow.',
	},
	{
		displayName: 'Max Age (Hours)',
		name: 'maxAge',
		type: 'number',
		default: 24,
		// Up to a year.
		typeOptions: { minValue: 1, maxValue: 8_760 },
		placeholder: 'e.g. 24',
		api: [],
		// A missing age would let the model read messages of any age.
		mustResolve: true,
		description: 'Older messages are left out. Without this option, messages of any age count.',
	},
];

/** The values of the memory node, as `readInput` reads them. */
export const MEMORY_INPUT = { endpoint: GET_MESSAGES, fields, options };

/** The panel of the memory node. */
export const MEMORY_PROPERTIES: INodeProperties[] = [
	{
		displayName:
			"The memory is the chat itself: what the customer, your team and your workflows wrote. Connect it to the 'Memory' input of an AI Agent node. A run of an agent remembers one chat. 'Message an Agent' takes no memory node: n8n's own Agents have a memory of theirs.",
		name: 'notice',
		type: 'notice',
		default: '',
	},
	...fields.map(withoutApi),
	{
		...COLLECTIONS.options,
		name: 'options',
		type: 'collection',
		default: {},
		options: options.map(withoutApi),
	},
];
