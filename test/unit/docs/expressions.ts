import mapValues from 'lodash/mapValues';
import {
	extractFromAICalls,
	Workflow,
	WorkflowExpression,
	type IDataObject,
	type IExecuteData,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeTypes,
	type IRunExecutionData,
} from 'n8n-workflow';

import { textOf } from './pages';
import { unconfirmedError } from '../../../nodes/MessagingChannel/api/errors';
import { failedItem } from '../../../nodes/MessagingChannel/n8n/nodeErrors';
import { BODY } from '../trigger/deliveries';

/** A value of each kind, for the fields that the package's own description of an operation's output names. */
const VALUE_OF: Record<string, unknown> = { string: 'text', integer: 1, boolean: true };

function recordOf(schema: string): Record<string, unknown> {
	const { properties } = JSON.parse(textOf(`nodes/MessagingChannel/__schema__/v1.0.0/${schema}.json`)) as {
		properties: Record<string, { type: string }>;
	};
	return Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, VALUE_OF[type]]));
}

const event = { ...(JSON.parse(BODY) as object), event_id: 'event-1', delivered_at: '2030-01-31T09:00:00Z' };

/** Items that an expression in the documentation can be about. It has to give something for one of them. */
const ITEMS: INodeExecutionData[] = [
	{
		json: {
			...event,
			message: { ...(event as unknown as { message: object }).message, timestamp: 1_895_000_000 },
		},
	},
	{
		json: { ...event, media_error: { error: 'text' } },
		binary: { data: { data: '', mimeType: 'image/jpeg', fileName: 'photo.jpg' } },
	},
	// The service does not publish what a status event holds; the examples read it in this place.
	{ json: { event: 'message.status', message: { id: '1', status: 'delivered' } } },
	// An answer of an Agent.
	{ json: { text: 'text' } },
	// A chat of the list.
	{ json: { id: '905551112233@c.us', type: 'individual' } },
	// With Per Chat.
	{ json: { text: 'Hello', messages: [(event as unknown as { message: IDataObject }).message] } },
	// Caught up.
	{ json: { event: 'message.received', fetched: true } },
	// With Find Message ID.
	{ json: { queued: true, job_id: 'job-1', to: '905551112233@c.us', message_id: '1', outcome: 'queued' } },
	// A row of somebody's sheet.
	{ json: { phone: '+90 555 111 22 33', name: 'Ada', order: '1234', base64: 'AAAA', row_number: 2 } },
	{
		json: {
			skipped: true,
			reason: "The contact has the tag 'unsubscribed'",
			to: '905551112233',
			outcome: 'skipped',
		},
	},
	failedItem(unconfirmedError({}), 0),
	{ json: { ...recordOf('broadcast/getProgress'), status: 'text' } as INodeExecutionData['json'] },
	{ json: recordOf('message/getQueue') as INodeExecutionData['json'] },
	// A contact, and what an agent says.
	{ json: { tags: ['vip'] } },
	{ json: { output: 'text' } },
	{ json: { data: { approved: true, timedOut: true, id: '1' } } },
	{ json: { id: '1' } },
];

const AT = 'Here';

/** The expressions in a text, without what stands beside them. Placeholders of templates are none. */
export function expressionsIn(text: string): string[] {
	return [...text.matchAll(/\{\{.*?\}\}/g)]
		.map(([expression]) => expression)
		.filter((one) => !isPlaceholder(one));
}

/** `{{name}}` in the content of a template: a bare word, which no expression of n8n is. */
const isPlaceholder = (text: string): boolean => /^\{\{\w+\}\}$/.test(text);

/** What is wrong with an expression: it is not one, or gives nothing for any of the items. */
export function problemsOfExpression(expression: string): string[] {
	const asked = expression.includes('$fromAI') ? extractFromAICalls(expression) : [];
	if (asked.length > 0)
		return asked.every(({ key, description }) => key && description) ? [] : ['asks for nothing'];
	const [problem] = [expression, ...fieldsIn(expression)].flatMap((one) => problemOf(one) ?? []);
	return problem === undefined ? [] : [problem];
}

/** Each field of the item that an expression reads. A comparison gives something even when its field is not there. */
function fieldsIn(expression: string): string[] {
	return [...expression.matchAll(/\$(?:json|binary)[.\w]*\(?/g)].map(([path]) => {
		const field = path.endsWith('(') ? path.slice(0, path.lastIndexOf('.')) : path;
		return `{{ ${field} }}`;
	});
}

function problemOf(expression: string): string | undefined {
	const results = ITEMS.map((item) => resultOf(expression, item));
	if (results.some(({ value }) => value !== undefined && value !== null && value !== '')) return undefined;
	return results.find(({ error }) => error !== undefined)?.error ?? `${expression} gives nothing`;
}

function resultOf(expression: string, item: INodeExecutionData): { value?: unknown; error?: string } {
	try {
		return { value: valueOf(expression, item) };
	} catch (error) {
		return { error: `${expression}: ${(error as Error).message}` };
	}
}

/**
 * What n8n makes of an expression for an item, which an earlier node of any name has put out.
 *
 * @param parameters those of the node that the expression names
 * @param others what other nodes have put out, by their names
 * @throws Error when it is no expression, or n8n refuses it
 */
export function valueOf(
	expression: string,
	item: INodeExecutionData,
	parameters: INodeParameters = {},
	others: Record<string, IDataObject[]> = {},
): unknown {
	const named = [...expression.matchAll(/\$\('([^']+)'\)/g)].map(([, name]) => String(name));
	const earlier = named.find((name) => !(name in others)) ?? 'Before';
	const outputs = { ...mapValues(others, (all) => all.map((json) => ({ json }))), [earlier]: [item] };
	const input = [{ ...item, pairedItem: { item: 0 } }];
	const source = { main: [{ previousNode: earlier }] };
	const workflow = new Workflow({
		nodes: [{ ...nodeNamed(earlier), parameters }, ...Object.keys(others).map(nodeNamed), nodeNamed(AT)],
		connections: { [earlier]: { main: [[{ node: AT, type: 'main', index: 0 }]] } },
		active: false,
		nodeTypes: { getByNameAndVersion: () => undefined } as unknown as INodeTypes,
		settings: { timezone: 'Europe/Istanbul' },
	});
	const ran = {
		resultData: {
			runData: mapValues(outputs, (items) => [
				{ startTime: 0, executionIndex: 0, executionTime: 0, source: [], data: { main: [items] } },
			]),
		},
	} as unknown as IRunExecutionData;
	const executeData = { node: nodeNamed(AT), data: { main: [input] }, source } as IExecuteData;
	return new WorkflowExpression(workflow).getParameterValue(
		`=${expression}`,
		ran,
		0,
		0,
		AT,
		input,
		'manual',
		{ $execution: { resumeUrl: 'https://n8n.example.com/webhook-waiting/1' } } as never,
		executeData,
	);
}

function nodeNamed(name: string): INode {
	return { id: name, name, type: 'test.node', typeVersion: 1, position: [0, 0], parameters: {} };
}
