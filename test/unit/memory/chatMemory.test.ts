import type { INode, ISupplyDataFunctions } from 'n8n-workflow';

import { virtualClock } from '../../support/engine/clock';
import { MessagingChannelMemory } from '../../../nodes/MessagingChannel/MessagingChannelMemory.node';
import { supplyChatMemory } from '../../../nodes/MessagingChannel/memory/chatMemory';

const memory = new MessagingChannelMemory();

test('an n8n without memory nodes of packages is told which version it needs', async () => {
	const context = { getNode: () => ({ name: 'Memory' }) as INode } as ISupplyDataFunctions;
	const importSdk = async () => await Promise.reject(new Error("Cannot find module '@n8n/ai-node-sdk'"));

	await expect(supplyChatMemory(context, 0, virtualClock(), importSdk)).rejects.toMatchObject({
		name: 'NodeOperationError',
		message: 'A memory node of a package needs n8n 2.16 or later',
		description: 'Update n8n, or connect one of its own memory nodes.',
	});
});

test('the node names the parameter that is not valid, and its value', async () => {
	const context = {
		getNode: () => ({ name: 'Memory' }) as INode,
		getExecutionCancelSignal: () => undefined,
		getTimezone: () => 'UTC',
		getNodeParameter: (name: string) => (name === 'chatId' ? 'Ada Lovelace' : ''),
	} as unknown as ISupplyDataFunctions;

	await expect(memory.supplyData.call(context, 0)).rejects.toThrow(
		"'Chat' is not a valid chat ID: 'Ada Lovelace'",
	);
});
