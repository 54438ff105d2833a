import Ajv from 'ajv';
import type { INode } from 'n8n-workflow';

import { withEagerExpressions, withOwnAgents } from '../support/n8n/environment';
import type { Execution } from '../support/n8n/execution';
import { modelNode, startModelServer, type ModelServer, type OfferedTool } from '../support/n8n/modelServer';
import { manualTrigger, node, workflow, type Connection } from '../support/n8n/workflow';
import { agentTools, callEach, type Outcome, type Tool } from './agentTools';
import { humanReview } from './humanReview';
import { ownAgents } from './ownAgents';
import { describeWhere } from '../support/world/describeWhere';
import { expectedParts, matching, partsOf, prepareService } from '../support/operations/expectations';
import { startWorld, type World } from '../support/world/world';

const tools = agentTools();

let world: World;
let model: ModelServer;

beforeAll(async () => {
	// n8n's own Agents have no workflow, whose time zone would count.
	const env = { ...withEagerExpressions, ...withOwnAgents, GENERIC_TIMEZONE: 'Europe/Istanbul' };
	world = await startWorld({ env });
	model = await startModelServer();
});

afterAll(async () => {
	await model?.stop();
	await world?.stop();
});

/** Runs an agent that has these tools and is asked nothing in particular. */
async function runAgent(toolNodes: INode[]) {
	const agent = node(
		'Agent',
		'@n8n/n8n-nodes-langchain.agent',
		{ promptType: 'define', text: 'Go', options: { maxIterations: 1_000 } },
		{ typeVersion: 3 },
	);
	return await runNodes([agent, ...toolNodes], toolsOf('Agent', toolNodes));
}

const toolsOf = (agent: string, toolNodes: INode[]): Connection[] => [
	{ from: 'Model', to: agent, type: 'ai_languageModel' },
	...toolNodes.map(({ name }): Connection => ({ from: name, to: agent, type: 'ai_tool' })),
];

/** Runs a workflow with these nodes, the first of which is started, and the scripted model. */
async function runNodes(nodes: [INode, ...INode[]], connections: Connection[]) {
	const chatModel = await modelNode(world.n8n.api, model);
	const definition = workflow(
		'Agent',
		[manualTrigger(), ...nodes, chatModel],
		[{ from: 'Start', to: nodes[0].name }, ...connections],
	);
	const settings = { ...definition.settings, timezone: 'Europe/Istanbul' };
	const { id } = await world.n8n.api.createWorkflow({ ...definition, settings });
	return await world.n8n.api.run(id, 'Start');
}

function toolNode({ name, operation, parameters }: Tool): INode {
	const { id, name: credentialName } = world.credential;
	return node(
		name,
		'n8n-nodes-messaging-channel.messagingChannelTool',
		{ resource: operation.resource, operation: operation.operation, ...parameters },
		{ credentials: { messagingChannelApi: { id, name: credentialName } } },
	);
}

describe('operations as tools of an agent', () => {
	let outcomes: Map<string, Outcome>;
	let offered: OfferedTool[];

	beforeAll(async () => {
		outcomes = callEach(model, world, tools);
		const execution = await runAgent(tools.map((tool) => toolNode(tool)));
		expect(execution.error).toBeUndefined();
		expect(execution.items('Agent').map(({ json }) => json.output)).toEqual(['Done.']);
		offered = model.turns[0]?.tools ?? [];
	});

	describe.each(tools)('$name', (tool) => {
		test('is offered with a schema that takes what the case gives', () => {
			const found = offered.find(({ name }) => name === tool.name);
			expect(found?.description).toMatch(/\S/);
			const properties = Object.entries(found?.parameters.properties ?? {}) as Array<
				[string, { type?: string }]
			>;
			expect(Object.fromEntries(properties.map(([key, { type }]) => [key, type]))).toEqual(tool.types);
			const isValid = new Ajv({ strict: false, logger: false }).compile(found?.parameters ?? false);
			expect(isValid(tool.arguments)).toBe(true);
		});

		test('sends what the model gives, and shows the model what came of it', () => {
			const { requests = [], answer } = outcomes.get(tool.name) ?? {};
			expect(requests.map(partsOf)).toEqual(tool.run.requests.map(expectedParts));
			expect(JSON.parse(answer ?? '')).toEqual(tool.run.items.map(({ json }) => matching(json)));
		});
	});
});

