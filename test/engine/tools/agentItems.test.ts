import '../../support/engine/n8nFolder';

import { WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	type IConnections,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type ISupplyDataFunctions,
} from 'n8n-workflow';

import { MEMORY_PROPERTIES } from '../../../nodes/MessagingChannel/memory/memoryProperties';
import { person, useEngine } from '../../support/engine/engine';
import { dataForRun } from '../../support/engine/context';
import { foreignType, lineTo, nodeOf, toolCall, workflowOf } from '../../support/engine/workflow';

/*
 * Which chat the memory has in an agent is n8n's own doing. If one of these tests fails with another n8n, the default of the
 * memory node and docs/chat-memory.md have to change.
 */

const engine = useEngine();

const [ADA, BEN] = [1, 2].map((number) => `${person(number)}@c.us`);
const CHATS = [ADA, BEN].map((id) => ({ json: { chat: { id } } }));

const paired = (items: INodeExecutionData[], json = {}) => [
	items.map((_, item) => ({ json, pairedItem: { item } })),
];

/** An agent that calls its tool once, as n8n's own does from version 3 on. It takes its memory before and after. */
const agent = foreignType(
	async function ({ actionResponses }: { actionResponses: unknown[] }) {
		await this.getInputConnectionData('ai_memory', 0);
		if (actionResponses.length > 0) return paired(this.getInputData());
		return { actions: [toolCall('Tool')], metadata: {} };
	},
	{ inputs: ['main', 'ai_memory'] },
);

const MEMORY_DEFAULT = (
	MEMORY_PROPERTIES.find(({ name }) => name === 'chatId')?.default as { value: string }
).value.replaceAll('Messaging Channel Trigger', 'Trigger');

/** A memory that tells which chat it is to remember. */
const memory = (chats: unknown[]) =>
	({
		description: {
			inputs: [],
			outputs: ['ai_memory'],
			properties: [{ displayName: 'Chat', name: 'chatId', type: 'string', default: '' }],
		},
		supplyData(this: ISupplyDataFunctions) {
			chats.push(this.getNodeParameter('chatId', 0));
			return { response: {} };
		},
	}) as unknown as INodeType;

/** Gives on one item of the trigger in each pass. */
const loop = (count: number) => {
	let pass = 0;
	return foreignType(
		() => {
			const item = pass++;
			if (item >= count) return [[{ json: {} }], []];
			const source = { previousNode: 'Trigger', previousNodeOutput: 0, previousNodeRun: 0 };
			return [[], [{ json: {}, pairedItem: { item, sourceOverwrite: source } }]];
		},
		{ outputs: 2 },
	);
};

test.each([
	['a message', 1, [ADA, ADA]],
	['each of several', 2, [ADA, ADA, BEN, BEN]],
])('for %s, the memory has its chat, also after a tool was used', async (_, count, expected) => {
	const chats: unknown[] = [];
	const types: Record<string, INodeType> = {
		Trigger: foreignType(() => [CHATS.slice(0, count)]),
		Loop: loop(count),
		// The chat is not in its items any more.
		Before: foreignType(function () {
			return paired(this.getInputData());
		}),
		Agent: agent,
		Tool: foreignType(() => [[{ json: {} }]]),
		Memory: memory(chats),
	};
	const connections: IConnections = {
		Trigger: { main: [lineTo('Loop')] },
		Loop: { main: [[], lineTo('Before')] },
		Before: { main: [lineTo('Agent')] },
		Agent: { main: [lineTo('Loop')] },
		Tool: { ai_tool: [lineTo('Agent', 'ai_tool')] },
		Memory: { ai_memory: [lineTo('Agent', 'ai_memory')] },
	};
	const nodes = Object.keys(types).map((name) =>
		nodeOf(name, name === 'Memory' ? { parameters: { chatId: MEMORY_DEFAULT } } : {}),
	);
	const workflow = workflowOf(nodes, connections, (type) => types[type] as INodeType);

	const run = new WorkflowExecute(dataForRun(engine), 'manual', createRunExecutionData());
	await run.run({ workflow, startNode: workflow.getNode('Trigger') as INode });

	expect(chats).toEqual(expected);
});
