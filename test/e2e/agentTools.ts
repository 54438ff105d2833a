import type { INodeParameters, NodeParameterValueType } from 'n8n-workflow';

import { isRecord } from '../../nodes/MessagingChannel/api/values';
import type { ModelServer, Reply } from '../support/n8n/modelServer';
import { operations } from '../support/operations';
import type { Case, OperationCases } from '../support/operations/case';
import { prepareService } from '../support/operations/expectations';
import type { RequestRecord } from '../support/service/core/requestLog';
import type { World } from '../support/world/world';

/** One operation as a tool. */
export interface Tool {
	/** How the model calls it. */
	name: string;
	operation: Pick<OperationCases, 'resource' | 'operation'>;
	parameters: INodeParameters;
}

/** One operation as a tool, each of its fields filled in by the model. */
interface AgentTool extends Tool {
	operation: OperationCases;
	/** What the case shows; its parameters are what the model gives. */
	run: Case;
	/** What the model gives. */
	arguments: Record<string, unknown>;
	/** The JSON Schema type of each argument; one that the model is told nothing about has none. */
	types: Record<string, string | undefined>;
}

/** What became of one call of a tool. */
export interface Outcome {
	requests: RequestRecord[];
	/** What the model got to read. */
	answer: string;
}

/**
 * Fields that n8n looks at to decide which others there are, so that they cannot be filled in at run time, and n8n's own
 * notes in a resource mapper or locator.
 */
const FIXED = ['mediaSource', 'returnAll', 'mode', '__rl', 'mappingMode', 'matchingColumns', 'schema'];

/** What n8n does with a tool is the same for all: these have most kinds of fields. Some agents end after some turns. */
const TOOLS = [
	'message:send',
	'media:sendImage',
	'contact:update',
	'template:send',
	'scheduledMessage:create',
];

/** Operations as tools, each with the richest of its cases that a model can call: it has no files to give. */
export function agentTools(): AgentTool[] {
	return TOOLS.map((name) => {
		const operation = operations.find((each) => `${each.resource}:${each.operation}` === name);
		const { minimal, full = minimal, more = {} } = operation ?? {};
		const run = [full, minimal, ...Object.values(more)].find((each) => each && isCallable(each));
		if (!operation || !run) throw new Error(`There is no case of ${name} that a model can call`);
		return toolOf(operation, run);
	});
}

/** Has the model call each tool once. What came of it is there, by the name of the tool, when the execution has ended. */
export function callEach(
	model: ModelServer,
	world: World,
	tools: readonly AgentTool[],
): Map<string, Outcome> {
	const outcomes = new Map<string, Outcome>();
	const toCall = [...tools];
	let called: AgentTool | undefined;
	model.play(async ({ messages }): Promise<Reply> => {
		if (called) {
			const requests = await world.service.control.requests();
			outcomes.set(called.name, { requests, answer: messages.at(-1)?.content ?? '' });
		}
		called = toCall.shift();
		if (!called) return { text: 'Done.' };
		await prepareService(world, called.operation);
		return { tool: called.name, arguments: called.arguments };
	});
	return outcomes;
}

function isCallable({ parameters, input }: Case): boolean {
	return input === undefined && !JSON.stringify(parameters).includes('"={{');
}

function toolOf(operation: OperationCases, run: Case): AgentTool {
	const tool: AgentTool = {
		operation,
		run,
		name: `${operation.resource}_${operation.operation}`,
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
