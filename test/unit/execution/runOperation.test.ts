import { MessagingChannel } from '../../../nodes/MessagingChannel/MessagingChannel.node';
import { contextOf } from './context';

test.each([
	['nothing', 'send'],
	['message', 'nothing'],
])('an operation that the node does not have (%s, %s) is an error', async (resource, operation) => {
	const selected: Record<string, string> = { resource, operation };
	const context = contextOf({
		getExecutionCancelSignal: () => undefined,
		getNodeParameter: (name: string) => selected[name],
		getNode: () => ({ name: 'Messaging Channel', type: 'messagingChannel' }),
		getInputData: () => [{ json: {} }],
		continueOnFail: () => false,
	});
	await expect(new MessagingChannel().execute.call(context)).rejects.toThrow(
		`The operation '${operation}' is not supported for the resource '${resource}'`,
	);
});
