import type { IExecuteFunctions, INode } from 'n8n-workflow';

import {
	allItems,
	hasErrorOutput,
	keepToolOutput,
	leftOutItems,
	withoutEmptyItem,
} from '../../../nodes/MessagingChannel/n8n/ownNode';

/** A node that n8n runs with three items, or that the node of this name calls as its tool. */
const contextOf = (settings: Partial<INode>, runs = 'Send') => {
	const node = { name: 'Send', type: 'messagingChannel', ...settings } as INode;
	const items = [{ json: {} }, { json: {} }, { json: {} }];
	const executed = { node: { ...node, name: runs }, data: { main: [items] }, source: null };
	const context = {
		getNode: () => node,
		getExecuteData: () => executed,
		getInputData: () => (settings.executeOnce ? items.slice(0, 1) : items),
	} as unknown as IExecuteFunctions;
	return { context, executed, before: executed.node };
};

const TOOL = { type: 'messagingChannelTool', onError: 'continueErrorOutput' } as const;

test('with Execute Once, the items that n8n leaves out are found, but not those of an agent', () => {
	expect(allItems(contextOf({ executeOnce: true }).context)).toHaveLength(3);
	expect(leftOutItems(contextOf({ executeOnce: true }).context)).toBe(2);
	expect(leftOutItems(contextOf({ executeOnce: true }, 'Agent').context)).toBe(0);
	expect(leftOutItems(contextOf({}).context)).toBe(0);
});

test('only a node that is no tool has an error output', () => {
	expect(hasErrorOutput(contextOf({ onError: 'continueErrorOutput' }).context)).toBe(true);
	expect(hasErrorOutput(contextOf({ onError: 'continueRegularOutput' }).context)).toBe(false);
	expect(hasErrorOutput(contextOf(TOOL).context)).toBe(false);
});

test('the settings change for this run only, and never those of an agent that calls the tool', () => {
	const always = contextOf({ alwaysOutputData: true });
	withoutEmptyItem(always.context);
	expect(always.executed.node).toEqual({ ...always.before, alwaysOutputData: false });
	expect(always.before.alwaysOutputData).toBe(true);

	const tool = contextOf(TOOL);
	keepToolOutput(tool.context);
	expect(tool.executed.node).toEqual({ ...tool.before, onError: 'continueRegularOutput' });

	const called = contextOf({ ...TOOL, alwaysOutputData: true }, 'Agent');
	keepToolOutput(called.context);
	withoutEmptyItem(called.context);
	expect(called.executed.node).toBe(called.before);
});

test.each([{}, { onError: 'continueErrorOutput' }] as const)('a node stays as it is with %j', (settings) => {
	const { context, executed, before } = contextOf(settings);
	keepToolOutput(context);
	withoutEmptyItem(context);
	expect(executed.node).toBe(before);
});
