import type { INodeParameters, NodeParameterValueType } from 'n8n-workflow';

import { isRecord } from '../../nodes/MessagingChannel/api/values';
import type { Case, OperationCases } from '../support/operations/case';

/** One operation as a tool, each of its fields filled in by the model. */
export interface AgentTool {
	operation: OperationCases;
	/** What the case shows; its parameters are what the model gives. */
	run: Case;
	/** How the model calls it. */
	name: string;
	parameters: INodeParameters;
	/** What the model gives. */
	arguments: Record<string, unknown>;
	/** The JSON Schema type of each argument; one that the model is told nothing about has none. */
	types: Record<string, string | undefined>;
}

/**
 * Fields that n8n looks at to decide which others there are, so that they cannot be filled in at run time, and n8n's own
 * notes in a resource mapper or locator.
 */
const FIXED = ['mediaSource', 'returnAll', 'mode', '__rl', 'mappingMode', 'matchingColumns', 'schema'];

/** The operations as tools, each with the richest of its cases that a model can call: it has no files to give. */
export function agentTools(operations: readonly OperationCases[]): AgentTool[] {
	return operations.flatMap((operation) => {
		const { minimal, full, more = {} } = operation;
		const [richest] = [full, minimal].filter((run) => run !== undefined).filter(isCallable);
		const runs = richest ? [richest] : Object.values(more).filter(isCallable);
		return runs.map((run, index) => toolOf(operation, run, index));
	});
}

function isCallable({ parameters, input }: Case): boolean {
	return input === undefined && !JSON.stringify(parameters).includes('"={{');
}

function toolOf(operation: OperationCases, run: Case, index: number): AgentTool {
	const tool: AgentTool = {
		operation,
		run,
		name: [operation.resource, operation.operation, index || []].flat().join('_'),
		parameters: {},
		arguments: {},
		types: {},
	};
	tool.parameters = filledIn(tool, run.parameters, []);
	return tool;
}

function filledIn(tool: AgentTool, parameters: INodeParameters, path: string[]): INodeParameters {
	const entries = Object.entries(parameters).map(([name, value]) => {
		if (name === 'mode' && value === 'list') return [name, 'id'];
		return [name, FIXED.includes(name) ? value : fromModel(tool, value, [...path, name])];
	});
	return Object.fromEntries(entries) as INodeParameters;
}

function fromModel(tool: AgentTool, value: NodeParameterValueType, path: string[]): NodeParameterValueType {
	if (isRecord(value)) return filledIn(tool, value as INodeParameters, path);
	// n8n's schema does not allow an empty list.
	if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return value;
	const given = typeof value === 'string' && /^\s*\{/.test(value) ? (JSON.parse(value) as unknown) : value;
	const type = typeof given === 'object' ? 'json' : typeof given;
	const key = path.filter((part) => part !== 'value').join('_');
	tool.arguments[key] = given;
	tool.types[key] = type === 'json' ? undefined : type;
	return `={{ $fromAI('${key}', 'The ${key}', '${type}') }}`;
}
