import type { INode, INodeParameters } from 'n8n-workflow';

import type { Execution } from '../n8n/execution';
import { fileNode, itemsNode, manualTrigger, messagingChannel, workflow } from '../n8n/workflow';
import type { InputItem, OperationCases } from '../operations/case';
import type { World } from './world';

/** The name of the node that a workflow of `operationWorkflow` is about. */
export const OPERATION = 'Operation';

/** The name of the node that puts out its input. */
const INPUT = 'Input';

type Selected = Pick<OperationCases, 'resource' | 'operation'>;

/** Runs one operation in a workflow of its own, in a time zone three hours ahead of UTC. */
export async function runOperation(
	{ n8n, credential }: Pick<World, 'n8n' | 'credential'>,
	{ resource, operation }: Selected,
	parameters: INodeParameters,
	{ input = [{}], ...extra }: Partial<INode> & { input?: readonly InputItem[] } = {},
): Promise<Execution> {
	const node = messagingChannel(OPERATION, { resource, operation, ...parameters }, credential, extra);
	const definition = workflow(`${resource}: ${operation}`, [manualTrigger(), ...inputNodes(input), node]);
	const settings = { ...definition.settings, timezone: 'Europe/Istanbul' };
	const { id } = await n8n.api.createWorkflow({ ...definition, settings });
	return await n8n.api.run(id);
}

function inputNodes(input: readonly InputItem[]): INode[] {
	const items = itemsNode(
		input.map(({ json, file }) => ({ ...json, ...file })),
		INPUT,
	);
	if (!input.some(({ file }) => file)) return items;
	return [
		...items,
		fileNode({ fileName: '={{ $json.fileName }}', mimeType: '={{ $json.mimeType }}' }, 'File'),
	];
}
