import type { INode, INodeExecutionData, INodeParameters, WorkflowExecuteMode } from 'n8n-workflow';

import { lookUpItem } from '../../../nodes/MessagingChannel/trigger/catchUp/lookUp';
import { SETTINGS, cellsOf, type Expected } from '../../support/engine/nodeSettings';
import { messageBody, useTrigger, type Trigger } from '../../support/engine/trigger';

const place = useTrigger();

/** What the workflow is told of an event: its text. */
const shownIn = ({ json }: INodeExecutionData): unknown => {
	if (Array.isArray(json.messages))
		return json.messages.map((each) => (each as { body: string }).body).join('+');
	return (
		(json.message as { body?: string } | undefined)?.body ?? (json.error === undefined ? json : 'a report')
	);
};

/** Runs the workflow, and says what the nodes behind the trigger got. */
const runOf = async (trigger: Trigger, items: INodeExecutionData[], mode: WorkflowExecuteMode) => {
	const { next = [], onError = [], error } = await trigger.runWorkflow(items, mode);
	if (error) return 'fails';
	const shown = next.map(shownIn).join(', ');
	return onError.length > 0 ? `error output: ${onError.map(shownIn).join(', ')}` : shown || 'nothing';
};

/** A trigger of a workflow that n8n has started with, which it does whatever the settings are. */
const started = async (
	node: Partial<INode>,
	options: INodeParameters = {},
	parameters: INodeParameters = {},
) => {
	const trigger = await place.trigger({
		node,
		parameters: { events: ['message.received'], options, ...parameters },
	});
	await trigger.activate('init');
	return trigger;
};

const TEXTS = ['one', 'two', 'three'];

/** Delivers a message for each text at once, while n8n is busy with the first, and runs what n8n started. */
const delivered = async (trigger: Trigger, texts: string[]): Promise<string> => {
	const deliveries = await Promise.all(
		texts.map(async (body) => await place.deliver({ body: messageBody({ body }) })),
	);
	const statuses = deliveries.map(({ status }) => status);
	const runs = [];
	for (const items of trigger.executions) runs.push(await runOf(trigger, items, 'webhook'));
	// How many events go together depends on the machine.
	return [
		...statuses,
		runs
			.flatMap((run) => run.split(/, |\+/))
			.sort()
			.join(', '),
	].join(' | ');
};

const whileBusy = { combineEvents: 'whenBusy' };

/** Runs the workflow with items that n8n emits for the trigger. */
const emitted = async (node: Partial<INode>, items: INodeExecutionData[], parameters: INodeParameters = {}) =>
	await runOf(await started(node, {}, parameters), items, 'trigger');

const fetched = (id: string): INodeExecutionData => {
	const json = JSON.parse(messageBody({ id, body: 'one' })) as INodeExecutionData['json'];
	return { json: { ...json, event_id: `message ${id}`, fetched: true } };
};

/** Every way in which the trigger runs. */
const WAYS: Record<string, (node: Partial<INode>) => Promise<string>> = {
	delivery: async (node) => await delivered(await started(node), ['one']),
	'delivery, again after a restart': async (node) => {
		const trigger = await started(node);
		await delivered(trigger, ['one']);
		const [items = []] = trigger.executions;
		return await runOf(trigger, items, 'webhook');
	},
	'five forged deliveries': async (node) => {
		const trigger = await started(node);
		for (let count = 0; count < 5; count++) await place.deliver({ signature: 'other-key' });
		const [items] = trigger.executions;
		return items ? await runOf(trigger, items, 'webhook') : 'no execution';
	},
	'combined when busy': async (node) => await delivered(await started(node, whileBusy), TEXTS),
	'combined per chat': async (node) =>
		await delivered(await started(node, { combineEvents: 'perChat', silence: 0.1 }), TEXTS),
	polled: async (node) =>
		await emitted(node, [fetched('polled')], { listen: 'poll', options: { catchUp: 60 } }),
	fetched: async (node) => await emitted(node, [fetched('missed')]),
	'look-up': async (node) => await emitted(node, [lookUpItem(['1'])]),
	'retry of an execution': async (node) => await runOf(await started(node), [fetched('again')], 'retry'),
	'retry of a combined one': async (node) =>
		await runOf(await started(node, whileBusy), [fetched('first'), fetched('second')], 'retry'),
	'retry of a look-up': async (node) => await runOf(await started(node), [lookUpItem(['1'])], 'retry'),
};

const ALL = '200 | 200 | 200 | one, three, two';
const REPORT = 'error output: a report';

/** What is right: n8n adds nothing to what the trigger outputs, and takes nothing from it. */
const EXPECTED: Record<string, Expected> = {
	delivery: { usual: '200 | one' },
	'delivery, again after a restart': { usual: 'nothing' },
	'five forged deliveries': {
		usual: 'fails',
		'On Error: Continue': 'nothing',
		'Always Output Data, Continue': 'nothing',
		'Execute Once, Continue': 'nothing',
		'Retry On Fail, Continue': 'nothing',
		'On Error: Error Output': REPORT,
		'Always Output Data, Error Output': REPORT,
		'Retry On Fail, Error Output': REPORT,
	},
	'combined when busy': { usual: ALL },
	'combined per chat': { usual: ALL },
	polled: { usual: 'one' },
	fetched: { usual: 'one' },
	'look-up': { usual: 'nothing' },
	'retry of an execution': { usual: 'one' },
	'retry of a combined one': { usual: 'one, one' },
	'retry of a look-up': { usual: 'nothing' },
};

test.each(cellsOf(EXPECTED))('%s, with %s', async (way, setting, expected) => {
	expect(await WAYS[way]?.(SETTINGS[setting])).toBe(expected);
});

describe("a workflow that is set to n8n's Engine 2.0", () => {
	const ENGINE =
		"The workflow is set to n8n's Engine 2.0, which leaves out what this trigger does with an event";
	const POLLS = { listen: 'poll', events: ['message.received'] };
	const inEngine2 = async (parameters: INodeParameters = {}) => {
		const trigger = await place.trigger({ parameters });
		trigger.workflowSettings.engineType = 'v2';
		return trigger;
	};

	test.each([
		['is published', {}, 'activate'],
		['is published, polls', POLLS, 'activate'],
		['listens for a test event', {}, 'manual'],
	] as const)('is refused when the trigger %s', async (_, parameters, mode) => {
		const trigger = await inEngine2({ ...parameters });

		await expect(trigger.activate(mode)).rejects.toThrow(
			`${ENGINE}: it would drop no duplicates, take no answers and download no media. Remove "engineType": "v2" from the settings of the workflow`,
		);
		expect(await place.operations()).toEqual([]);
	});

	test('holds events back if it was changed later, and starts nothing, not even to report something', async () => {
		const trigger = await started({});
		trigger.workflowSettings.engineType = 'v2';

		expect(await delivered(trigger, TEXTS)).toBe('503 | 503 | 503 | ');
		for (let count = 0; count < 5; count++) await place.deliver({ signature: 'other-key' });

		expect(trigger.executions).toEqual([]);
		expect(trigger.log).toContainEqual(expect.stringContaining(`An event was held back: ${ENGINE}`));
	});

	test('does not poll, and starts nothing, when n8n starts', async () => {
		const trigger = await inEngine2(POLLS);

		const end = await trigger.watch('trigger', 'init');

		expect([trigger.emitted, trigger.started, await place.operations()]).toEqual([0, [], []]);
		expect(trigger.log).toEqual([expect.stringContaining(ENGINE)]);
		await end();
	});
});
