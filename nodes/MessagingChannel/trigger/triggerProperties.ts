import type { INodeProperties } from 'n8n-workflow';

import { EVENT_OPTIONS } from '../fields/events';

const ifWebhookExists: INodeProperties = {
	displayName: 'If Webhook Exists',
	name: 'ifWebhookExists',
	type: 'options',
	default: 'fail',
	description: "What to do when the account's webhook already points to another address",
	options: [
		{
			name: 'Fail',
			value: 'fail',
			description: 'Leave it as it is and do not publish the workflow',
		},
		{
			name: 'Replace',
			value: 'replace',
			description: 'Point it here; the other address gets nothing any more',
		},
	],
};

const filters: INodeProperties[] = [
	{
		displayName: 'Chat Type',
		name: 'chatType',
		type: 'options',
		default: 'any',
		description: 'Which kind of chat an event has to come from to start the workflow',
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
			'Phone numbers with their country codes, or chat IDs, whose events start the workflow, separated by commas. Leave empty for all chats.',
	},
	{
		displayName: 'Ignore Own Messages',
		name: 'ignoreOwnMessages',
		type: 'boolean',
		default: true,
		description:
			"Whether to skip received messages that the account itself wrote, for example on its owner's phone",
	},
	{
		displayName: 'Message Types',
		name: 'messageTypes',
		type: 'string',
		default: '',
		placeholder: 'e.g. chat, image',
		description: 'Types of message that start the workflow, separated by commas. Leave empty for all types.',
	},
	{
		displayName: 'Statuses',
		name: 'statuses',
		type: 'multiOptions',
		default: [],
		description:
			"Statuses that start the workflow, for the event 'Message Status Changed'. Leave empty for all statuses.",
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
		"Whether to attach a message's photo, document or other file to the item, in the field 'data'. If that fails, the item holds the reason in 'media_error'.",
};

const timeoutSeconds: INodeProperties = {
	displayName: 'Timeout',
	name: 'timeoutSeconds',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 30,
	description: 'Seconds that the service waits for n8n to take an event before it delivers the event again',
};

/** What the trigger shows. The names are part of every saved workflow. */
export const TRIGGER_PROPERTIES: INodeProperties[] = [
	{
		displayName:
			'An account has one webhook. Publishing this workflow points it here; use one trigger per account.',
		name: 'notice',
		type: 'notice',
		default: '',
	},
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
		options: [...filters, downloadMedia, ifWebhookExists, timeoutSeconds].sort((a, b) =>
			a.displayName.localeCompare(b.displayName),
		),
	},
];
