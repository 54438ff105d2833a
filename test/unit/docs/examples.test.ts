// cspell:ignore Отчёт Abmelden Çıkış
import get from 'lodash/get';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
	executeFilter,
	type FilterValue,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
} from 'n8n-workflow';

import { chatItemOf } from '../../../nodes/MessagingChannel/trigger/combining/chatItem';
import { valueOf } from './expressions';
import { root, textOf } from './pages';

interface Rule {
	conditions: FilterValue;
	outputKey: string;
}

const nodesOf = (example: string) => (JSON.parse(textOf(`examples/${example}`)) as { nodes: INode[] }).nodes;

/** A value among the parameters of a node of an example. */
const valueAt = <T>(example: string, node: string, path: string) =>
	get(nodesOf(`${example}.json`).find(({ name }) => name === node)?.parameters, path) as T;

/** The output of a Switch node that an item goes to: that of the first rule that it meets. */
function outputOf(example: string, node: string, ...[json, ...others]: [IDataObject, ...Others]) {
	const rules = valueAt<Rule[]>(example, node, 'rules.values');
	return rules.find(({ conditions }) => meets({ json }, conditions, ...others))?.outputKey;
}

type Others = [parameters?: INodeParameters, others?: Record<string, IDataObject[]>];

/**
 * Whether an item meets the conditions of a node. It stands for the items of all earlier nodes but the others.
 *
 * @param parameters those of the node that the conditions name
 * @param others what other nodes have put out
 */
function meets(
	item: INodeExecutionData,
	conditions: FilterValue,
	parameters?: INodeParameters,
	others?: Record<string, IDataObject[]>,
): boolean {
	const resolved = (value: unknown) =>
		String(value).startsWith('=')
			? (valueOf(String(value).slice(1), item, parameters, others) as string)
			: (value as string);
	const resolvedConditions = conditions.conditions.map((condition) => ({
		...condition,
		leftValue: resolved(condition.leftValue),
		rightValue: resolved(condition.rightValue),
	}));
	return executeFilter({ ...conditions, conditions: resolvedConditions });
}

const line = (id: string) => ({ id, from_me: false });
const own = (id: string) => ({ id, from_me: true });

// Two messages of one second can arrive in any order.
test.each([
	['is one of its messages', [line('first')], true],
	['is not among its messages', [line('third'), line('second'), line('first')], false],
	["is a colleague's", [own('third'), line('second'), line('first')], false],
	['answers earlier lines, late', [own('answer'), line('second'), line('first'), line('zero')], true],
])('the AI agent answers only if the latest message of the chat %s', (_, chat, answers) => {
	const item = { json: { messages: [{ id: 'first' }, { id: 'second' }] } };
	const conditions = valueAt<FilterValue>('ai-agent', 'Nobody wrote meanwhile?', 'conditions');
	expect(meets(item, conditions, {}, { 'Latest message': chat })).toBe(answers);
});

const created = { id: 'broadcast-1', outcome: 'queued' };
const refused = { error: 'No permission', code: 'forbidden', httpStatus: 403, outcome: 'not_sent' };
const optedOut = { skipped: true, reason: 'The contact has a tag', outcome: 'skipped' };
const noNumber = { error: 'No number', code: 'validation_error', httpStatus: null, outcome: 'not_sent' };
const before = { already_sent: true, outcome: 'already_sent' };

test.each<[string, IDataObject, IDataObject[], string | undefined]>([
	['a new broadcast', created, [optedOut, noNumber], 'created'],
	['a row that is left out of it', optedOut, [created, noNumber], 'left out'],
	['a row without a number', noNumber, [created, optedOut], 'left out'],
	['a broadcast of which every row has a mistake', noNumber, [noNumber, optedOut], 'not created'],
	['a broadcast that the service refused', refused, [noNumber], 'not created'],
	['a broadcast that was created before', before, [noNumber], undefined],
])('a sheet says of %s what became of it', (_, item, beside, output) => {
	const outputs = { 'Create broadcast': [item, ...beside] };
	expect(outputOf('broadcast-from-sheet', 'What became of it', item, {}, outputs)).toBe(output);
});

/** Whether an item meets the conditions of a node, some of whose values are these. */
const meetsWith = (example: string, node: string, json: IDataObject) =>
	meets({ json }, valueAt(example, node, 'conditions'));

// The user enters the words and the hours.
test.each([
	['STOP Abmelden', 'ABMELDEN'],
	['stop, dur', 'STOP'],
	['STOP,Çıkış', 'CIKIS'],
])('the words %j let somebody opt out who writes %s', (stop, word) => {
	expect(meetsWith('opt-out', 'One of the words?', { stop, start: '', word })).toBe(true);
	expect(meetsWith('opt-out', 'Opt out?', { stop, start: '', word })).toBe(true);
});

