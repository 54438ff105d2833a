import mapValues from 'lodash/mapValues';
import omit from 'lodash/omit';

import { resources } from '../../nodes/MessagingChannel/actions';
import type { Operation } from '../../nodes/MessagingChannel/operation/operation';
import { operations as cases } from '../support/operations';
import { factsFromDescription, publishedDefaults } from './agreement/fromDescription';
import { apiNames, factsOfOperation, type OperationFacts } from './agreement/fromOperations';

/** Where the description lists values that the specification does not: the user may enter others. */
const FREE_TEXT = 'contact.getAll.sort_by';

const described = factsFromDescription();
const defaults = publishedDefaults();

/** Every operation of the service by its id. What waits for an answer is the service's send, and a report makes several requests. */
const operations = new Map(
	resources.flatMap(({ value, operations: own }) =>
		own
			.filter(({ interaction, report }) => !interaction && !report)
			.map((operation): [string, Operation] => [`${value}.${operation.value}`, operation]),
	),
);

test('the service, the node and the cases have the same operations', () => {
	const ids = Object.keys(described).sort();
	expect([...operations.keys()].sort()).toEqual(ids);
	expect(cases.map(({ resource, operation }) => `${resource}.${operation}`).sort()).toEqual(ids);
});

test.each([...operations])('%s is described as it is called', (id, operation) => {
	const facts = factsOfOperation(operation);
	const isPrefilled = (name: string) => {
		const field = operation.fields?.find((candidate) => candidate.name === name);
		return field?.required && JSON.stringify(field.default) === JSON.stringify(defaults.get(`${id}.${name}`));
	};
	const comparable = ({ fields, ...others }: OperationFacts) => ({
		...others,
		fields: mapValues(fields, (field, name) => ({
			...(`${id}.${name}` === FREE_TEXT ? omit(field, 'choices') : field),
			// The panel may require a field that comes filled in with the service's own default.
			...(isPrefilled(name) && { required: true }),
		})),
	});

	expect(comparable(facts)).toEqual(comparable(described[id] as OperationFacts));
});

test.each([...operations])('%s has no two fields for the same field of the service', (_, { fields = [] }) => {
	const names = fields.flatMap(apiNames);
	expect(names).toEqual([...new Set(names)]);
});
