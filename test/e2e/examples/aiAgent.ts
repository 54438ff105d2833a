import type { Execution } from '../../support/n8n/execution';
import type { Reply } from '../../support/n8n/modelServer';
import type { World } from '../../support/world/world';
import { useAgents } from './agents';
import { whileActive } from './example';

// No other example writes to her: n8n remembers for some minutes what was sent, and the memory shows it.
const ADA = '905551112260';

/** The example whose AI agent answers customers. */
export function aiAgent(world: () => World): void {
	const { model, install } = useAgents(world);

	/** Runs the body while the agent answers; returns its executions, of which there are so many. */
	async function whileAnswering(runs: number, body: () => Promise<void>): Promise<Execution[]> {
		const { n8n } = world();
		const id = await install('ai-agent');
		let executions: Execution[] = [];
		await whileActive(world(), [id], async () => {
			await body();
			executions = await n8n.api.waitForExecutions(id, runs);
		});
		expect(executions.map(({ error }) => error)).toEqual(executions.map(() => undefined));
		return executions;
	}

	/** Lets a customer write to the agent, and returns what the agent says at the end. */
	async function ask(body: string, script: Reply[]): Promise<unknown> {
		model().play(({ messages }) => {
			const steps = messages.filter(({ role }) => role === 'tool').length;
			return script[steps] ?? { text: 'The script has no more lines.' };
		});
		const [execution] = await whileAnswering(1, async () => {
			await world().service.control.incomingMessage({ from: ADA, body });
		});
		return execution?.items('AI agent').map(({ json }) => json.output);
	}

	const answers = async () =>
		(await world().service.control.accepted()).map(({ to, body }) => `${to} ${body}`);

	/** What the tools answered the model, in order. */
	const toolAnswers = () =>
		(model().turns.at(-1)?.messages ?? []).flatMap(({ role, content }) => (role === 'tool' ? [content] : []));

	test('looks up who wrote, remembers what matters and answers', async () => {
		const { service } = world();
		await service.control.seed({
			contacts: [{ phone: ADA, name: 'Ada', tags: ['unsubscribed'] }],
			tags: [{ name: 'unsubscribed' }],
		});
		const said = await ask('Where is my refund?', [
			{ tool: 'Look_up_the_customer', arguments: {} },
			{ tool: 'Remember_about_the_customer', arguments: { note: 'Waits for a refund' } },
			{ text: 'Dear Ada, it is **on its way**.' },
		]);

		expect(said).toEqual(['Dear Ada, it is **on its way**.']);
		expect(model().turns[0]?.messages.at(-1)).toMatchObject({ role: 'user', content: 'Where is my refund?' });
		const offered = (model().turns[0]?.tools ?? []).map(({ name, parameters }) => [
			name,
			parameters.properties,
		]);
		const text = expect.objectContaining({ type: 'string' });
		expect(Object.fromEntries(offered)).toEqual({
			Look_up_the_customer: {},
			Remember_about_the_customer: { note: text },
		});
		expect(toolAnswers()[0]).toContain('"name":"Ada"');
		expect(await service.control.contacts()).toMatchObject([
			{ name: 'Ada', notes: 'Waits for a refund', tags: ['unsubscribed'] },
		]);
		expect(await answers()).toEqual([`${ADA}@c.us Dear Ada, it is *on its way*.`]);
	});

	// Where a colleague has answered meanwhile, the same condition keeps it silent: the unit tests have it.
	test('a customer who writes while the agent thinks gets one answer to everything', async () => {
		let wrote = () => {};
		const hasWritten = new Promise<void>((resolve) => (wrote = resolve));
		let thinks = () => {};
		const isThinking = new Promise<void>((resolve) => (thinks = resolve));
		model().play(async ({ messages }) => {
			thinks();
			await hasWritten;
			const said = messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
			return { text: `You wrote: ${said.join(' | ')}` };
		});
		const write = async (body: string) => await world().service.control.incomingMessage({ from: ADA, body });
		await whileAnswering(2, async () => {
			await write('Where is my order?');
			await isThinking;
			await write('It is number 4711');
			wrote();
		});
		expect(await answers()).toEqual([`${ADA}@c.us You wrote: Where is my order? | It is number 4711`]);
	});
}
