import '../support/engine/n8nFolder';

import { WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type IRun,
	type IRunExecutionData,
	type Workflow,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { MessagingChannel } from '../../nodes/MessagingChannel/MessagingChannel.node';
import { person, useEngine } from '../support/engine/engine';
import { SETTINGS, cellsOf, once, type Expected } from '../support/engine/nodeSettings';
import { stored } from '../support/engine/run';
import { dataForRun } from '../support/engine/context';
import { foreignType, lineTo, nodeOf, PASSES_ON, toolCall, workflowOf } from '../support/engine/workflow';

const engine = useEngine();

const action = new MessagingChannel();
const TYPE = 'n8n-nodes-messaging-channel.messagingChannel';
const credentials = { messagingChannelApi: { id: '1', name: 'Messaging Channel' } };

/** A workflow with the node between the one that gives it its items, and one at each of its outputs. */
const workflowWith = (node: Partial<INode>) =>
	workflowOf(
		[
			nodeOf('Items'),
			nodeOf('Node', { type: TYPE, credentials, ...node }),
			nodeOf('Next'),
			nodeOf('OnError'),
		],
		{ Items: { main: [lineTo('Node')] }, Node: { main: [lineTo('Next'), lineTo('OnError')] } },
		(type) => (type === TYPE ? action : PASSES_ON),
	);

const execute = async (
	workflow: Workflow,
	execution: IRunExecutionData,
	mode: WorkflowExecuteMode = 'trigger',
) => {
	const data = { ...dataForRun(engine), executionId: '1' };
	return await new WorkflowExecute(data, mode, execution).processRunExecutionData(workflow);
};

/** Runs the workflow with these items, up to its end, or to where it waits. */
const run = async (node: Partial<INode>, items: IDataObject[], pinned?: INodeExecutionData[]) => {
	const main = [items.map((json) => ({ json }))];
	const nodeExecutionStack = [{ node: nodeOf('Items'), data: { main }, source: null }];
	const execution = createRunExecutionData({
		executionData: { nodeExecutionStack },
		...(pinned && { resultData: { runData: {}, pinData: { Node: pinned } } }),
	});
	return await execute(workflowWith(node), execution, pinned ? 'manual' : 'trigger');
};

/** What an item says. */
const shownIn = ({ json: { error, outcome, name, data, pinned, ...json } }: INodeExecutionData): string => {
	if (error !== undefined) return 'error';
	const shown = outcome ?? name ?? pinned ?? (data ? JSON.stringify(data) : undefined);
	return String(shown ?? JSON.stringify(json));
};

/** What the nodes behind got, or that the execution fails; the hint; and what the service got. */
const outcomeOf = async ({ data: { resultData } }: IRun): Promise<string> => {
	const itemsOf = (name: string) => resultData.runData[name]?.[0]?.data?.main?.[0] ?? [];
	const shown = itemsOf('Next').map(shownIn).join(', ');
	const onError = itemsOf('OnError').map(shownIn).join(', ');
	const hints = (resultData.runData.Node?.at(-1)?.hints ?? []).filter(({ message }) =>
		message.startsWith('Left out: '),
	);
	const texts = (await engine.accepted()).map((text) => text.split('\n')[0]).sort();
	return [
		...(resultData.error ? ['fails'] : [shown || 'nothing']),
		...(onError ? [`error output: ${onError}`] : []),
		...hints.map(({ message }) => message.split('.')[0]),
		`sent: ${texts.join(' ')}`,
	].join(' | ');
};

const TO = { __rl: true, mode: 'phone', value: '={{ $json.to }}' };

const SEND: INodeParameters = {
	resource: 'message',
	operation: 'send',
	to: TO,
	message: '={{ $json.text }}',
};

const peopleWith = (...texts: string[]) => texts.map((text, number) => ({ to: person(number + 1), text }));

const send = async (node: Partial<INode>, ...texts: string[]) =>
	await run({ parameters: SEND, ...node }, peopleWith(...texts));

const ASK: INodeParameters = {
	resource: 'message',
	operation: 'sendAndWait',
	to: TO,
	message: '={{ $json.text }}',
};

const ask = async (node: Partial<INode>, ...texts: string[]) =>
	await run({ parameters: ASK, ...node }, peopleWith(...texts));

/** Goes on with an execution that waits, as n8n does. */
const goOn = async (node: Partial<INode>, waiting: IRun, answer?: IDataObject) => {
	if (!waiting.data.waitTill) return waiting;
	const execution = stored(waiting.data);
	const [first] = execution.executionData?.nodeExecutionStack ?? [];
	if (first && answer) {
		first.data.main = [[{ json: { data: answer } }]];
		first.metadata = { ...first.metadata, forwardAllOutputs: true };
	}
	return await execute(workflowWith({ parameters: ASK, ...node }), execution);
};

// What the reference service refuses is no word: cspell:ignore forbiddenword
const REFUSED = 'a forbiddenword';
const LIST: INodeParameters = { resource: 'tag', operation: 'getAll' };

/** How a node uses its tool: it calls it, as agents before version 3 do, or lets n8n run it. */
type Agent = (this: IExecuteFunctions, response: { actionResponses: unknown[] }) => Promise<unknown>;

const calls: Agent = async function () {
	const [tool] = (await this.getInputConnectionData('ai_tool', 0)) as [
		{ invoke(input: object): Promise<string> },
	];
	const name = await tool.invoke({}).then(
		(response) => `[${(JSON.parse(response) as IDataObject[]).map((json) => shownIn({ json })).join()}]`,
		() => 'fails',
	);
	return [[{ json: { name } }]];
};

const letsRun: Agent = async function ({ actionResponses }) {
	if (actionResponses.length === 0)
		return await Promise.resolve({
			actions: [{ ...toolCall('Tool'), metadata: { itemIndex: 0 } }],
			metadata: {},
		});
	const [response] = actionResponses as [{ data: { data?: { ai_tool?: INodeExecutionData[][] } } }];
	const items = response.data.data?.ai_tool?.[0] ?? [];
	return [[{ json: { name: `[${items.map(shownIn).join()}]` } }]];
};

const useTool = async (agent: Agent, node: Partial<INode>, parameters: INodeParameters) => {
	const callerType = foreignType(agent, { inputs: ['main', 'ai_tool'] });
	const toolType = Object.assign(new MessagingChannel(), {
		description: { ...action.description, inputs: [], outputs: ['ai_tool'] },
	});
	const workflow = workflowOf(
		[
			nodeOf('Items'),
			nodeOf('Agent'),
			nodeOf('Next'),
			nodeOf('Tool', { type: `${TYPE}Tool`, credentials, parameters, ...node }),
		],
		{
			Items: { main: [lineTo('Agent')] },
			Agent: { main: [lineTo('Next')] },
			Tool: { ai_tool: [lineTo('Agent', 'ai_tool')] },
		},
		(type) => (type === 'Agent' ? callerType : type === `${TYPE}Tool` ? toolType : PASSES_ON),
	);
	const data = { main: [[{ json: {} }]] };
	const nodeExecutionStack = [{ node: nodeOf('Items'), data, source: null }];
	return await execute(workflow, createRunExecutionData({ executionData: { nodeExecutionStack } }));
};

const sendBy = async (agent: Agent, node: Partial<INode>, message: string) =>
	await useTool(agent, node, { ...SEND, to: { ...TO, value: person(1) }, message });

/** Every way in which the node runs. */
const WAYS: Record<string, (node: Partial<INode>) => Promise<IRun>> = {
	'sends to three': async (node) => await send(node, 'one', 'two', 'three'),
	'sends to three, the first is refused': async (node) => await send(node, REFUSED, 'two', 'three'),
	'sends to three, the last is refused': async (node) => await send(node, 'one', 'two', REFUSED),
	'is retried in the list of executions': async (node) => {
		const failed = await send(node, 'one', 'two', REFUSED);
		if (!failed.data.resultData.error) return failed;
		const execution = stored(failed.data);
		delete execution.resultData.error;
		execution.resultData.runData.Node?.pop();
		return await execute(workflowWith({ parameters: SEND, ...node }), execution, 'retry');
	},
	'lists what there is': async (node) => {
		await engine.service.control.seed({ tags: [{ name: 'VIP' }, { name: 'new' }] });
		return await run({ parameters: LIST, ...node }, [{}]);
	},
	'lists, and there is nothing': async (node) => await run({ parameters: LIST, ...node }, [{}]),
	'asks, and gets an answer': async (node) =>
		await goOn(node, await ask(node, 'Ship it?'), { approved: true }),
	'asks, and gets none in time': async (node) => await goOn(node, await ask(node, 'Ship it?')),
	'asks, and is refused': async (node) => await goOn(node, await ask(node, REFUSED)),
	'asks about two items': async (node) => await goOn(node, await ask(node, 'one', 'two'), { approved: true }),
	'has pinned data': async (node) =>
		await run({ parameters: SEND, ...node }, peopleWith('one', 'two'), [{ json: { pinned: 'pinned' } }]),
	'is called as a tool, and sends': async (node) => await sendBy(calls, node, 'one'),
	'is called as a tool, and is refused': async (node) => await sendBy(calls, node, REFUSED),
	'is called as a tool, and lists nothing': async (node) => await useTool(calls, node, LIST),
	'runs as a tool, and sends': async (node) => await sendBy(letsRun, node, 'one'),
	'runs as a tool, and is refused': async (node) => await sendBy(letsRun, node, REFUSED),
	'runs as a tool, and lists nothing': async (node) => await useTool(letsRun, node, LIST),
};

const FIRST_OF_THREE = 'queued | Left out: 2 of 3 items | sent: one';
const ERROR_IN_LAST = 'queued, queued, error | sent: one two';
const LAST_ON_ERROR = 'queued, queued | error output: error | sent: one two';
const LAST_IS_REFUSED: Expected = {
	usual: 'fails | sent: one two',
	...once(FIRST_OF_THREE),
	'On Error: Continue': ERROR_IN_LAST,
	'On Error: Error Output': LAST_ON_ERROR,
	'Always Output Data, Continue': ERROR_IN_LAST,
	'Always Output Data, Error Output': LAST_ON_ERROR,
	'Retry On Fail, Continue': ERROR_IN_LAST,
	'Retry On Fail, Error Output': LAST_ON_ERROR,
};
const QUESTION_ON_ERROR = 'nothing | error output: error | sent: ';
const TWO_QUESTIONS_ON_ERROR = 'nothing | error output: error, error | sent: ';
const EMPTY = '{} | sent: ';
const TOOL_ERROR = '[error] | sent: ';

/** What is right: nothing goes on as if something had been sent, nobody gets a message twice, and what n8n leaves out is told. */
const EXPECTED: Record<string, Expected> = {
	'sends to three': { usual: 'queued, queued, queued | sent: one three two', ...once(FIRST_OF_THREE) },
	'sends to three, the first is refused': {
		usual: 'fails | sent: three two',
		'Execute Once': 'fails | sent: ',
		'Execute Once, Retry On Fail': 'fails | sent: ',
		'Execute Once, Continue': 'error | Left out: 2 of 3 items | sent: ',
		'On Error: Continue': 'error, queued, queued | sent: three two',
		'Always Output Data, Continue': 'error, queued, queued | sent: three two',
		'On Error: Error Output': 'queued, queued | error output: error | sent: three two',
		'Always Output Data, Error Output': 'queued, queued | error output: error | sent: three two',
		// n8n runs the node again when its first item is an error.
		'Retry On Fail, Continue': 'error, already_sent, already_sent | sent: three two',
		'Retry On Fail, Error Output': 'already_sent, already_sent | error output: error | sent: three two',
	},
	'sends to three, the last is refused': LAST_IS_REFUSED,
	'is retried in the list of executions': LAST_IS_REFUSED,
	'lists what there is': { usual: 'VIP, new | sent: ' },
	'lists, and there is nothing': {
		usual: 'nothing | sent: ',
		'Always Output Data': EMPTY,
		'Always Output Data, Continue': EMPTY,
		'Always Output Data, Error Output': EMPTY,
	},
	'asks, and gets an answer': { usual: '{"approved":true} | sent: Ship it?' },
	'asks, and gets none in time': { usual: '{"approved":false,"timedOut":true} | sent: Ship it?' },
	'asks, and is refused': {
		usual: 'fails | sent: ',
		'On Error: Continue': 'error | sent: ',
		'Always Output Data, Continue': 'error | sent: ',
		'Execute Once, Continue': 'error | sent: ',
		'Retry On Fail, Continue': 'error | sent: ',
		'On Error: Error Output': QUESTION_ON_ERROR,
		'Always Output Data, Error Output': QUESTION_ON_ERROR,
		'Retry On Fail, Error Output': QUESTION_ON_ERROR,
	},
	'asks about two items': {
		usual: 'fails | sent: ',
		...once('{"approved":true} | sent: one'),
		'On Error: Continue': 'error, error | sent: ',
		'Always Output Data, Continue': 'error, error | sent: ',
		'Retry On Fail, Continue': 'error, error | sent: ',
		'On Error: Error Output': TWO_QUESTIONS_ON_ERROR,
		'Always Output Data, Error Output': TWO_QUESTIONS_ON_ERROR,
		'Retry On Fail, Error Output': TWO_QUESTIONS_ON_ERROR,
	},
	'has pinned data': { usual: 'pinned | sent: ' },
	'is called as a tool, and sends': { usual: '[queued] | sent: one' },
	'is called as a tool, and is refused': {
		usual: TOOL_ERROR,
		none: 'fails | sent: ',
		'Always Output Data': 'fails | sent: ',
		'Execute Once': 'fails | sent: ',
		'Retry On Fail': 'fails | sent: ',
		'Execute Once, Retry On Fail': 'fails | sent: ',
	},
	'is called as a tool, and lists nothing': { usual: '[] | sent: ' },
	'runs as a tool, and sends': { usual: '[queued] | sent: one' },
	'runs as a tool, and is refused': { usual: TOOL_ERROR },
	'runs as a tool, and lists nothing': {
		usual: '[] | sent: ',
		'Always Output Data': '[{}] | sent: ',
		'Always Output Data, Continue': '[{}] | sent: ',
		'Always Output Data, Error Output': '[{}] | sent: ',
	},
};

test.each(cellsOf(EXPECTED))('%s, with %s', async (way, setting, expected) => {
	const ended = await WAYS[way]?.(SETTINGS[setting]);

	expect(ended && (await outcomeOf(ended))).toBe(expected);
});

test('every way is in the table', () => expect(Object.keys(EXPECTED)).toEqual(Object.keys(WAYS)));
