import { NodeHelpers, type INodeParameters } from 'n8n-workflow';

import { MessagingChannel } from '../../../nodes/MessagingChannel/MessagingChannel.node';
import { fromList, variables } from '../../support/operations/parameters';
import { person, useEngine } from '../../support/engine/engine';

const engine = useEngine();

const template = { id: '11111111-1111-4111-8111-111111111111', name: 'order', content: 'Hello {{name}}' };
const operation = { resource: 'template', operation: 'send' };
const { description } = new MessagingChannel();

beforeEach(async () => await engine.service.control.seed({ templates: [template] }));

/** A node with a template from the list, as the editor saves it. */
const saved = (templateVariables: object, json?: string): INodeParameters => ({
	to: { __rl: true, mode: 'phone', value: person(1) },
	templateId: fromList(template.id, template.name),
	templateVariables: templateVariables as INodeParameters,
	...(json === undefined ? {} : { additionalFields: { variables: json } }),
});

/** What n8n finds missing before it starts a workflow with the node. */
const missing = (parameters: INodeParameters) => {
	const node = { id: '1', name: 'Send', type: '', typeVersion: 1, position: [0, 0] as [number, number] };
	const whole = { ...node, parameters: { ...operation, ...parameters } };
	return NodeHelpers.getNodeParametersIssues(description.properties, whole, description)?.parameters;
};

const send = async (parameters: INodeParameters) =>
	await engine.run({ operation: 'template:send', items: [{ name: 'Ada' }], parameters });

const filled = variables({ name: 'Grace' });
const empty = variables({ name: null });
const unfilled = [
	['cleared', empty],
	['never filled in', { ...empty, value: {} }],
	['never looked at', { ...empty, value: null }],
] as const;

describe.each([...unfilled, ['filled in', filled] as const])('fields that were %s', (_, fields) => {
	test.each(['={{ { name: $json.name } }}', '{ "name": "Ada" }'])(
		'give way to Variables (JSON) with %s',
		async (json) => {
			const parameters = saved(fields, json);

			expect(missing(parameters)).toBeUndefined();
			expect((await send(parameters)).error).toBeUndefined();
			expect((await engine.requests()).map(({ body }) => body)).toEqual([
				{ to: person(1), template_id: template.id, variables: { name: 'Ada' } },
			]);
		},
	);
});

describe.each([[undefined], ['{}'], ['']])('when Variables (JSON) is %j', (json) => {
	test.each(unfilled)('fields that were %s are missed before anything is sent', async (_, fields) => {
		expect((await send(saved(fields, json))).error).toMatchObject({
			message: "'Template Variables' has no value for the placeholder 'name'",
			context: { itemIndex: 0 },
		});
		expect(await engine.requests()).toEqual([]);
	});

	test('the fields are sent', async () => {
		await send(saved(filled, json));

		expect((await engine.requests()).map(({ body }) => body)).toMatchObject([
			{ variables: { name: 'Grace' } },
		]);
	});
});
