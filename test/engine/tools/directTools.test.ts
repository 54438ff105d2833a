import '../../support/engine/n8nFolder';

import { WebhookContext, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	type IExecuteFunctions,
	type INode,
	type INodeParameters,
	type INodeType,
	type IWebhookData,
} from 'n8n-workflow';

import { MessagingChannel } from '../../../nodes/MessagingChannel/MessagingChannel.node';
import { person, useEngine } from '../../support/engine/engine';
import { additionalData, dataForRun } from '../../support/engine/context';
import { foreignType, lineTo, nodeOf, workflowOf } from '../../support/engine/workflow';
import { byPhone } from '../../support/operations/parameters';

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
	const to = byPhone(person(1));
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
		{ Tool: { ai_tool: [lineTo('Caller', 'ai_tool')] } },
		typeOf,
	);
}

const caller = (execute: (this: IExecuteFunctions) => unknown = () => []) =>
	foreignType(execute, { inputs: ['main', 'ai_tool'] });

test('in an MCP Server Trigger, the next try does not send again what may have been sent', async () => {
	const retrying = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
	const workflow = workflowWith(caller(), { options: { afterAmbiguousSend: 'fail' } }, retrying);
	const node = workflow.getNode('Caller') as INode;
	// When a client calls the tool, n8n gives the trigger data of an execution that it does not start.
	const nodeExecutionStack = [{ node, data: { main: [] }, source: null }];
	const context = new WebhookContext(
		workflow,
		node,
		{ ...additionalData(() => engine.account), httpRequest: { body: {} } } as never,
		'webhook',
		{} as IWebhookData,
		[],
		createRunExecutionData({ executionData: { nodeExecutionStack } }),
	);
	const [tool] = (await context.getInputConnectionData('ai_tool', 0)) as [Tool];
	await engine.loseSend('before');

	await expect(tool.invoke({ text: 'Hello' })).rejects.toThrow('may have been sent');
	expect(await engine.requests('message.send')).toHaveLength(1);
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
