import type { INodeProperties, TriggerPanelDefinition } from 'n8n-workflow';

import { EVENT_OPTIONS } from '../fields/events';
import { catchUp, pollInterval } from './catchUp/settings';
import { maxEvents, ONLY_WEBHOOK, silence, timeoutSeconds } from './delivery/options';

const ifWebhookExists: INodeProperties = {
	displayName: 'If Webhook Exists',
	name: 'ifWebhookExists',
	type: 'options',
	default: 'fail',
	description: "What to do if the account's webhook already points to another URL",
	displayOptions: ONLY_WEBHOOK,
	options: [
		{
			name: 'Fail',
			value: 'fail',
			description: 'Keep the current webhook and do not publish the workflow',
		},
		{
			name: 'Replace',
			value: 'replace',
			description: 'Point the webhook to this workflow. The other URL stops receiving events.',
		},
		{
			name: 'Share',
			value: 'share',
			description:
				'Point the webhook to this workflow, which forwards every event to the other URL unchanged. A secret in that URL becomes readable in the registered URL, and so in access logs.',
		},
	],
};

const filters: INodeProperties[] = [
	{
		displayName: 'Chat Type',
		name: 'chatType',
		type: 'options',
		default: 'any',
		description: 'Type of chat whose events start the workflow',
		options: [
			{ name: 'Any', value: 'any' },
			{ name: 'Group', value: 'group' },
			{ name: 'Individual', value: 'individual' },
		],
	},
	{
		displayName: 'Chats',
		name: 'chats',
		type: 'string',
		default: '',
		placeholder: 'e.g. +90 555 111 22 33, 905551112244@c.us',
		description:
			'Phone numbers with country codes, or chat IDs, whose events start the workflow, separated by commas. Leave empty for all chats.',
	},
	{
		displayName: 'Ignore Own Messages',
		name: 'ignoreOwnMessages',
		type: 'boolean',
		default: true,
		description:
			"Whether to ignore received messages that the account itself sent, for example from its owner's phone",
	},
	{
		displayName: 'Keywords',
		name: 'keywords',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Keyword' },
		default: '',
		placeholder: 'e.g. price',
		description:
			'Words or phrases. A message starts the workflow only if its text or caption has one of them. Whole words count; capital letters and accents do not matter. Commas separate several. Other events than received messages start it as usual. To react only when the account is mentioned, enter its phone number with the country code.',
	},
	{
		displayName: 'Message Types',
		name: 'messageTypes',
		type: 'string',
		default: '',
		placeholder: 'e.g. chat, image',
		description:
			"Types of messages that start the workflow, as in 'message.type' of an event, separated by commas. Texts have the type 'chat'. Leave empty for all types.",
	},
	{
		displayName: 'Statuses',
		name: 'statuses',
		type: 'multiOptions',
		default: [],
		description:
			"Statuses that start the workflow, for the event 'Message Status Changed'. Leave empty for all statuses.",
		displayOptions: { ...ONLY_WEBHOOK, show: { '/events': ['message.status'] } },
		options: [
			{ name: 'Delivered', value: 'delivered' },
			{ name: 'Read', value: 'read' },
		],
	},
];

const downloadMedia: INodeProperties = {
	displayName: 'Download Media',
	name: 'downloadMedia',
	type: 'boolean',
	default: false,
	description:
		"Whether to attach the media file of a message to the item, in the binary field 'data'. If the download fails, the item has the reason in 'media_error'. An item with several messages has a field for each file, which the message names in 'media_field'.",
};

const combineEvents: INodeProperties[] = [
	{
		displayName: 'Combine Events',
		name: 'combineEvents',
		type: 'options',
		displayOptions: ONLY_WEBHOOK,
		default: 'never',
		description:
			"Whether one execution takes several events. 'When Busy' suits many status events, for example after a broadcast, and 'Per Chat' suits AI agents. Retrying an execution runs all of its events again, and one event that fails makes the execution fail.",
		options: [
			{
				name: 'Never',
				value: 'never',
				description: 'Start an execution for each event',
			},
			{
				name: 'When Busy',
				value: 'whenBusy',
				description:
					"Start the next execution with all events that arrived while n8n stored the last one or just after, an item for each. 'Message an Agent' then needs 'Invoke Agent' set to 'Once Per Item', or it answers only the first.",
			},
			{
				name: 'Per Chat',
				value: 'perChat',
				description:
					'Wait until the chat is silent, and start one execution with one item for its messages. Other events start an execution each, at once.',
			},
		],
	},
	maxEvents,
	silence,
];

const takeAnswers: INodeProperties = {
	displayName: 'Take Answers',
	name: 'takeAnswers',
	type: 'boolean',
	default: false,
	description:
		"Whether to hand replies to the waiting questions of 'Send and Wait for Response', with its option 'Answer in Chat'. Other messages start the workflow as usual. For each text that arrives, whatever the filters say, an execution starts and reads the chat once, which needs the permission 'messages:read' and uses the rate limit.",
};

const TEST_HELP =
	"<b>While you build the workflow</b>, click the 'Execute step' button and wait for an event. It appears here. If none comes within 20 seconds, the latest received message does, marked as 'fetched'; with 'Polling', it appears at once. Published workflows keep receiving their events meanwhile.<br><br>";

/** What the editor shows beside the parameters. */
export const TRIGGER_PANEL: TriggerPanelDefinition = {
	header: 'Receive a test event',
	executionsHelp: {
		active: `${TEST_HELP}<b>The workflow is published</b>, so each event starts it, too. These runs are in the <a data-key="executions">list of executions</a>.`,
		inactive: `${TEST_HELP}<b>When the workflow is ready</b>, publish it. Then each event starts it. These runs are in the <a data-key="executions">list of executions</a>.`,
	},
	activationHint: {
		active: 'Each event starts the workflow, too. You find these runs in the list of executions.',
		inactive:
			'When the workflow is ready, publish it. Then each event starts it, and you find the runs in the list of executions.',
	},
};

/** The parameters of the trigger. Saved workflows contain their names, so these must not change. */
export const TRIGGER_PROPERTIES: INodeProperties[] = [
	{
		displayName:
			"An account has only one webhook. All workflows of this n8n share it. If it points to another system, choose what to do with the option 'If Webhook Exists'. The credential needs the signing secret. If events do not arrive, run Account > Check Setup.",
		name: 'notice',
		type: 'notice',
		default: '',
		displayOptions: { hide: { listen: ['poll'] } },
	},
	{
		displayName: 'Listen By',
		name: 'listen',
		type: 'options',
		noDataExpression: true,
		default: 'webhook',
		description: 'How the events come to n8n',
		options: [
			{
				name: 'Polling',
				value: 'poll',
				description:
					'Ask the service for received messages again and again. n8n needs no public URL. Other events are not available.',
			},
			{
				name: 'Webhook',
				value: 'webhook',
				description:
					'Have the service call n8n at once. This needs a public https URL and the signing secret.',
			},
		],
	},
	pollInterval,
	{
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		default: ['message.received'],
		required: true,
		description: 'Events that start the workflow',
		options: EVENT_OPTIONS,
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [
			...filters,
			catchUp,
			...combineEvents,
			downloadMedia,
			ifWebhookExists,
			takeAnswers,
			timeoutSeconds,
		].sort((a, b) => a.displayName.localeCompare(b.displayName)),
	},
];