describe('a tool that fails', () => {
	const sends = {
		name: 'Send',
		operation: { resource: 'message', operation: 'send' },
		parameters: {
			to: { __rl: true, mode: 'phone', value: "={{ $fromAI('to', 'The phone number', 'string') }}" },
			message: "={{ $fromAI('message', 'The text', 'string') }}",
			options: { afterAmbiguousSend: 'fail' },
		},
	};
	const calls = [
		{ to: 'Ada', message: 'To nobody' },
		{ to: '905551112231', message: 'Perhaps' },
		{ to: '905551112231', message: 'Certainly' },
	];

	/** An agent that makes the calls, of which the second is not confirmed by the service. */
	async function sendAll(): Promise<Execution> {
		await prepareService(world, {});
		const second = { bodyHas: { message: 'Perhaps' }, when: 'after' } as const;
		await world.service.control.addFault({ kind: 'status', status: 504, error: 'send_timeout', ...second });
		model.play(({ messages }) => {
			const next = calls[messages.filter(({ role }) => role === 'tool').length];
			return next ? { tool: sends.name, arguments: next } : { text: 'Done.' };
		});
		return await runAgent([toolNode(sends)]);
	}

	describeWhere(
		'survivingToolErrors',
		() => {
			test('tells the model what happened, and does what it is told next', async () => {
				const execution = await sendAll();

				expect(execution.items('Agent').map(({ json }) => json.output)).toEqual(['Done.']);
				const accepted = (await world.service.control.accepted()).map(({ body }) => body);
				expect(accepted).toEqual(['Perhaps', 'Certainly']);
				const answers = model.turns.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? [];
				expect(answers.map(({ content }) => JSON.parse(content ?? '') as unknown)).toEqual([
					[{ error: expect.stringContaining("'Ada'") }],
					[{ error: 'The service did not confirm the message, but it may have been sent' }],
					[{ queued: true, outcome: 'queued', job_id: expect.any(String), to: '905551112231@c.us' }],
				]);
			});
		},
		() => {
			test('the agent ends with the error of its tool', async () => {
				const { status, error } = await sendAll();
				expect([status, error?.message]).toEqual(['error', expect.stringContaining("'Ada'")]);
				expect(await world.service.control.accepted()).toEqual([]);
			});
		},
	);
});

describe('a tool of the MCP Server Trigger', () => {
	/** Publishes the tool, and calls it as a client of the Model Context Protocol does. */
	async function publishSend(): Promise<(message: string) => Promise<string>> {
		const trigger = node(
			'MCP Server Trigger',
			'@n8n/n8n-nodes-langchain.mcpTrigger',
			{ path: 'messages' },
			{ typeVersion: 2, webhookId: 'messages' },
		);
		const send = toolNode({
			name: 'Send',
			operation: { resource: 'message', operation: 'send' },
			parameters: {
				to: { __rl: true, mode: 'phone', value: '905551112231' },
				message: "={{ $fromAI('message', 'The text', 'string') }}",
			},
		});
		const { id } = await world.n8n.api.createWorkflow(
			workflow('MCP', [trigger, send], [{ from: 'Send', to: trigger.name, type: 'ai_tool' }]),
		);
		await world.n8n.api.activate(id);

		let session: string | null = null;
		const request = async (content: object): Promise<string> => {
			const response = await fetch(`${world.n8n.url}/mcp/messages`, {
				method: 'POST',
				headers: {
					'content-type': 'application/json',
					accept: 'application/json, text/event-stream',
					...(session !== null && { 'mcp-session-id': session }),
				},
				body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...content }),
			});
			session ??= response.headers.get('mcp-session-id');
			return await response.text();
		};
		const clientInfo = { name: 'client', version: '1' };
		await request({
			method: 'initialize',
			params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo },
		});
		return async (message) =>
			await request({ method: 'tools/call', params: { name: 'Send', arguments: { message } } });
	}

	test('sends each message that it is asked for', async () => {
		await prepareService(world, {});
		const call = await publishSend();

		expect(await call('One')).toContain('job_id');
		expect(await call('Two')).toContain('job_id');

		expect((await world.service.control.accepted()).map(({ body }) => body)).toEqual(['One', 'Two']);
	});
});

humanReview(
	() => world,
	() => model,
);

describe("n8n's own Agents", () =>
	ownAgents(
		() => world,
		() => model,
	));
