import type { INode, INodeParameters } from 'n8n-workflow';

import type { Execution } from '../n8n/execution';
import { fileNode, itemsNode, manualTrigger, messagingChannel, workflow } from '../n8n/workflow';
import type { Expected, ExpectedRequest, InputItem, OperationCases } from '../operations/case';
import type { RequestRecord } from '../service/control';
import type { World } from './world';

/** The path that every base URL ends with. */
export const prefix = '/api/v1/whatsapp/external';

/** The name of the node that a workflow of `operationWorkflow` is about. */
export const OPERATION = 'Operation';

/** The name of the node that puts out its input. */
export const INPUT = 'Input';

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

/** Empties the service and puts into it what the operation needs. */
export async function prepareService(
	{ service }: Pick<World, 'service'>,
	{ seed, calls = [], queueHeld }: Pick<OperationCases, 'seed' | 'calls' | 'queueHeld'>,
): Promise<void> {
	await service.control.reset();
	if (queueHeld) await service.control.holdQueue();
	if (seed) await service.control.seed(seed);
	for (const { method, path, body } of calls) {
		const response = await fetch(service.baseUrl + path, {
			method,
			headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
			body: body && JSON.stringify(body),
		});
		if (!response.ok) throw new Error(`${method} ${path} answered ${await response.text()}`);
	}
	await service.control.clearRequests();
}

/** The parts of a received request that a case speaks of. */
export const partsOf = ({ method, path, query, body, multipart }: RequestRecord) => ({
	method,
	path,
	query,
	body,
	multipart,
});

/** What `partsOf` must give for a request. */
export const expectedParts = ({ path, query = {}, ...request }: ExpectedRequest): unknown => ({
	...(matching(request as unknown as Expected) as object),
	path: prefix + path,
	query,
});

/** The value, with Jest's matchers in place of its patterns. */
export function matching(value: Expected): unknown {
	if (value instanceof RegExp) return expect.stringMatching(value);
	if (isList(value)) return value.map(matching);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, matching(part)]));
}

const isList = (value: Expected): value is readonly Expected[] => Array.isArray(value);
