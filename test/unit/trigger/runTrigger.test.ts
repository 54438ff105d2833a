import type { IDataObject, INode, INodeExecutionData, WorkflowExecuteMode } from 'n8n-workflow';

import { lookUpItem } from '../../../nodes/MessagingChannel/trigger/catchUp/lookUp';
import { reportItem, unverifiedReport } from '../../../nodes/MessagingChannel/trigger/delivery/reports';
import { triggerRunOf } from '../../../nodes/MessagingChannel/trigger/delivery/trigger';
import { withNumber } from '../../../nodes/MessagingChannel/recipients/hiddenNumbers';
import { runTrigger } from '../../../nodes/MessagingChannel/trigger/runTrigger';
import { replaceTriggerClock } from '../../support/engine/triggerClock';
import { NOW, SECONDS } from './deliveries';
import { newNode } from './runOf';

beforeEach(() => {
	jest.spyOn(Date, 'now').mockReturnValue(NOW);
	replaceTriggerClock(Date.now, async (ms) => {
		if (ms > 0) await new Promise(() => {});
	});
});
afterEach(() => void jest.restoreAllMocks());

let events = 0;

const message = (more: IDataObject = {}): IDataObject => ({
	id: `message-${++events}`,
	type: 'chat',
	body: 'Hello',
	from: '905551112233@c.us',
	from_me: false,
	has_media: true,
	timestamp: SECONDS,
	...more,
});
const chat = { id: '905551112233@c.us', type: 'individual' };

/** The item of a received message, unlike every other. */
const received = (more: IDataObject = {}): INodeExecutionData => ({
	json: { event: 'message.received', chat, message: message(), event_id: `event-${++events}`, ...more },
});
/** The item of the same message when it was fetched instead of delivered. */
const fetched = ({ json }: INodeExecutionData): INodeExecutionData => {
	const { id } = json.message as IDataObject;
	return { json: { ...json, event_id: `message ${String(id)}`, delivered_at: '2030', fetched: true } };
};
/** The item of a chat with these messages. */
const ofChat = (...items: INodeExecutionData[]): INodeExecutionData => ({
	json: {
		chat,
		messages: items.map(({ json }) => json.message) as IDataObject[],
		text: items.map(() => 'Hello').join('\n'),
		event_ids: items.map(({ json }) => json.event_id) as string[],
	},
});

/** A trigger that runs each execution under the next ID, unless told otherwise. */
function newTrigger(options: Parameters<typeof newNode>[0] = {}) {
	const node = newNode(options);
	let executions = 0;
	const run = async (
		items: INodeExecutionData[],
		mode: WorkflowExecuteMode = 'webhook',
		executionId = `${++executions}`,
	) => await runTrigger(triggerRunOf(node.runOf(items, { mode, executionId })));
	return { ...node, run };
}

test.each<WorkflowExecuteMode>(['webhook', 'trigger', 'manual'])(
	'an execution without items outputs none (%s)',
	async (mode) => {
		expect(await newTrigger().run([], mode)).toEqual([]);
	},
);

const event = received();
const status = received({ event: 'message.status' });
const text = { json: { text: 'Entered by hand' } };
type Run = [INodeExecutionData, WorkflowExecuteMode];

test.each<[string, boolean, Run, Run]>([
	['an event', false, [event, 'webhook'], [event, 'webhook']],
	['an event that is no message', false, [status, 'webhook'], [status, 'webhook']],
	['an event, in a retry of the user,', true, [event, 'webhook'], [event, 'retry']],
	['what nothing tells from others', true, [text, 'webhook'], [text, 'webhook']],
	['a fetched message', false, [fetched(event), 'trigger'], [fetched(event), 'trigger']],
	[
		'a fetched message, in a retry of the user,',
		true,
		[fetched(event), 'trigger'],
		[fetched(event), 'retry'],
	],
	['a fetched message, in a test,', true, [fetched(event), 'trigger'], [fetched(event), 'manual']],
	['a fetched message that is delivered, too,', false, [fetched(event), 'trigger'], [event, 'webhook']],
])('%s runs again: %s', async (_, runsAgain, [first, mode], [second, nextMode]) => {
	const { run } = newTrigger();
	expect(await run([first], mode)).toEqual([first]);
	expect(await run([second], nextMode)).toEqual(runsAgain ? [second] : []);
});

test('an event runs again in the same execution', async () => {
	const { run } = newTrigger();
	const items = [received(), received({ event: 'message.status' })];
	for (let times = 0; times < 2; times++) expect(await run(items, 'webhook', '1')).toEqual(items);
});

test('of a chat with several messages, those run that did not, whatever the IDs of their events are', async () => {
	const { run } = newTrigger();
	const [first, second, third, fourth] = [received(), received(), received(), received()];
	await run([second]);
	await run([fetched(third)], 'trigger');
	const copy = { json: { ...second.json, event_id: 'another' } };
	const items = [ofChat(first, copy, third, fourth)];
	expect(await run(items)).toEqual([ofChat(first, fourth)]);
	expect(await run(items)).toEqual([]);
});

