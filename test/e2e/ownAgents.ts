import { SEND_AND_WAIT_OPERATION } from 'n8n-workflow';

import type { ModelServer } from '../support/n8n/modelServer';
import { manualTrigger, node, workflow, type CredentialReference } from '../support/n8n/workflow';
import { expectedParts, matching, partsOf } from '../support/operations/expectations';
import { describeWhere, lacksOwnAgents, MESSAGE_AN_AGENT } from '../support/world/describeWhere';
import type { World } from '../support/world/world';
import { agentTools, callEach, type Outcome, type Tool } from './agentTools';
import { emptyService } from './examples/emptyService';
import { messageAnAgent } from './examples/messageAnAgent';

/** What n8n's own Agents, which are no nodes of a workflow, do with our tools. */
export function ownAgents(world: () => World, model: () => ModelServer): void {
	let openAi: CredentialReference;

	beforeAll(async () => {
		const secrets = { apiKey: 'any', url: model().baseUrl };
		openAi = await world().n8n.api.createCredential('openAiApi', 'Scripted model', secrets);
	});

	/** A tool as the configuration of an Agent has it. */
	function toolConfig({ name: toolName, operation, parameters }: Tool): object {
		const { id, name } = world().credential;
		return {
			type: 'node',
			name: toolName,
			node: {
				nodeType: 'n8n-nodes-messaging-channel.messagingChannelTool',
				nodeTypeVersion: 1,
				nodeParameters: { resource: operation.resource, operation: operation.operation, ...parameters },
				credentials: { messagingChannelApi: { id, name } },
			},
		};
	}

	/**
	 * Has an Agent of n8n's own, which is no node of a workflow, do what the model says.
	 *
	 * @returns why it failed; undefined if it did not
	 */
	async function runAgent(parameters: object): Promise<string | undefined> {
		const agent = node('Agent', MESSAGE_AN_AGENT, { ...parameters, message: 'Go' }, { typeVersion: 3.1 });
		const { id } = await world().n8n.api.createWorkflow(workflow('Agent', [manualTrigger(), agent]));
		return (await world().n8n.api.run(id, 'Start')).error?.message;
	}

	/** An Agent with these tools that is defined in the node. */
	const inlineAgent = (tools: object[]) => ({
		agentSource: 'inline',
		inlineAgent: {
			config: {
				name: 'Agent',
				model: 'openai/scripted',
				credential: openAi.id,
				instructions: 'Do it.',
				tools,
			},
		},
	});

	describeWhere(
		'ownAgents',
		() => {
			const tools = agentTools();
			let outcomes: Map<string, Outcome>;

			beforeAll(async () => {
				outcomes = callEach(model(), world(), tools);
				expect(await runAgent(inlineAgent(tools.map(toolConfig)))).toBeUndefined();
			});

			test.each(tools)('$name sends what the model gives, and shows it what came of it', ({ name, run }) => {
				const { requests = [], answer = '{}' } = outcomes.get(name) ?? {};
				expect(requests.map(partsOf)).toEqual(run.requests.map(expectedParts));
				expect(JSON.parse(answer)).toMatchObject({
					data: run.items.map(({ json }) => ({ json: matching(json) })),
				});
			});

			test('neither a question nor an approval can be among its tools, so nothing is sent', async () => {
				const to = { __rl: true, mode: 'phone', value: '905551112233' };
				const toolOf = (operation: string): Tool => ({
					name: 'ask',
					operation: { resource: 'message', operation },
					parameters: { to, message: 'May I?' },
				});
				model().play(() => ({ tool: 'ask', arguments: {} }));
				const asks = toolConfig(toolOf(SEND_AND_WAIT_OPERATION));
				const needsApproval = { ...toolConfig(toolOf('send')), requireApproval: true };
				const before = await world().service.control.accepted();

				expect(await runAgent(inlineAgent([asks]))).toContain('not supported for agent tool execution');
				expect(await runAgent(inlineAgent([needsApproval]))).toContain(
					"Unrecognized key(s) in object: 'requireApproval'",
				);
				expect(await world().service.control.accepted()).toEqual(before);
			});

			describe('in the example', () => {
				beforeEach(async () => await emptyService(world()));
				messageAnAgent(world);
			});
		},
		() => lacksOwnAgents(() => world().n8n.api),
	);
}
