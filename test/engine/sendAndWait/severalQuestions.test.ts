import '../../support/engine/n8nFolder';

import { WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	type IConnections,
	type IExecuteData,
	type INode,
	type INodeType,
} from 'n8n-workflow';

import { MessagingChannel } from '../../../nodes/MessagingChannel/MessagingChannel.node';
import { person, useEngine } from '../../support/engine/engine';
import { dataForRun } from '../../support/engine/context';
import { foreignType, lineTo, nodeOf, toolCall, workflowOf } from '../../support/engine/workflow';

const engine = useEngine();

/** An agent that asks two questions at once, as n8n's own does from version 3 on. */
const agent = foreignType(async ({ actionResponses }: { actionResponses: unknown[] }) => {
	const actions = [1, 2].map((order) => toolCall('Ask', `call-${order}`, { order }));
	const isDone = actionResponses.length > 0;
	return await Promise.resolve(isDone ? [[{ json: { actionResponses } }]] : { actions, metadata: {} });
});

/** Starts the workflow with an item at each output. */
const starting = (...orders: number[]) =>
	foreignType(async () => await Promise.resolve(orders.map((order) => [{ json: { order } }])), {
		outputs: orders.length,
	});

test.each<[string, INodeType, IConnections]>([
	['from two branches', starting(1, 2), { Start: { main: [lineTo('Ask'), lineTo('Ask')] } }],
	['from two tool calls of an agent', starting(0), { Start: { main: [lineTo('Agent')] } }],
])('two questions of one node %s are both asked, one after the other', async (_, start, connections) => {
	const type = 'n8n-nodes-messaging-channel.messagingChannel';
	const types: Record<string, INodeType> = { Start: start, Agent: agent, [type]: new MessagingChannel() };
	const typeOf = (name: string) => types[name] as INodeType;
	const parameters = {
		resource: 'message',
		operation: 'sendAndWait',
		to: { __rl: true, mode: 'phone', value: person(1) },
		message: '=Ship order {{ $json.order }}?',
	};
	const credentials = { messagingChannelApi: { id: '1', name: 'Messaging Channel' } };
	const workflow = workflowOf(
		[nodeOf('Start'), nodeOf('Agent'), nodeOf('Ask', { type, parameters, credentials })],
		connections,
		typeOf,
	);
	const additional = dataForRun(engine);
	const run = new WorkflowExecute(additional, 'manual', createRunExecutionData());
	const { data } = await run.run({ workflow, startNode: workflow.getNode('Start') as INode });
	expect(await engine.accepted()).toHaveLength(1);

	// n8n stores the execution with the same values in the same places, and continues it with the answer.
	const stored = structuredClone(data);
	const [waiting] = stored.executionData?.nodeExecutionStack as [IExecuteData];
	waiting.data.main = [[{ json: { data: { approved: true } } }]];
	const resumed = new WorkflowExecute(additional, 'manual', stored);
	const { waitTill } = (await resumed.processRunExecutionData(workflow)).data;

	const asked = (await engine.accepted()).map((text) => /order \d/.exec(text)?.[0]).sort();
	expect(asked).toEqual(['order 1', 'order 2']);
	expect(waitTill).toBeDefined();
});
