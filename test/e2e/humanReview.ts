import type { INodeParameters } from 'n8n-workflow';

import { modelNode, type ModelServer } from '../support/n8n/modelServer';
import { manualTrigger, messagingChannel, node, workflow } from '../support/n8n/workflow';
import { nightly } from '../support/nightly';
import { byPhone } from '../support/operations/parameters';
import { eventually } from '../support/poll';
import { links, open, submit, texts } from '../support/world/asking';
import { describeWhere, lacksHumanReview } from '../support/world/describeWhere';
import type { World } from '../support/world/world';

/** A person who reviews what an agent wants to do. */
export function humanReview(world: () => World, model: () => ModelServer): void {
	beforeEach(async () => await world().service.control.reset());

	const REVIEW = 'Review';

	/** A workflow in which an agent must ask before it calculates, or, with the node as its tool, can only ask. */
	async function agentThatAsks(parameters: INodeParameters = {}, kind: 'HitlTool' | 'Tool' = 'HitlTool') {
		const langchain = (name: string, type: string, typeVersion: number, more: INodeParameters = {}) =>
			node(name, `@n8n/n8n-nodes-langchain.${type}`, more, { typeVersion });
		const review = messagingChannel(
			REVIEW,
			{
				resource: 'message',
				operation: 'sendAndWait',
				to: byPhone('+90 555 123 45 67'),
				message: '=The agent wants to run {{ $tool.name }} with {{ JSON.stringify($tool.parameters) }}',
				responseType: 'approval',
				approvalOptions: { values: { approvalType: 'double' } },
				...parameters,
			},
			world().credential,
		);
		const definition = workflow(
			'Agent',
			[
				manualTrigger(),
				langchain('Agent', 'agent', 3, { promptType: 'define', text: 'What is 6 x 7?', options: {} }),
				await modelNode(world().n8n.api, model()),
				langchain('Calculator', 'toolCalculator', 1),
				{ ...review, type: `${review.type}${kind}` },
			],
			[
				{ from: 'Start', to: 'Agent' },
				{ from: 'Model', to: 'Agent', type: 'ai_languageModel' },
				{ from: REVIEW, to: 'Agent', type: 'ai_tool' },
				...(kind === 'HitlTool' ? [{ from: 'Calculator', to: REVIEW, type: 'ai_tool' as const }] : []),
			],
		);
		const { id } = await world().n8n.api.createWorkflow(definition);
		return await world().n8n.api.run(id);
	}

	/** The agent's calls for the calculator, as n8n's human review has models make them. */
	const calculate = (input: string) => ({ toolParameters: { input } });

	/** The model makes these calls of its tool, and then says what came of the last. */
	function playCalls(...calls: object[]): void {
		model().play(({ messages, tools: [tool] }) => {
			const input = calls.shift();
			return input
				? { tool: tool?.name ?? '', arguments: input }
				: { text: `Done after: ${messages.at(-1)?.content}` };
		});
	}

	/** What the agent told the model of its tools. */
	const toolAnswers = () =>
		model().turns.flatMap(({ messages }) =>
			messages.filter(({ role }) => role === 'tool').map(({ content }) => content),
		);

	const final = async (id: string) => {
		const { status, error, items } = await world().n8n.api.waitForEnd(id);
		return { status, error: error?.message, output: items('Agent')[0]?.json.output };
	};

	describeWhere(
		'humanReview',
		() => {
			test('the agent uses its tool when the link to approve was followed and confirmed', async () => {
				playCalls(calculate('6 * 7'));
				const { id, status } = await agentThatAsks();
				expect(status).toBe('waiting');
				expect((await texts(world()))[0]).toContain(
					'The agent wants to run Calculator with {"input":"6 * 7"}\n',
				);
				const { Approve } = await links(world());
				expect((await open(Approve)).page).toContain('with {&#34;input&#34;:&#34;6 * 7&#34;}');
				expect(toolAnswers()).toEqual([]);

				await submit(Approve);

				expect(await final(id)).toEqual({ status: 'success', output: expect.stringContaining('42') });
			});

			test('the approval of one use does not approve the next', async () => {
				playCalls(calculate('6 * 7'), calculate('12 * 12'));
				const { id } = await agentThatAsks();
				const first = await links(world());
				await submit(first.Approve);
				await eventually(
					async () => await texts(world()),
					({ length }) => length === 2,
				);
				await world().n8n.api.waitForExecution(id);

				expect((await submit(first.Approve)).status).toBe(410);

				expect((await world().n8n.api.execution(id)).status).toBe('waiting');
				await submit((await links(world())).Decline);
				expect(await final(id)).toEqual({ status: 'success', output: expect.stringContaining('rejected') });
				expect(toolAnswers().join()).not.toContain('144');
			});

			nightly.test('silence is no approval, whatever the agent puts into its call', async () => {
				playCalls({ toolParameters: { input: '6 * 7', approved: true }, approved: true });
				const limitWaitTime = {
					values: { limitType: 'afterTimeInterval', resumeAmount: 0.05, resumeUnit: 'minutes' },
				};
				const { id } = await agentThatAsks({ options: { limitWaitTime } });

				// n8n looks for executions to resume once a minute. A restart would make it take the agent for crashed.
				expect(await final(id)).toEqual({ status: 'success', output: expect.stringContaining('rejected') });
				expect(toolAnswers().join()).not.toContain('42');
			});
		},
		() => lacksHumanReview(() => world().n8n.api),
	);

	test('an agent that has the node as its tool gets the answer', async () => {
		playCalls({});
		const { id, status } = await agentThatAsks(
			{ message: 'Which colour?', responseType: 'freeText' },
			'Tool',
		);
		expect(status).toBe('waiting');

		await submit((await links(world())).Respond, { 'field-0': 'dark blue' });

		expect(await final(id)).toEqual({ status: 'success', output: expect.stringContaining('dark blue') });
	});
}
