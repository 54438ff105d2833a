import '../../support/engine/n8nFolder';

import { ExecuteContext } from 'n8n-core';
import {
	createEmptyRunExecutionData,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
} from 'n8n-workflow';

import { MessagingChannel } from '../../../nodes/MessagingChannel/MessagingChannel.node';
import { additionalData } from '../../support/engine/context';
import { person, useEngine } from '../../support/engine/engine';
import { nodeOf, workflowOf } from '../../support/engine/workflow';

/*
 * Agents of n8n's own, which are no nodes of a workflow, run a tool without an execution: node-execution/ephemeral-node-executor.js of n8n.
 */

const engine = useEngine();

/** Calls the node as such an Agent does; resolves to what the model gets. Each call makes a node anew. */
async function call(
	parameters: INodeParameters,
	input: INodeExecutionData['json'] = {},
): Promise<unknown[] | string> {
	const tool = nodeOf('Target Node', {
		id: String(Math.random()),
		type: 'n8n-nodes-messaging-channel.messagingChannelTool',
		parameters,
		credentials: { messagingChannelApi: { id: engine.account.apiKey, name: 'Messaging Channel' } },
	});
	const workflow = workflowOf([tool], {}, () => new MessagingChannel() as INodeType);
	const items = [{ json: input }];
	const data = { main: [items] };
	const context = new ExecuteContext(
		workflow,
		tool,
		{ ...additionalData(() => engine.account), executionId: undefined },
		'internal',
		createEmptyRunExecutionData(),
		0,
		items,
		data,
		{ node: tool, data, source: null },
		[],
	);
	try {
		const [output = []] = await new MessagingChannel().execute.call(context as IExecuteFunctions);
		return output.map(({ json }) => json);
	} catch (error) {
		return (error as Error).message;
	}
}

const sendTo = (message: string, options: INodeParameters = {}): INodeParameters => ({
	resource: 'message',
	operation: 'send',
	to: { __rl: true, mode: 'phone', value: person(1) },
	message,
	options,
});

test('sends each message that it is asked for, also the same one again', async () => {
	const sent = [expect.objectContaining({ queued: true })];
	expect(await call(sendTo('Hello'))).toEqual(sent);
	expect(await call(sendTo('Hello'))).toEqual(sent);
	expect(await engine.accepted()).toEqual(['Hello', 'Hello']);
});

test('tells the model what was wrong, and what to do', async () => {
	const to = { __rl: true, mode: 'phone', value: 'Ada' };
	expect(await call({ ...sendTo('Hello'), to })).toMatch(
		/^'To' is not a valid phone number: 'Ada'\. [A-Z].*\.$/,
	);
	expect(await engine.requests()).toEqual([]);
});

test('does not send again what may have been sent', async () => {
	await engine.service.control.addFault({
		kind: 'reset',
		operationId: 'message.send',
		when: 'after',
		times: 1,
	});
	const options = { afterAmbiguousSend: 'fail' };

	expect(await call(sendTo('Perhaps', options))).toMatch(/may have been sent\. [A-Z]/);
	await call(sendTo('Perhaps', options));
	expect(await call(sendTo('Another', options))).toEqual([expect.objectContaining({ queued: true })]);

	expect(await engine.accepted()).toEqual(['Perhaps', 'Another']);
});

test('refuses a request ID, for which nothing would be stored', async () => {
	expect(await call(sendTo('Hello', { requestId: 'hello-1' }))).toMatch(
		/^'Request ID' cannot be used here, .*\. Remove this option, .*'AI Agent' node\.$/,
	);
	expect(await engine.requests()).toEqual([]);
});
