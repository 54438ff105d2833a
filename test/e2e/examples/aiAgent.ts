import { startModelServer, type ModelServer, type Reply } from '../../support/n8n/modelServer';
import { withCredentialChosen, type CredentialReference } from '../../support/n8n/workflow';
import type { World } from '../../support/world/world';
import { emptyService } from './emptyService';
import { readExample, whileActive } from './example';

/** The example whose AI agent answers customers. */
export function aiAgent(world: () => World): void {
	let model: ModelServer;
	let modelCredential: CredentialReference;

	beforeAll(async () => {
		model = await startModelServer();
		const secrets = { apiKey: 'any', url: model.baseUrl };
		modelCredential = await world().n8n.api.createCredential('openAiApi', 'Scripted model', secrets);
	});
	afterAll(async () => await model?.stop());

	/** Lets a customer write to the agent, and returns what the agent says at the end. */
	async function ask(body: string, script: Reply[]): Promise<unknown> {
		const { n8n, service, credential } = world();
		const { id: openAi, name } = modelCredential;
		const example = withCredentialChosen(await readExample('ai-agent'), credential);
		const nodes = example.nodes.map((node) =>
			node.name === 'Model' ? { ...node, credentials: { openAiApi: { id: openAi, name } } } : node,
		);
		const { id } = await n8n.api.createWorkflow({ ...example, nodes });
		model.play(({ messages }) => {
			const steps = messages.filter(({ role }) => role === 'tool').length;
			return script[steps] ?? { text: 'The script has no more lines.' };
		});
		let said: unknown;
		await whileActive(world(), [id], async () => {
			await service.control.incomingMessage({ from: '905551112231', body });
			const [execution] = await n8n.api.waitForExecutions(id, 1);
			expect(execution?.error).toBeUndefined();
			said = execution?.items('AI agent').map(({ json }) => json.output);
		});
		return said;
	}

	/** What the tools answered the model, in order. */
	const toolAnswers = () =>
		(model.turns.at(-1)?.messages ?? []).flatMap(({ role, content }) => (role === 'tool' ? [content] : []));

	test('looks up who wrote, remembers what matters and answers', async () => {
		const { service } = world();
		await emptyService(world());
		await service.control.seed({
			contacts: [{ phone: '905551112231', name: 'Ada', tags: ['VIP'] }],
			tags: [{ name: 'VIP' }, { name: 'Refund' }],
		});
		const said = await ask('Where is my refund?', [
			{ tool: 'Look_up_the_customer', arguments: {} },
			{ tool: 'Remember_about_the_customer', arguments: { note: 'Waits for a refund', tags: 'VIP, Refund' } },
			{ tool: 'Answer_the_customer', arguments: { message: 'Dear Ada, it is on its way.' } },
			{ text: 'I have answered Ada.' },
		]);

		expect(said).toEqual(['I have answered Ada.']);
		expect(model.turns[0]?.messages.at(-1)).toMatchObject({ role: 'user', content: 'Where is my refund?' });
		const offered = (model.turns[0]?.tools ?? []).map(({ name, parameters }) => [
			name,
			parameters.properties,
		]);
		const text = expect.objectContaining({ type: 'string' });
		expect(Object.fromEntries(offered)).toEqual({
			Look_up_the_customer: {},
			Remember_about_the_customer: { note: text, tags: text },
			Answer_the_customer: { message: text },
		});
		expect(toolAnswers()[0]).toContain('"name":"Ada"');
		expect(await service.control.contacts()).toMatchObject([
			{ name: 'Ada', notes: 'Waits for a refund', tags: ['VIP', 'Refund'] },
		]);
		expect((await service.control.accepted()).map(({ to, body }) => `${to} ${body}`)).toEqual([
			'905551112231@c.us Dear Ada, it is on its way.',
		]);
	});

	test('tells the model in words why a tool failed, and goes on', async () => {
		const { service } = world();
		await emptyService(world());
		await service.control.addFault({
			kind: 'status',
			status: 404,
			error: 'contact_not_found',
			operationId: 'contact.get',
		});
		const said = await ask('Hi', [
			{ tool: 'Look_up_the_customer', arguments: {} },
			{ tool: 'Answer_the_customer', arguments: { message: '' } },
			{ tool: 'Answer_the_customer', arguments: { message: 'Hello!' } },
			{ text: 'Done.' },
		]);
		expect(said).toEqual(['Done.']);
		expect(toolAnswers().map((answer) => JSON.parse(answer ?? '') as unknown)).toEqual([
			[
				{
					error: 'No contact with this phone number in this account',
					code: 'contact_not_found',
					httpStatus: 404,
					description: expect.stringContaining('Check the number'),
				},
			],
			[
				{
					error: "'Message' is empty",
					code: 'validation_error',
					httpStatus: null,
					description: 'Enter a value.',
				},
			],
			[{ queued: true, job_id: 'job-1', to: '905551112231@c.us' }],
		]);
		expect((await service.control.accepted()).map(({ body }) => body)).toEqual(['Hello!']);
	});
}
