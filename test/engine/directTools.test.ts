import '../support/engine/n8nFolder';

import { WebhookContext } from 'n8n-core';
import {
	createRunExecutionData,
	Workflow,
	type INode,
	type INodeParameters,
	type INodeType,
	type IWebhookData,
} from 'n8n-workflow';

import { MessagingChannel } from '../../nodes/MessagingChannel/MessagingChannel.node';
import { additionalData } from '../support/engine/context';
import { person, useEngine } from '../support/engine/engine';

const engine = useEngine();

/** A tool as n8n hands it to a node. */
interface Tool {
	invoke(input: object): Promise<string>;
}

const TYPE = 'n8n-nodes-messaging-channel.messagingChannelTool';

const nodeOf = (name: string, more: Partial<INode> = {}): INode => ({
	id: name,
	name,
	type: name,
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
	...more,
});

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
	return new Workflow({
		nodes: [
			nodeOf('Caller'),
			nodeOf('Tool', {
				type: TYPE,
				parameters: { resource: 'message', operation: 'send', to, message, ...parameters },
				credentials,
				...more,
			}),
		],
		connections: { Tool: { ai_tool: [[{ node: 'Caller', type: 'ai_tool', index: 0 }]] } },
		active: false,
		settings: { executionOrder: 'v1' },
		nodeTypes: { getByName: typeOf, getByNameAndVersion: typeOf, getKnownTypes: () => ({}) },
	});
}

const caller = () =>
	({
		description: { inputs: ['main', 'ai_tool'], outputs: ['main'], properties: [] },
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
});
