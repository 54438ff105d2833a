import groupBy from 'lodash/groupBy';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { MessagingChannelApi } from '../../credentials/MessagingChannelApi.credentials';
import { resources } from '../../nodes/MessagingChannel/actions';
import { MessagingChannel } from '../../nodes/MessagingChannel/MessagingChannel.node';
import { MessagingChannelTrigger } from '../../nodes/MessagingChannel/MessagingChannelTrigger.node';
import { operations } from '../support/operations';
import { OPERATIONS, OWN_OPERATIONS } from './contract/operations';
import { PARAMETERS, SENDING_OPTIONS, SHARED_OPTIONS } from './contract/parameters';
import { fieldsIn, properties, shownFor } from './shownFor';

const EVERY_OPERATION = [...OPERATIONS, ...OWN_OPERATIONS];

/** How the code marks what the service does not publish. */
const INFERRED = { specified: undefined, partly: 'body', inferred: 'endpoint' } as const;

const CREDENTIAL = new MessagingChannelApi();

const COLLECTIONS = ['filters', 'additionalFields', 'updateFields', 'options'] as const;

const words = (text = ''): string[] => text.split(' ').filter(Boolean);
const names = (fields: INodeProperties[]): string[] => fields.map(({ name }) => name);
const sorted = (texts: string[]): string[] => [...texts].sort();
const isSelector = ({ name }: INodeProperties): boolean => name === 'resource' || name === 'operation';

describe('names of the package', () => {
	test('the nodes', () => {
		expect(new MessagingChannel().description).toMatchObject({
			name: 'messagingChannel',
			displayName: 'Messaging Channel',
			version: 1,
			credentials: [{ name: 'messagingChannelApi', required: true }],
		});
		expect(new MessagingChannelTrigger().description).toMatchObject({
			name: 'messagingChannelTrigger',
			displayName: 'Messaging Channel Trigger',
			version: 1,
			credentials: [{ name: 'messagingChannelApi', required: true }],
		});
	});

	test('the credential', () => {
		expect(CREDENTIAL).toMatchObject({
			name: 'messagingChannelApi',
			displayName: 'Messaging Channel API',
		});
		expect(names(CREDENTIAL.properties)).toEqual(['baseUrl', 'apiKey', 'signingSecret']);
	});
});

describe('resources and operations', () => {
	const selectorOf = (name: string, resource?: string): string[] => {
		const selector = properties.find(
			(property) =>
				property.name === name &&
				(resource === undefined || property.displayOptions?.show?.resource?.includes(resource)),
		);
		return sorted(((selector?.options ?? []) as INodePropertyOptions[]).map(({ value }) => String(value)));
	};
	const byResource = groupBy(EVERY_OPERATION, ([resource]) => resource);

	test('there are 53 operations of 12 resources, and one of the node alone', () => {
		expect([OPERATIONS.length, OWN_OPERATIONS.length]).toEqual([53, 1]);
		expect(selectorOf('resource')).toEqual(sorted(Object.keys(byResource)));
		expect(Object.keys(byResource)).toHaveLength(12);
	});

	test.each(Object.entries(byResource))('%s has its operations and no other', (resource, rows) => {
		expect(selectorOf('operation', resource)).toEqual(sorted(rows.map(([, operation]) => operation)));
	});

	test.each(EVERY_OPERATION)(
		'%s.%s calls %s, which is %s',
		(resourceValue, operationValue, call, published) => {
			const found = resources
				.find(({ value }) => value === resourceValue)
				?.operations.find(({ value }) => value === operationValue)?.endpoint;
			expect(`${found?.method} ${found?.path}`).toBe(call);
			expect(found?.inferred).toBe(INFERRED[published]);
		},
	);

	test('each call of the service has its cases, marked alike', () => {
		const ofCases = operations.map(({ resource, operation, inferred }) => [
			resource,
			operation,
			inferred?.what,
		]);
		const ofContract = OPERATIONS.map(([resource, operation, , published]) => [
			resource,
			operation,
			INFERRED[published],
		]);
		expect(ofCases.sort()).toEqual(ofContract.sort());
	});
});

