import { executeFilter, type FilterValue, type INodeExecutionData } from 'n8n-workflow';

import { valueOf } from './expressions';
import { textOf } from './pages';

interface Example {
	nodes: Array<{ name: string; parameters: { conditions?: FilterValue } }>;
}

/** Whether the filter node of an example lets an item pass, which stands for those of all earlier nodes. */
function passes(example: string, node: string, item: INodeExecutionData): boolean {
	const { nodes } = JSON.parse(textOf(`examples/${example}.json`)) as Example;
	const filter = nodes.find(({ name }) => name === node)?.parameters.conditions;
	if (!filter) throw new Error(`The example has no filter '${node}'`);
	const resolved = (value: unknown) => valueOf(String(value).replace(/^=/, ''), item) as string;
	const conditions = filter.conditions.map((condition) => ({
		...condition,
		leftValue: resolved(condition.leftValue),
		rightValue: resolved(condition.rightValue),
	}));
	return executeFilter({ ...filter, conditions });
}

// Two messages of one second can arrive in any order.
test.each([
	['is one of its messages', 'first', true],
	['is one of its messages, whichever', 'second', true],
	['is not among its messages', 'third', false],
])('the AI agent answers only if the latest message of the chat %s', (_, id, answers) => {
	const item = { json: { id, messages: [{ id: 'first' }, { id: 'second' }] } };
	expect(passes('ai-agent', 'Nobody wrote meanwhile?', item)).toBe(answers);
});
