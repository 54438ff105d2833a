import { withOwnAgents } from '../support/n8n/environment';
import { startModelServer, type ModelServer } from '../support/n8n/modelServer';
import { manualTrigger, node, workflow } from '../support/n8n/workflow';
import { operations } from '../support/operations';
import { expectedParts, matching, partsOf } from '../support/operations/expectations';
import { describeWhere } from '../support/world/describeWhere';
import { startWorld, type World } from '../support/world/world';
import { agentTools, callEach, type AgentTool, type Outcome } from './agentTools';

/** What n8n's Agents do with a tool is the same for all: these have most kinds of fields. An Agent ends after some turns. */
const TOOLS = [
	'message:send',
	'media:sendImage',
	'contact:update',
	'template:send',
	'scheduledMessage:create',
];

const AGENT = 'n8n-nodes-base.messageAnAgent';

let world: World;
let model: ModelServer;

beforeAll(async () => {
	// Its Agents have no workflow, whose time zone would count.
	world = await startWorld({ env: { ...withOwnAgents, GENERIC_TIMEZONE: 'Europe/Istanbul' } });
	model = await startModelServer();
});

afterAll(async () => {
	await model?.stop();
	await world?.stop();
});

type Tool = Pick<AgentTool, 'name' | 'parameters'> & {
	operation: Pick<AgentTool['operation'], 'resource' | 'operation'>;
};

/** Has an Agent of n8n's own with these tools, which is no node of a workflow, do what the model says. */
async function runAgent(tools: readonly Tool[]): Promise<void> {
	const { id, name } = world.credential;
	const openAi = await world.n8n.api.createCredential('openAiApi', 'Scripted model', {
		apiKey: 'any',
		url: model.baseUrl,
	});
	const config = {
		name: 'Agent',
		model: 'openai/scripted',
		credential: openAi.id,
		instructions: 'Do it.',
		tools: tools.map(({ name: toolName, operation, parameters }) => ({
			type: 'node',
			name: toolName,
			node: {
				nodeType: 'n8n-nodes-messaging-channel.messagingChannelTool',
				nodeTypeVersion: 1,
				nodeParameters: { resource: operation.resource, operation: operation.operation, ...parameters },
				credentials: { messagingChannelApi: { id, name } },
			},
		})),
	};
	const parameters = { agentSource: 'inline', inlineAgent: { config }, message: 'Go' };
	const agent = node('Agent', AGENT, parameters as never, { typeVersion: 3.1 });
	const { id: workflowId } = await world.n8n.api.createWorkflow(workflow('Agent', [manualTrigger(), agent]));
	expect((await world.n8n.api.run(workflowId, 'Start')).error).toBeUndefined();
}

describeWhere(
	'ownAgents',
	() => {
		const tools = agentTools(
			operations.filter(({ resource, operation }) => TOOLS.includes(`${resource}:${operation}`)),
		);
		let outcomes: Map<string, Outcome>;

		beforeAll(async () => {
			outcomes = callEach(model, world, tools);
			await runAgent(tools);
		});

		test.each(tools)('$name sends what the model gives, and shows it what came of it', ({ name, run }) => {
			const { requests = [], answer = '{}' } = outcomes.get(name) ?? {};
			expect(requests.map(partsOf)).toEqual(run.requests.map(expectedParts));
			expect(JSON.parse(answer)).toMatchObject({
				data: run.items.map(({ json }) => ({ json: matching(json) })),
			});
		});
	},
	() => {
		test('there is no node for them', async () => {
			await expect(world.n8n.api.nodeType(AGENT)).rejects.toThrow();
		});
	},
);