describe.each(EVERY_OPERATION)('parameters of %s.%s', (resource, operation) => {
	const wanted = PARAMETERS[`${resource}.${operation}`];
	const shown = shownFor(resource, operation);
	const isCollection = ({ name }: INodeProperties): boolean => COLLECTIONS.some((known) => known === name);

	test('the panel', () => {
		expect(names(shown.filter((field) => !isCollection(field)))).toEqual(words(wanted?.panel));
	});

	test.each(COLLECTIONS)('%s', (collection) => {
		const property = shown.find(({ name }) => name === collection);
		const sends = resources
			.find(({ value }) => value === resource)
			?.operations.find(({ value }) => value === operation)?.endpoint.sends;
		const shared = collection === 'options' ? [...SHARED_OPTIONS, ...(sends ? SENDING_OPTIONS : [])] : [];
		const expected = [...words(wanted?.[collection]), ...shared];
		expect(sorted(names(property ? fieldsIn(property) : []))).toEqual(sorted(expected));
	});
});

describe('the panel as a whole', () => {
	const own = properties.filter((property) => !isSelector(property));

	test('everything is shown for exactly one operation, which exists', () => {
		const known = new Set(EVERY_OPERATION.map(([resource, operation]) => `${resource}.${operation}`));
		for (const { displayOptions } of own) {
			const { resource = [], operation = [] } = displayOptions?.show ?? {};
			expect([resource.length, operation.length]).toEqual([1, 1]);
			expect(known).toContain(`${String(resource[0])}.${String(operation[0])}`);
		}
	});

	test.each(EVERY_OPERATION)('%s.%s depends on nothing but its own fields', (resource, operation) => {
		const shown = shownFor(resource, operation);
		for (const { displayOptions } of shown) {
			const neighbours = Object.keys(displayOptions?.show ?? {}).filter(
				(name) => name !== 'resource' && name !== 'operation',
			);
			expect(names(shown)).toEqual(expect.arrayContaining(neighbours));
		}
	});

	test.each(EVERY_OPERATION)('%s.%s has no two fields of one name', (resource, operation) => {
		const shown = shownFor(resource, operation);
		for (const fields of [shown, ...shown.map(fieldsIn)]) {
			expect(names(fields)).toEqual([...new Set(names(fields))]);
		}
	});

	test.each(EVERY_OPERATION)('%s.%s lists optional fields in alphabetical order', (resource, operation) => {
		for (const collection of shownFor(resource, operation).filter(({ type }) => type === 'collection')) {
			const labels = fieldsIn(collection).map(({ displayName }) => displayName);
			expect(labels.length).toBeGreaterThan(0);
			expect(labels).toEqual([...labels].sort((one, other) => one.localeCompare(other)));
		}
	});

	test('recipients, chats, phones and templates are chosen from a list or typed', () => {
		const modes = Object.fromEntries(
			own
				.filter(({ type }) => type === 'resourceLocator')
				.map(({ name, displayOptions, modes: list = [] }) => [
					`${name} of ${String(displayOptions?.show?.resource)}.${String(displayOptions?.show?.operation)}`,
					list.map(({ name: mode }) => mode),
				]),
		);
		expect(modes).toMatchObject({
			'to of message.send': ['list', 'phone', 'id'],
			'chatId of chat.getMessages': ['list', 'id'],
			'phone of contact.get': ['list', 'phone'],
			'templateId of template.get': ['list', 'id'],
			'templateId of template.send': ['list', 'id', 'name'],
		});
	});
});

describe('the trigger', () => {
	const ofTrigger = new MessagingChannelTrigger().description.properties;
	const named = (name: string): INodeProperties | undefined =>
		ofTrigger.find((property) => property.name === name);

	test('events', () => {
		expect(named('events')).toMatchObject({ type: 'multiOptions', default: ['message.received'] });
	});

	test.each([
		['ifWebhookExists', 'fail'],
		['ignoreOwnMessages', true],
		['chatType', 'any'],
		['chats', ''],
		['messageTypes', ''],
		['statuses', []],
		['downloadMedia', false],
		['timeoutSeconds', 30],
	])('option %s is %j unless the user says otherwise', (name, value) => {
		const options = named('options');
		const option = options && fieldsIn(options).find((field) => field.name === name);
		expect(option?.default).toEqual(value);
	});
});
