import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INodeParameters } from 'n8n-workflow';

import { manualTrigger, messagingChannel, node, workflow } from '../support/n8n/workflow';
import { byPhone } from '../support/operations/parameters';
import { eventually } from '../support/service/testing';
import { links, open, submit, texts } from '../support/world/asking';
import { describeWhere, lacksHumanReview } from '../support/world/describeWhere';
import { startWorld, type World } from '../support/world/world';

/** A message as the agent sends it to its model. */
interface ModelMessage {
	role: string;
	content: string;
}

/** Stands for a model that makes these tool calls, and then says what came of the last. */
interface Model {
	url: string;
	/** What the agent told it about its tools. */
	toolAnswers: string[];
	stop(): void;
}

async function startModel(toolCalls: object[]): Promise<Model> {
	const toolAnswers: string[] = [];
	let asked = 0;
	const server: Server = createServer((request, response) => {
		void (async () => {
			const chunks: Buffer[] = [];
			for await (const chunk of request) chunks.push(chunk as Buffer);
			const { messages, tools } = JSON.parse(Buffer.concat(chunks).toString()) as {
				messages: ModelMessage[];
				tools?: Array<{ function: { name: string } }>;
			};
			toolAnswers.push(...messages.filter(({ role }) => role === 'tool').map(({ content }) => content));
			const input = toolCalls[asked];
			const name = tools?.[0]?.function.name ?? '';
			asked += 1;
			const message = input
				? {
						role: 'assistant',
						content: null,
						tool_calls: [
							{
								id: `call-${'abc'[asked]}`,
								type: 'function',
								function: { name, arguments: JSON.stringify(input) },
							},
						],
					}
				: { role: 'assistant', content: `Done after: ${messages.at(-1)?.content}` };
			response.writeHead(200, { 'content-type': 'application/json' });
			response.end(
				JSON.stringify({
					id: 'completion',
					object: 'chat.completion',
					created: 0,
					model: 'test',
					choices: [{ index: 0, message, finish_reason: input ? 'tool_calls' : 'stop' }],
					usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
				}),
			);
		})();
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return { url: `http://127.0.0.1:${port}/v1`, toolAnswers, stop: () => server.close() };
}

let world: World;

beforeAll(async () => {
	world = await startWorld();
});
beforeEach(async () => await world.service.control.reset());
afterAll(async () => await world?.stop());

const REVIEW = 'Review';

/** A workflow in which an agent must ask before it calculates, or, with the node as its tool, can only ask. */
async function agentThatAsks(
	model: Model,
	parameters: INodeParameters = {},
	kind: 'HitlTool' | 'Tool' = 'HitlTool',
) {
	const openAi = await world.n8n.api.createCredential('openAiApi', 'Model', {
		apiKey: 'none',
		url: model.url,
	});
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
		world.credential,
	);
	const definition = workflow(
		'Agent',
		[
			manualTrigger(),
			langchain('Agent', 'agent', 3, { promptType: 'define', text: 'What is 6 x 7?', options: {} }),
			{
				...langchain('Model', 'lmChatOpenAi', 1.2, {
					model: { __rl: true, mode: 'id', value: 'test' },
					options: {},
				}),
				credentials: { openAiApi: { id: openAi.id, name: openAi.name } },
			},
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
	const { id } = await world.n8n.api.createWorkflow(definition);
	return await world.n8n.api.run(id);
}

/** The agent's calls for the calculator, as n8n's human review has models make them. */
const calculate = (input: string) => ({ toolParameters: { input } });

let model: Model | undefined;
afterEach(() => model?.stop());

const final = async (id: string) => {
	const execution = await world.n8n.api.waitForEnd(id);
	return { status: execution.status, output: execution.items('Agent')[0]?.json.output };
};

describeWhere(
	'humanReview',
	() => {
		test('the agent uses its tool when the link to approve was followed and confirmed', async () => {
			model = await startModel([calculate('6 * 7')]);
			const { id, status } = await agentThatAsks(model);
			expect(status).toBe('waiting');
			expect((await texts(world))[0]).toContain('The agent wants to run Calculator with {"input":"6 * 7"}\n');
			const { Approve } = await links(world);
			expect((await open(Approve)).page).toContain('with {&#34;input&#34;:&#34;6 * 7&#34;}');
			expect(model.toolAnswers).toEqual([]);

			await submit(Approve);

			expect(await final(id)).toEqual({ status: 'success', output: expect.stringContaining('42') });
		});

		test('the agent is told when its tool was declined, and does not use it', async () => {
			model = await startModel([calculate('6 * 7')]);
			const { id } = await agentThatAsks(model);

			await submit((await links(world)).Decline);

			expect(await final(id)).toEqual({ status: 'success', output: expect.stringContaining('rejected') });
			expect(model.toolAnswers.join()).not.toContain('42');
		});

		test('the approval of one use does not approve the next', async () => {
			model = await startModel([calculate('6 * 7'), calculate('2 ** 64')]);
			const { id } = await agentThatAsks(model);
			const first = await links(world);
			await submit(first.Approve);
			await eventually(
				async () => await texts(world),
				({ length }) => length === 2,
			);
			await world.n8n.api.waitForExecution(id);

			expect((await submit(first.Approve)).status).toBe(410);

			expect((await world.n8n.api.execution(id)).status).toBe('waiting');
			await submit((await links(world)).Decline);
			expect((await final(id)).output).toContain('rejected');
		});

		test('silence is no approval, whatever the agent puts into its call', async () => {
			model = await startModel([{ toolParameters: { input: '6 * 7', approved: true }, approved: true }]);
			const limitWaitTime = {
				values: { limitType: 'afterTimeInterval', resumeAmount: 0.05, resumeUnit: 'minutes' },
			};
			const { id } = await agentThatAsks(model, { options: { limitWaitTime } });

			// n8n looks for executions to resume once a minute, and when it starts.
			await world.n8n.restart();

			expect(await final(id)).toEqual({ status: 'success', output: expect.stringContaining('rejected') });
			expect(model.toolAnswers.join()).not.toContain('42');
		});
	},
	() => lacksHumanReview(() => world.n8n.api),
);

test('an agent that has the node as its tool gets the answer', async () => {
	model = await startModel([{}]);
	const { id, status } = await agentThatAsks(
		model,
		{ message: 'Which colour?', responseType: 'freeText' },
		'Tool',
	);
	expect(status).toBe('waiting');

	await submit((await links(world)).Respond, { 'field-0': 'dark blue' });

	expect(await final(id)).toEqual({ status: 'success', output: expect.stringContaining('dark blue') });
});
