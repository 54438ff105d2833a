import type { IExecuteFunctions, INode } from 'n8n-workflow';

import { actionRunOf } from '../../../nodes/MessagingChannel/n8n/actionRun';
import { allItems, withoutEmptyItem } from '../../../nodes/MessagingChannel/n8n/ownNode';

/** A node that n8n runs with three items, or that the node of this name calls as its tool. */
const contextOf = (settings: Partial<INode>, runs = 'Send') => {
	const node = { name: 'Send', type: 'messagingChannel', ...settings } as INode;
	const items = [{ json: {} }, { json: {} }, { json: {} }];
	const executed = { node: { ...node, name: runs }, data: { main: [items] }, source: null };
	const context = {
		getNode: () => node,
		getExecuteData: () => executed,
		getInputData: () => (settings.executeOnce ? items.slice(0, 1) : items),
		getNodeParameter: () => 'message',
		getTimezone: () => 'UTC',
		continueOnFail: () => true,
		getWorkflowDataProxy: () => ({ $runIndex: 0 }),
		getMode: () => 'manual',
		getContext: () => ({}),
		getExecutionCancelSignal: () => undefined,
	} as unknown as IExecuteFunctions;
	return { context, executed, before: executed.node };
};

const TOOL = { type: 'messagingChannelTool', onError: 'continueErrorOutput' } as const;

test('with Execute Once, the items that n8n leaves out are found, but not those of an agent', () => {
	expect(allItems(contextOf({ executeOnce: true }).context)).toHaveLength(3);
	expect(actionRunOf(contextOf({ executeOnce: true }).context).leftOut).toBe(2);
	expect(actionRunOf(contextOf({ executeOnce: true }, 'Agent').context).leftOut).toBe(0);
	expect(actionRunOf(contextOf({}).context).leftOut).toBe(0);
});

test('only a node that is no tool has an error output', () => {
	const hasErrorOutput = (settings: Partial<INode>) =>
		actionRunOf(contextOf(settings).context).hasErrorOutput;
	expect(hasErrorOutput({ onError: 'continueErrorOutput' })).toBe(true);
	expect(hasErrorOutput({ onError: 'continueRegularOutput' })).toBe(false);
	expect(hasErrorOutput(TOOL)).toBe(false);
});

test('the settings change for this run only, and never those of an agent that calls the tool', () => {
	const always = contextOf({ alwaysOutputData: true });
	withoutEmptyItem(always.context);
	expect(always.executed.node).toEqual({ ...always.before, alwaysOutputData: false });
	expect(always.before.alwaysOutputData).toBe(true);

	const tool = contextOf(TOOL);
	actionRunOf(tool.context);
	expect(tool.executed.node).toEqual({ ...tool.before, onError: 'continueRegularOutput' });

	const called = contextOf({ ...TOOL, alwaysOutputData: true }, 'Agent');
	actionRunOf(called.context);
	withoutEmptyItem(called.context);
	expect(called.executed.node).toBe(called.before);
});

test.each([{}, { onError: 'continueErrorOutput' }] as const)('a node stays as it is with %j', (settings) => {
	const { context, executed, before } = contextOf(settings);
	actionRunOf(context);
	withoutEmptyItem(context);
	expect(executed.node).toBe(before);
});
