import mapValues from 'lodash/mapValues';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { MessagingChannelApi } from '../../credentials/MessagingChannelApi.credentials';
import { MessagingChannel } from '../../nodes/MessagingChannel/MessagingChannel.node';
import { MessagingChannelMemory } from '../../nodes/MessagingChannel/MessagingChannelMemory.node';
import { MessagingChannelTrigger } from '../../nodes/MessagingChannel/MessagingChannelTrigger.node';
import { COLLECTIONS } from '../../nodes/MessagingChannel/operation/collections';
import { PARAMETERS } from './contract/parameters';
import { fieldsIn, properties, shownFor } from './shownFor';

const words = (text: string): string[] => text.split(' ').filter(Boolean);
const names = (fields: INodeProperties[]): string[] => fields.map(({ name }) => name);

const idOf = ({ displayOptions }: INodeProperties): string => {
	const { resource = [], operation = [] } = displayOptions?.show ?? {};
	return [...resource, ...operation].join('.');
};

test('the nodes and the credential keep their names', () => {
	const credentials = [{ name: 'messagingChannelApi', required: true }];
	expect(new MessagingChannel().description).toMatchObject({
		name: 'messagingChannel',
		displayName: 'Messaging Channel',
		version: 1,
		credentials,
	});
	expect(new MessagingChannelTrigger().description).toMatchObject({
		name: 'messagingChannelTrigger',
		displayName: 'Messaging Channel Trigger',
		version: 2,
		credentials,
	});
	expect(new MessagingChannelMemory().description).toMatchObject({
		name: 'messagingChannelMemory',
		displayName: 'Messaging Channel Chat Memory',
		version: 1,
		credentials,
	});
	const credential = new MessagingChannelApi();
	expect(credential).toMatchObject({ name: 'messagingChannelApi', displayName: 'Messaging Channel API' });
	expect(names(credential.properties)).toEqual(['baseUrl', 'apiKey', 'signingSecret', 'allowedRecipients']);
});

test('the panel offers the operations of the contract and no other', () => {
	const valuesOf = ({ options = [] }: INodeProperties) =>
		(options as INodePropertyOptions[]).map(({ value }) => String(value));
	const selectors = properties.filter(({ name }) => name === 'operation');
	const offered = selectors.flatMap((selector) =>
		valuesOf(selector).map((operation) => `${idOf(selector)}.${operation}`),
	);
	expect(offered.sort()).toEqual(Object.keys(PARAMETERS).sort());
	const [resource] = properties.filter(({ name }) => name === 'resource');
	expect(resource && valuesOf(resource).sort()).toEqual(selectors.map(idOf).sort());
});

describe.each(Object.entries(PARAMETERS))('%s', (id, { panel, ...collections }) => {
	const [resource = '', operation = ''] = id.split('.');
	const shown = shownFor(resource, operation);
	const isCollection = ({ name }: INodeProperties) => name in COLLECTIONS;
	const shownCollections = shown.filter(isCollection);

	test('has the parameters of the contract and no other', () => {
		expect(names(shown.filter((field) => !isCollection(field)))).toEqual(words(panel));
		expect(
			Object.fromEntries(shownCollections.map((each) => [each.name, names(fieldsIn(each)).sort()])),
		).toEqual(mapValues(collections, (fields = '') => words(fields).sort()));
	});

	test('has every name once, and nothing that shows by a field that it has not', () => {
		for (const fields of [shown, ...shown.map(fieldsIn)])
			expect(names(fields)).toEqual([...new Set(names(fields))]);
		const neighbours = shown.flatMap(({ displayOptions }) => Object.keys(displayOptions?.show ?? {}));
		expect(['resource', 'operation', '@tool', ...names(shown)]).toEqual(expect.arrayContaining(neighbours));
	});
});

test('everything on the panel belongs to exactly one operation', () => {
	const own = properties.filter(({ name }) => name !== 'resource' && name !== 'operation');
	expect(Object.keys(PARAMETERS)).toEqual(expect.arrayContaining(own.map(idOf)));
});

test('recipients, chats, phones and templates are chosen from a list or typed', () => {
	const locators = properties.filter(({ type }) => type === 'resourceLocator');
	const modes = locators.map((field): [string, string[]] => [
		`${field.name} of ${idOf(field)}`,
		(field.modes ?? []).map(({ name }) => name),
	]);
	expect(Object.fromEntries(modes)).toMatchObject({
		'to of message.send': ['list', 'phone', 'id'],
		'chatId of chat.getMessages': ['list', 'id'],
		'phone of contact.get': ['list', 'phone'],
		'templateId of template.get': ['list', 'id'],
		'templateId of template.send': ['list', 'id', 'name'],
	});
});

test('the memory keeps its parameters and their defaults', () => {
	const { properties: fields } = new MessagingChannelMemory().description;
	const inOptions = fields.flatMap(fieldsIn);
	expect(names([...fields, ...inOptions])).toEqual([
		'notice',
		'chatId',
		'contextWindowLength',
		'options',
		'excludeMessageId',
		'maxAge',
	]);
	expect(fields.find(({ name }) => name === 'contextWindowLength')?.default).toBe(10);
	expect(fields.find(({ name }) => name === 'chatId')).toMatchObject({
		type: 'resourceLocator',
		default: { mode: 'id', value: expect.stringMatching(/^={{ \$json\.chat\?\.id /) },
	});
});

test('the trigger keeps its parameters and their defaults', () => {
	const { properties: fields } = new MessagingChannelTrigger().description;
	const [events, options] = ['events', 'options'].map((wanted) => fields.find(({ name }) => name === wanted));
	expect(events).toMatchObject({ type: 'multiOptions', default: ['message.received'] });
	const [listen, interval] = ['listen', 'pollInterval'].map((wanted) =>
		fields.find(({ name }) => name === wanted),
	);
	expect(listen).toMatchObject({ type: 'options', default: 'webhook' });
	expect(interval).toMatchObject({ type: 'number', default: 15 });
	const defaults = options && fieldsIn(options).map(({ name, default: value }) => [name, value]);
	expect(Object.fromEntries(defaults ?? [])).toEqual({
		ifWebhookExists: 'fail',
		ignoreOwnMessages: true,
		chatType: 'any',
		chats: '',
		keywords: '',
		messageTypes: '',
		statuses: [],
		combineEvents: 'never',
		maxEvents: 100,
		silence: 3,
		catchUp: 720,
		downloadMedia: false,
		takeAnswers: false,
		timeoutSeconds: 30,
	});
});
