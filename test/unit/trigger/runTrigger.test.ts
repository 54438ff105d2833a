import { Readable } from 'node:stream';
import type { IDataObject, INodeExecutionData, WorkflowExecuteMode } from 'n8n-workflow';

import { lookUpItem } from '../../../nodes/MessagingChannel/trigger/catchUp/lookUp';
import { triggerRunOf } from '../../../nodes/MessagingChannel/trigger/delivery/trigger';
import { runTrigger } from '../../../nodes/MessagingChannel/trigger/runTrigger';
import { replaceTriggerClock } from '../../support/engine/triggerClock';
import { NOW, SECONDS } from './deliveries';
import { newNode } from './runOf';

let now = NOW;
beforeEach(() => {
	now += 60_000;
	jest.spyOn(Date, 'now').mockImplementation(() => now);
	replaceTriggerClock(
		() => now,
		async (ms) => {
			if (ms > 0) await new Promise(() => {});
		},
	);
});
afterEach(() => void jest.restoreAllMocks());

let events = 0;

const message = (more: IDataObject = {}): IDataObject => ({
	id: `message-${++events}`,
	type: 'chat',
	body: 'Hello',
	from: '905551112233@c.us',
	from_me: false,
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

type Node = Parameters<typeof newNode>[0];

/** A trigger that runs each execution under the next ID, unless told otherwise. */
function newTrigger(options: Node = {}) {
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

describe('an event', () => {
	test('runs once, whatever starts it', async () => {
		const { run } = newTrigger();
		const items = [received(), received({ event: 'message.status' })];
		expect(await run(items)).toEqual(items);
		expect(await run(items)).toEqual([]);
	});

	test('runs again in a retry of the user', async () => {
		const { run } = newTrigger();
		const items = [received()];
		await run(items);
		expect(await run(items, 'retry')).toEqual(items);
	});

	test('runs again in the same execution', async () => {
		const { run } = newTrigger();
		const items = [received()];
		await run(items, 'webhook', '1');
		expect(await run(items, 'webhook', '1')).toEqual(items);
	});

	test('runs if nothing tells it from others', async () => {
		const { run } = newTrigger();
		const items = [{ json: { text: 'Entered by hand' } }];
		await run(items);
		expect(await run(items)).toEqual(items);
	});

	test('of a chat with several runs once', async () => {
		const { run } = newTrigger();
		const [first, second, third] = [received(), received(), received()];
		await run([second]);
		const items = [ofChat(first, second, third)];
		expect(await run(items)).toEqual([ofChat(first, third)]);
		expect(await run(items)).toEqual([]);
	});

	test('of a chat is known by its message, whatever its event ID is', async () => {
		const { run } = newTrigger();
		const [first, second] = [received(), received()];
		await run([first]);
		const copy = { json: { ...first.json, event_id: 'another' } };
		expect(await run([ofChat(copy, second)])).toEqual([ofChat(second)]);
	});
});

describe('a fetched message', () => {
	test('runs once', async () => {
		const { run } = newTrigger();
		const items = [fetched(received())];
		expect(await run(items, 'trigger')).toEqual(items);
		expect(await run(items, 'trigger')).toEqual([]);
	});

	test.each<WorkflowExecuteMode>(['retry', 'manual'])(
		'runs again when the user says so (%s)',
		async (mode) => {
			const { run } = newTrigger();
			const items = [fetched(received())];
			await run(items, 'trigger');
			expect(await run(items, mode)).toEqual(items);
		},
	);

	test('does not run again when it is delivered, alone or with others of its chat', async () => {
		const { run } = newTrigger();
		const [first, second, third] = [received(), received(), received()];
		await run([fetched(first)], 'trigger');
		await run([fetched(second)], 'trigger');
		expect(await run([first])).toEqual([]);
		expect(await run([ofChat(second, third)])).toEqual([ofChat(third)]);
	});

	test('becomes the item of its chat if delivered ones do, also in a retry', async () => {
		const { run } = newTrigger({ parameters: { 'options.combineEvents': 'perChat' } });
		const item = received();
		const alone = fetched(item);
		const { event_id, delivered_at } = alone.json;
		const { json } = ofChat(item);
		const combined = { json: { ...json, event_ids: [event_id], delivered_at, fetched: true } };
		expect(await run([alone], 'trigger')).toEqual([combined]);
		expect(await run([combined as INodeExecutionData], 'retry')).toEqual([combined]);
	});

	test.each(['never', 'together'])('keeps its item otherwise (%s)', async (combineEvents) => {
		const { run } = newTrigger({ parameters: { 'options.combineEvents': combineEvents } });
		const items = [fetched(received())];
		expect(await run(items, 'trigger')).toEqual(items);
	});

	test('is the only one that becomes the item of its chat here', async () => {
		const { run } = newTrigger({ parameters: { 'options.combineEvents': 'perChat' } });
		const items = [received({ event: 'message.sent' })];
		expect(await run(items)).toEqual(items);
		expect(await run([], 'trigger')).toEqual([]);
	});
});

describe('that a message ran', () => {
	test('is known when its execution has ended', async () => {
		const { run, ends, sharedRow } = newTrigger();
		const item = received();
		await run([item]);
		expect(sharedRow.keys).toEqual([]);
		for (const end of ends) await end();
		for (let round = 0; round < 20; round++) await new Promise(setImmediate);
		const { id } = item.json.message as IDataObject;
		expect(sharedRow.keys).toContainEqual(
			expect.stringMatching(new RegExp(`^known node-\\d+ ${String(id)}$`)),
		);
	});

	test('is not recorded of another event that names it', async () => {
		const { run, ends } = newTrigger();
		const items = [received({ event: 'message.status' })];
		expect(await run(items)).toEqual(items);
		expect(ends).toEqual([]);
	});

	test.each<[string, IDataObject, WorkflowExecuteMode]>([
		['missed messages are not looked for', { 'options.catchUp': 0 }, 'webhook'],
		['it is a test', {}, 'manual'],
		['it is a test, and missed messages are not looked for', { 'options.catchUp': 0 }, 'manual'],
	])('is not recorded when %s', async (_, parameters, mode) => {
		const { run, ends } = newTrigger({ parameters });
		const items = [received()];
		expect(await run(items, mode)).toEqual(items);
		expect(ends).toEqual([]);
	});
});

describe('a look-up of messages', () => {
	const item = lookUpItem(['message-x']);

	test('is answered, and starts nothing', async () => {
		const { run, customData } = newTrigger();
		expect(await run([item], 'trigger')).toEqual([]);
		expect([...customData.keys()]).toEqual(['messages_not_run', 'known_since']);
	});

	test('is answered with since when it is known what ran', async () => {
		const { run, customData, sharedRow } = newTrigger();
		const tenMinutes = NOW / 600_000 + 60;
		now = tenMinutes * 600_000;
		sharedRow.keys = [`ten minutes ${tenMinutes - 2}`, `ten minutes ${tenMinutes - 1}`];
		await run([item], 'trigger');
		expect(customData.get('known_since')).toBe(`${(tenMinutes - 1) * 600_000 + 60_000}`);
	});

	test('has nobody who waits for the answer when it is retried', async () => {
		const { run, customData } = newTrigger();
		expect(await run([item], 'retry')).toEqual([]);
		expect(customData.size).toBe(0);
	});

	test('fails the execution when the database does', async () => {
		const { run, sharedRow } = newTrigger();
		sharedRow.isBroken = true;
		await expect(run([item], 'trigger')).rejects.toThrow('database is locked');
	});

	test('starts nothing when the database fails with On Error set to continue', async () => {
		const { run, sharedRow } = newTrigger({ onError: 'continueRegularOutput' });
		sharedRow.isBroken = true;
		expect(await run([item], 'trigger')).toEqual([]);
	});
});

describe.each<[string, IDataObject, string, string]>([
	[
		'a wrong secret',
		{ unverified_since: '2030-01-31T09:00:00.000Z' },
		"Events are rejected because the 'Signing Secret' in the credential does not match their signature",
		'No event has been verified since 2030-01-31T09:00:00.000Z.',
	],
	[
		'a receiver that fails',
		{ receiver: 'https://crm.example.com', problem: 'fails', since: '2030-01-31T09:00:00.000Z' },
		'The receiver at https://crm.example.com does not respond as it should, so the service sends events again and again',
		'This has been happening since at least 2030-01-31T09:00:00.000Z.',
	],
])('an execution that reports %s', (_, json, error, description) => {
	test('fails, and the log says it, too, because n8n need not keep failed executions', async () => {
		const { run, log } = newTrigger();
		await expect(run([{ json }])).rejects.toMatchObject({
			message: error,
			description: expect.stringContaining(description),
		});
		expect(log).toEqual([expect.stringContaining(`Listens: ${error}. ${description}`)]);
	});

	test('is in the log alone with On Error set to continue', async () => {
		const { run, log } = newTrigger({ onError: 'continueRegularOutput' });
		expect(await run([{ json }])).toEqual([]);
		expect(log).toEqual([expect.stringContaining(`Listens: ${error}. ${description}`)]);
	});

	test('is on the error output if there is one', async () => {
		const { run } = newTrigger({ onError: 'continueErrorOutput' });
		expect(await run([{ json }])).toEqual([
			{ json: { ...json, error }, error: expect.objectContaining({ message: error }) },
		]);
	});
});

test('an execution with a reply that no question takes, and that a filter cannot read, fails', async () => {
	const { run, log } = newTrigger({
		parameters: { 'options.takeAnswers': true, 'options.chatType': 'individual' },
		respond: () => ({ statusCode: 200, body: { success: true, data: [] } }),
	});
	const error = "The service sends 'chat.type' in a form that is not understood: a number like 9";
	await expect(run([received({ chat: { ...chat, type: 2 } })])).rejects.toMatchObject({ message: error });
	expect(log).toEqual([expect.stringContaining(error)]);
});

describe('the files of messages', () => {
	const withFile = () => received({ message: message({ type: 'image', has_media: true }) });
	const newTriggerWith = (parameters: Record<string, unknown>) =>
		newTrigger({
			parameters,
			respond: () => ({ statusCode: 404, body: Readable.from([]) }),
		});

	test('are not downloaded unless the user says so', async () => {
		const { run } = newTriggerWith({});
		const items = [withFile()];
		expect(await run(items)).toEqual(items);
	});

	test('are downloaded where an expression says so', async () => {
		const { run, requests } = newTriggerWith({ 'options.downloadMedia': (index: number) => index === 1 });
		const items = [withFile(), withFile()];
		const [first, second] = await run(items);
		expect(first).toEqual(items[0]);
		expect(second?.json.media_error).toMatchObject({ httpStatus: 404 });
		expect(requests).toHaveLength(1);
	});

	test('are downloaded for the item of a chat as its only event says', async () => {
		const { run } = newTriggerWith({
			'options.combineEvents': 'perChat',
			'options.downloadMedia': (index: number) => index === 0,
		});
		const [item] = await run([fetched(withFile())], 'trigger');
		expect(item?.json.messages).toMatchObject([{ media_error: { httpStatus: 404 } }]);
	});
});