describe('at 14:05 on a Wednesday in Istanbul', () => {
	beforeEach(() => void jest.useFakeTimers({ now: Date.parse('2030-01-30T11:05:00Z') }));
	afterEach(() => void jest.useRealTimers());

	test.each([
		['Wed', '09:00', '18:00', true],
		['mon tue wed', '9:00', '18:00', true],
		['Wednesday', '9', '24:00', true],
		['Wed', '8.30', '9.30', false],
		['Thu', '9:00', '18:00', false],
	])('a shop that is open on %s from %s to %s', (days, opens, closes, isOpen) => {
		expect(meetsWith('support-auto-reply', 'Open now?', { days, opens, closes })).toBe(isOpen);
	});
});

test('a row of a campaign without a name has a text all the same', () => {
	const message = valueAt<string>('campaign-from-sheet', 'Send', 'message');
	expect(valueOf(message.slice(1), { json: { name: '' } })).toMatch(/^Dear customer, our/);
});

test.each(['905559999999', '+90 555 999 99 99', 905559999999])(
	'the agent gets nothing of the manager, whose number the service writes as %j',
	(phone) => {
		const to = { to: { value: '+90 555 999 99 99' } };
		const outputFor = (json: IDataObject) => outputOf('approve-answers-in-chat', 'Who wrote?', json, to);
		expect(outputFor({ chat: { phone }, text: 'Who is that?' })).toBeUndefined();
		expect(outputFor({ chat: { phone }, text: 'Approve' })).toBe('unclear reply');
		expect(outputFor({ chat: { phone: null }, text: 'Approve' })).toBe('customer');
	},
);

const names = readdirSync(join(root, 'examples')).filter((file) => file.endsWith('.json'));

// Some models refuse an empty prompt.
test.each([
	['ai-agent', 'AI agent', 'text'],
	['approve-answers-in-chat', 'AI agent', 'text'],
	['message-an-agent', 'Agent', 'message'],
	['take-over', 'AI agent', 'text'],
	['voice-notes', 'What was written', 'assignments.assignments[0].value'],
])('the agent of %s is told of a file without a text', (example, node, path) => {
	const prompt = valueAt<string>(example, node, path).slice(1);
	const file = { type: 'image', body: '' };
	const promptFor = (json: IDataObject) => valueOf(prompt, { json });
	expect(promptFor({ text: '', messages: [file, file], message: file })).toMatch(/^\[image\](\n\[image\])?$/);
	const said = { type: 'chat', body: 'Hello' };
	expect(promptFor({ text: 'Hello', messages: [said], message: said })).toBe('Hello');
});

test('the memory of n8n’s own Agents has one key for each account and chat, with Per Chat, too', () => {
	const key = valueAt<string>('message-an-agent', 'Agent', 'advanced.session.session.sessionKey').slice(1);
	const chat = { id: '120363025246125486@g.us' };
	const account_id = '01234567-89ab-cdef-0123-456789abcdef';
	const event = { json: { event: 'message.received', account_id, chat, message: {}, event_id: '1' } };
	for (const item of [event, chatItemOf([event])]) {
		expect(valueOf(key, item)).toBe(`${account_id} ${chat.id}`);
		// n8n refuses a longer one.
		expect(String(valueOf(key, item)).length).toBeLessThanOrEqual(74);
	}
});

// A message whose run was cut off runs again, and its line may still stand in the table.
test('a line of a burst that runs again stands in the table once', () => {
	const noted = <T>(path: string) => valueAt<T>('gather-bursts', 'Note the line', path);
	const { keyName, keyValue } = noted<Record<'keyName' | 'keyValue', string>>('filters.conditions[0]');
	const columns = noted<Record<string, string>>('columns.value');
	expect(noted('operation')).toBe('upsert');
	expect(columns[keyName]).toBe(keyValue);
	expect(valueOf(keyValue.slice(1), { json: { message: { id: 'false_1' } } })).toBe('false_1');
	const created = valueAt<Array<{ name: string }>>('gather-bursts', 'Create the table', 'columns.column');
	expect(created.map(({ name }) => name).sort()).toEqual(Object.keys(columns).sort());
});

// n8n's editor leaves out a second one without a word, so its branch would have no start.
test.each(names)('%s has at most one manual trigger', (name) => {
	const starts = nodesOf(name).filter(({ type }) => type === 'n8n-nodes-base.manualTrigger');
	expect(starts.length).toBeLessThanOrEqual(1);
});

// When the list has 10,000 values, n8n drops none: the node fails, or with Continue it passes every item.
test.each(names)('no list of %s for Remove Duplicates becomes full', (name) => {
	const scopesOf = (operation: string) =>
		nodesOf(name).flatMap(({ parameters }) =>
			parameters.operation === operation ? [get(parameters, 'options.scope', 'node') as string] : [],
		);
	// Only a list of the whole workflow can be cleared by another node.
	expect(scopesOf('clearDeduplicationHistory')).not.toContain('node');
	expect(scopesOf('clearDeduplicationHistory')).toEqual(scopesOf('removeItemsSeenInPreviousExecutions'));
});