describe('where the messages of a chat are one item', () => {
	const parameters = { 'options.combineEvents': 'perChat' };

	test('a fetched message becomes one, also in a retry', async () => {
		const { run } = newTrigger({ parameters });
		const item = received();
		const alone = fetched(item);
		const { event_id, delivered_at } = alone.json;
		const { json } = ofChat(item);
		const combined = { json: { ...json, event_ids: [event_id], delivered_at, fetched: true } };
		expect(await run([alone], 'trigger')).toEqual([combined]);
		expect(await run([combined as INodeExecutionData], 'retry')).toEqual([combined]);
	});

	test('nothing else becomes one here', async () => {
		const { run } = newTrigger({ parameters });
		const items = [received({ event: 'message.sent' })];
		expect(await run(items)).toEqual(items);
		expect(await run([], 'trigger')).toEqual([]);
	});
});

describe('that a message ran', () => {
	test.each<[string, IDataObject, IDataObject, WorkflowExecuteMode]>([
		['of another event that names it', { event: 'message.status' }, {}, 'webhook'],
		['when missed messages are not looked for', {}, { 'options.catchUp': 0 }, 'webhook'],
		['when it is a test', {}, {}, 'manual'],
		['when it is a test, and missed ones are not looked for', {}, { 'options.catchUp': 0 }, 'manual'],
	])('is not recorded %s', async (_, more, parameters, mode) => {
		const { run, ends } = newTrigger({ parameters });
		const items = [received(more)];
		expect(await run(items, mode)).toEqual(items);
		expect(ends).toEqual([]);
	});
});

test('the nodes that follow know the number that an ID hides', async () => {
	const hidden = { id: '1@lid', phone: '905551112233' };
	const { run, runOf } = newTrigger();
	const items = [received(), received({ chat: hidden })];
	expect(await run(items)).toEqual(items);
	const account = await triggerRunOf(runOf([])).accountState();
	expect(withNumber(account, hidden.id)).toBe(hidden.phone);
	const another = [received({ chat: hidden })];
	const context = runOf(another);
	jest.spyOn(context, 'getCredentials').mockRejectedValue(new Error('It is gone'));
	expect(await runTrigger(triggerRunOf(context))).toEqual(another);
});

describe('a look-up of messages', () => {
	const item = lookUpItem(['message-x']);

	test.each<[string, WorkflowExecuteMode, string[]]>([
		['is answered', 'trigger', ['messages_not_run', 'known_since']],
		['has nobody who waits for the answer when it is retried', 'retry', []],
	])('%s, and starts nothing', async (_, mode, keys) => {
		const { run, customData } = newTrigger();
		expect(await run([item], mode)).toEqual([]);
		expect([...customData.keys()]).toEqual(keys);
	});

	test('fails the execution when the database does, and starts nothing with On Error set to continue', async () => {
		const [trigger, continuing] = [newTrigger(), newTrigger({ onError: 'continueRegularOutput' })];
		trigger.sharedRow.isBroken = continuing.sharedRow.isBroken = true;
		await expect(trigger.run([item], 'trigger')).rejects.toThrow('database is locked');
		expect(await continuing.run([item], 'trigger')).toEqual([]);
	});
});

describe('an execution that reports a problem', () => {
	const { json } = reportItem(unverifiedReport(Date.parse('2030-01-31T09:00:00Z'), 'signature'));
	const error =
		"Events are rejected because the 'Signing Secret' in the credential does not match their signature";
	const description = 'No event has been verified since 2030-01-31T09:00:00.000Z.';
	/** Runs it. The log says it, too, because n8n need not keep failed executions. */
	const report = async (onError?: INode['onError']) => {
		const { run, log } = newTrigger({ onError });
		const output = await run([{ json }]).catch((failure: unknown) => failure);
		expect(log).toEqual([expect.stringContaining(`Listens: ${error}. ${description}`)]);
		return output;
	};

	test('fails', async () => {
		expect(await report()).toMatchObject({
			message: error,
			description: expect.stringContaining(description),
		});
	});

	test('is in the log alone with On Error set to continue', async () => {
		expect(await report('continueRegularOutput')).toEqual([]);
	});

	test('is on the error output if there is one', async () => {
		expect(await report('continueErrorOutput')).toEqual([
			{ json: { ...json, error }, error: expect.objectContaining({ message: error }) },
		]);
	});
});

test('an execution with a reply that no question takes, and that a filter cannot read, fails unless it is to go on', async () => {
	const error = "The service sends 'chat.type' in a form that is not understood: a number like 9";
	const runWith = async (onError?: INode['onError']) => {
		const { run, log } = newTrigger({
			onError,
			parameters: { 'options.takeAnswers': true, 'options.chatType': 'individual' },
			respond: () => ({ statusCode: 200, body: { success: true, data: [] } }),
		});
		const output = await run([received({ chat: { ...chat, type: 2 } })]).catch((failure: unknown) => failure);
		expect(log).toEqual([expect.stringContaining(error)]);
		return output;
	};
	expect(await runWith()).toMatchObject({ message: error });
	expect(await runWith('continueRegularOutput')).toEqual([]);
});
