import mapValues from 'lodash/mapValues';
import omit from 'lodash/omit';
import pick from 'lodash/pick';

import { resources } from '../../nodes/MessagingChannel/actions';
import type { Field, Operation } from '../../nodes/MessagingChannel/operation/operation';
import { factsFromDescription, publishedDefaults } from './agreement/fromDescription';
import { apiNames, factsFromOperations, factsOfOperation } from './agreement/fromOperations';
import type { OperationFacts } from './agreement/operationFacts';

/** Where the description lists values that the specification does not: the user may enter others. */
const FREE_TEXT = new Set(['contact.getAll.sort_by']);

const described = factsFromDescription();
const defaults = publishedDefaults();
/** An operation that asks is the service's send, and the rest of it is ours. */
const ofService = resources.map((resource) => ({
	...resource,
	operations: resource.operations.filter(({ interaction }) => !interaction),
}));
const ours = factsFromOperations(ofService);

function operationOf(id: string): Operation {
	const [resourceValue, operationValue] = id.split('.');
	const operation = resources
		.find(({ value }) => value === resourceValue)
		?.operations.find(({ value }) => value === operationValue);
	if (!operation) throw new Error(`There is no operation ${id}`);
	return operation;
}

/** The facts with nothing in them that the two sides may say differently. */
function comparable(id: string, { fields, ...facts }: OperationFacts): OperationFacts {
	return {
		...facts,
		fields: mapValues(fields, (field, name) =>
			FREE_TEXT.has(`${id}.${name}`) ? omit(field, 'choices') : field,
		),
	};
}

/** The description as the panel may show it: a field that comes filled in with the service's own default may be required. */
function asShown(id: string, facts: OperationFacts, shown: OperationFacts): OperationFacts {
	const fields = mapValues(facts.fields, (field, name) =>
		shown.fields[name]?.required === true && isPrefilled(id, name) ? { ...field, required: true } : field,
	);
	return { ...facts, fields };
}

function isPrefilled(id: string, name: string): boolean {
	const field = (operationOf(id).fields ?? []).find((candidate) => candidate.name === name);
	const published = defaults.get(`${id}.${name}`);
	return published !== undefined && JSON.stringify(field?.default) === JSON.stringify(published);
}

function expectAgreement(id: string, operation: OperationFacts): void {
	const description = described[id];
	if (!description) throw new Error(`The description has no ${id}`);
	expect(comparable(id, operation)).toEqual(comparable(id, asShown(id, description, operation)));
}

test('both sides have the same operations', () => {
	expect(Object.keys(ours).sort()).toEqual(Object.keys(described).sort());
});

test.each(Object.keys(described))('%s is described as it is called', (id) => {
	expectAgreement(id, factsOfOperation(operationOf(id)));
});

test('what asks sends a message as Message > Send does, with nothing else in it', () => {
	const asking = resources.flatMap(({ operations }) => operations.filter(({ interaction }) => interaction));
	expect(asking).toHaveLength(1);
	for (const operation of asking) {
		const { fields, ...facts } = factsOfOperation(operation);
		const { fields: described, ...send } = factsOfOperation(operationOf('message.send'));
		expect({ ...facts, fields }).toEqual({ ...send, fields: pick(described, ['to', 'message']) });
	}
});

test('no two fields of one operation fill the same field of the service by chance', () => {
	const shared = resources.flatMap((resource) =>
		resource.operations.flatMap((operation) => {
			const top = (operation.fields ?? []).flatMap(apiNames);
			return top
				.filter((name, index) => top.indexOf(name) !== index)
				.map((name) => `${resource.value}.${operation.value}.${name}`);
		}),
	);
	expect(shared).toEqual([]);
});

test('every exception is still one', () => {
	for (const exception of FREE_TEXT) {
		const [resource, operation, field] = exception.split('.');
		const id = `${resource}.${operation}`;
		expect(described[id]?.fields[String(field)]?.choices).toBeDefined();
		expect(ours[id]?.fields[String(field)]?.choices).toBeUndefined();
	}
});

describe('the comparison sees', () => {
	const send = operationOf('message.send');
	const [to, message] = send.fields ?? [];
	const withFields = (...fields: Array<Field | undefined>): Operation => ({
		...send,
		fields: fields.filter((field) => field !== undefined),
	});
	const set = operationOf('webhook.set');
	const [url, events] = set.fields ?? [];

	const changes: Array<[string, string, Operation]> = [
		['another path', 'message.send', { ...send, endpoint: { ...send.endpoint, path: '/messages/sent' } }],
		['another method', 'message.send', { ...send, endpoint: { ...send.endpoint, method: 'PUT' } }],
		[
			'another permission',
			'message.send',
			{ ...send, endpoint: { ...send.endpoint, permission: 'chats:write' } },
		],
		['a wrong mark', 'message.send', { ...send, endpoint: { ...send.endpoint, inferred: 'body' } }],
		['a field that is gone', 'message.send', withFields(to)],
		['an option that is gone', 'message.send', { ...send, options: [] }],
		[
			'an optional field that the service requires',
			'message.send',
			withFields(to, { ...message!, required: false }),
		],
		[
			'a required field that the service does not need',
			'media.send',
			{
				...operationOf('media.send'),
				fields: [...(operationOf('media.send').fields ?? []), { ...message!, name: 'caption' }],
			},
		],
		['a field of ours alone', 'message.send', withFields(to, message, { ...message!, name: 'subject' })],
		[
			'another choice',
			'webhook.set',
			{
				...set,
				fields: [url!, { ...events!, options: [{ name: 'Read', value: 'message.read' }] }],
			},
		],
		[
			'pages that are not followed',
			'contact.getAll',
			{ ...operationOf('contact.getAll'), pagination: 'none' },
		],
		[
			'a form without its file',
			'media.send',
			{
				...operationOf('media.send'),
				request: ({ parameters }) => ({ parameters }),
			},
		],
	];

	test.each(changes)('%s', (_, id, changed) => {
		expect(() => expectAgreement(id, factsOfOperation(changed))).toThrow();
	});
});
