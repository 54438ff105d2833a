import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

import type { Field, Operation, Resource } from '../../../nodes/MessagingChannel/operation/operation';
import { nodePropertiesOf } from '../../../nodes/MessagingChannel/operation/nodeProperties';

const operation = (more: Partial<Operation> = {}): Operation => ({
	value: 'create',
	name: 'Create',
	action: 'Create tag',
	description: 'Create a label',
	endpoint: { method: 'POST', path: '/tags', permission: 'chats:write' },
	...more,
});

const resource = (...operations: Operation[]): Resource => ({ value: 'tag', name: 'Tag', operations });

const name = { displayName: 'Name', name: 'name', type: 'string', default: '' } as const;

const of = (more: Partial<Operation>) => nodePropertiesOf([resource(operation(more))]);

const property = (properties: INodeProperties[], wanted: string) =>
	properties.find((candidate) => candidate.name === wanted);

const optionNames = ({ options = [] }: INodeProperties) =>
	(options as Array<INodeProperties | INodePropertyOptions | INodePropertyCollection>).map(
		(option) => option.name,
	);

test('the selectors come first, in the order given', () => {
	const properties = nodePropertiesOf([
		resource(operation(), operation({ value: 'getAll', name: 'Get Many' })),
	]);
	expect(properties[0]).toEqual({
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		default: 'tag',
		options: [{ name: 'Tag', value: 'tag' }],
	});
	expect(properties[1]).toEqual({
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		default: 'create',
		displayOptions: { show: { resource: ['tag'] } },
		options: [
			{ name: 'Create', value: 'create', action: 'Create tag', description: 'Create a label' },
			{ name: 'Get Many', value: 'getAll', action: 'Create tag', description: 'Create a label' },
		],
	});
});

test('a field shows for its operation, and when its neighbour has the right value', () => {
	const properties = of({ fields: [{ ...name, displayOptions: { show: { by: ['name'] } } }] });
	expect(property(properties, 'name')?.displayOptions).toEqual({
		show: { resource: ['tag'], operation: ['create'], by: ['name'] },
	});
});

test('keys of the model do not reach n8n', () => {
	const ofModel: Omit<Required<Field>, keyof INodeProperties | 'isHidden'> = {
		api: ['x'],
		list: true,
		acceptsFile: true,
		mustResolve: true,
		mustBeWhole: true,
		readLast: true,
		readsEmpty: true,
		refusesModel: true,
		toApi: () => ({}),
	};
	const properties = of({ fields: [{ ...name, ...ofModel }] });
	expect(Object.keys(property(properties, 'name') ?? {})).toEqual([
		'displayName',
		'name',
		'type',
		'default',
		'displayOptions',
	]);
});

test('a required field in a collection is optional for n8n, which would require it even where it was not added', () => {
	const collection = property(of({ additionalFields: [{ ...name, required: true }] }), 'additionalFields');
	expect(collection).toMatchObject({ placeholder: 'Add Field', type: 'collection', default: {} });
	expect(collection?.options).toEqual([name]);
});

test('a Get Many has Return All and Limit, which hides with it', () => {
	const properties = of({ pagination: 'page' });
	expect(property(properties, 'returnAll')).toMatchObject({ default: false });
	expect(property(properties, 'limit')?.displayOptions?.show).toMatchObject({ returnAll: [false] });
	expect(property(of({}), 'returnAll')).toBeUndefined();
});

const SHARED = ['maxAttempts', 'maxConcurrency', 'maxRateLimitWait'];

test.each([
	['an operation with fields', { value: 'get', fields: [name] }, SHARED],
	['a list', { value: 'getAll', pagination: 'page' as const }, SHARED],
	['a create', { fields: [name] }, [...SHARED, 'requestId']],
	[
		'a send',
		{ value: 'send', fields: [name], endpoint: { ...operation().endpoint, sends: 'text' as const } },
		['afterAmbiguousSend', ...SHARED, 'pauseWhenQueueAbove', 'requestId'],
	],
	[
		'an inferred create',
		{ fields: [name], endpoint: { ...operation().endpoint, inferred: 'endpoint' as const } },
		['bodyFields', 'endpointPath', ...SHARED, 'requestId'],
	],
])('%s has its options, in alphabetical order', (_, more, names) => {
	const options = property(of(more), 'options');
	expect(options && optionNames(options)).toStrictEqual(names);
	expect(options?.type).toBe('collection');
	expect(JSON.stringify(options)).not.toContain('hidden');
});

const hidden = SHARED.map((option) => expect.objectContaining({ name: option, type: 'hidden' }) as unknown);

test('without fields, the options for many requests are read, and not offered', () => {
	expect(property(of({ value: 'get' }), 'options')).toMatchObject({ type: 'hidden', options: hidden });
	const sends = { ...operation().endpoint, sends: 'text' as const };
	const interaction = { interaction: jest.fn(), fields: [name], endpoint: sends };
	const options = property(of(interaction), 'options');
	expect(options).toMatchObject({ type: 'collection', options: expect.arrayContaining(hidden) });
	expect(options?.options).toContainEqual(
		expect.objectContaining({ name: 'pauseWhenQueueAbove', type: 'number' }),
	);
});

test('an inferred call says so in one notice, an own notice stands before it', () => {
	const notices = of({
		notice: 'Mind this.',
		endpoint: { ...operation().endpoint, inferred: 'body' },
	}).filter(({ type }) => type === 'notice');
	const all = {
		name: 'notice',
		type: 'notice',
		default: '',
		displayOptions: { show: { resource: ['tag'], operation: ['create'] } },
	};
	expect(notices).toEqual([
		{ ...all, displayName: 'Mind this.' },
		{ ...all, displayName: expect.stringContaining('correct its fields') as string },
	]);
});
