import '../support/engine/n8nFolder';

import { SupplyDataContext, WebhookContext, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	type IExecuteFunctions,
	type INode,
	type INodeParameters,
	type INodeType,
	type IWebhookData,
} from 'n8n-workflow';

import { MessagingChannel } from '../../nodes/MessagingChannel/MessagingChannel.node';
import { additionalData } from '../support/engine/context';
import { person, useEngine } from '../support/engine/engine';
import { dataForRun, nodeOf, workflowOf } from '../support/engine/workflow';

/*
 * From version 3 on, n8n's agent has its tools run as nodes of the workflow. An older one, one that is itself a tool, and the MCP Server Trigger
 * call them.
 */

const engine = useEngine();

/** A tool as n8n hands it to a node. */
interface Tool {
	invoke(input: object): Promise<string>;
}

const TYPE = 'n8n-nodes-messaging-channel.messagingChannelTool';

/** A workflow in which a node has the package's as its tool. */
function workflowWith(callerType: INodeType, parameters: INodeParameters, more: Partial<INode> = {}) {
	const { description } = new MessagingChannel();
	const tool = Object.assign(new MessagingChannel(), {
		description: { ...description, inputs: [], outputs: ['ai_tool'] },
	});
	const typeOf = (type: string) => (type === TYPE ? tool : callerType);
	const credentials = { messagingChannelApi: { id: '1', name: 'Messaging Channel' } };
	const to = { __rl: true, mode: 'phone', value: person(1) };
	const message = "={{ $fromAI('text', '', 'string') }}";
	return workflowOf(
		[
			nodeOf('Caller'),
			nodeOf('Tool', {
				type: TYPE,
				parameters: { resource: 'message', operation: 'send', to, message, ...parameters },
				credentials,
				...more,
			}),
		],
		{ Tool: { ai_tool: [[{ node: 'Caller', type: 'ai_tool', index: 0 }]] } },
		typeOf,
	);
}

const caller = (execute?: (this: IExecuteFunctions) => Promise<unknown>) =>
	({
		description: { inputs: ['main', 'ai_tool'], outputs: ['main'], properties: [] },
		execute,
	}) as unknown as INodeType;

describe('in an MCP Server Trigger', () => {
	/** What n8n gives the trigger when a client calls the tool: data of an execution that it does not start. */
	const toolIn = async (more: Partial<INode> = {}) => {
		const workflow = workflowWith(caller(), { options: { afterAmbiguousSend: 'fail' } }, more);
		const additional = { ...additionalData(() => engine.account), httpRequest: { body: {} } } as never;
		const node = workflow.getNode('Caller') as INode;
		const nodeExecutionStack = [{ node, data: { main: [] }, source: null }];
		const context = new WebhookContext(
			workflow,
			node,
			additional,
			'webhook',
			{} as IWebhookData,
			[],
			createRunExecutionData({ executionData: { nodeExecutionStack } }),
		);
		const [tool] = (await context.getInputConnectionData('ai_tool', 0)) as [Tool];
		return tool;
	};

	test('the next try does not send again what may have been sent', async () => {
		await engine.loseSend('before');
		const tool = await toolIn({ retryOnFail: true, maxTries: 2, waitBetweenTries: 0 });

		await expect(tool.invoke({ text: 'Hello' })).rejects.toThrow('may have been sent');
		expect(await engine.requests('message.send')).toHaveLength(1);
	});

	test('in queue mode, where n8n names the tool itself as the node that runs, a question is refused', async () => {
		const workflow = workflowWith(caller(), { operation: 'sendAndWait', message: 'Which color?' });
		const node = workflow.getNode('Tool') as INode;
		const items = [{ json: {} }];
		const context = new SupplyDataContext(
			workflow,
			node,
			additionalData(() => engine.account),
			'webhook',
			createRunExecutionData(),
			0,
			items,
			{ main: [items] },
			'ai_tool',
			{ node, data: { main: [items] }, source: null },
			[],
		);
		context.addInputData('ai_tool', [items]);
		const { execute } = new MessagingChannel();

		await expect(execute.call(context as unknown as IExecuteFunctions)).rejects.toThrow(
			"'Operation' cannot wait for a response here",
		);
		expect(await engine.accepted()).toEqual([]);
	});
});

test('in an agent that calls its tools itself, a question is refused, because no answer could reach it', async () => {
	const answers: unknown[] = [];
	const agent = caller(async function () {
		const [tool] = (await this.getInputConnectionData('ai_tool', 0)) as [Tool];
		answers.push(await tool.invoke({ text: 'Which color?' }).catch(({ message }: Error) => message));
		return [[{ json: {} }]];
	});
	const workflow = workflowWith(agent, { operation: 'sendAndWait', responseType: 'freeText' });
	const additional = dataForRun(engine);
	const run = new WorkflowExecute(additional, 'manual', createRunExecutionData());

	const { data } = await run.run({ workflow, startNode: workflow.getNode('Caller') as INode });

	expect(answers).toEqual([
		expect.stringContaining("'Operation' cannot wait for a response here\n\nDetails: Ask with"),
	]);
	expect(data.waitTill).toBeUndefined();
	expect(await engine.accepted()).toEqual([]);
});
