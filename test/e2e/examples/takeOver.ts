import type { World } from '../../support/world/world';
import { useAgents } from './agents';
import { whileActive } from './example';

const ADA = '905551112231';
const BEN = '905551112232';

/** The example whose AI agent is silent where a person has written. */
export function takeOver(world: () => World): void {
	const { model, install } = useAgents(world);

	test('the agent is silent in a chat for twelve hours after a person has written there', async () => {
		const { n8n, service } = world();
		const id = await install('take-over');
		expect((await n8n.api.run(id, 'Set up once')).error).toBeUndefined();
		model().play(({ messages }) => ({ text: `About: ${messages.at(-1)?.content}` }));
		let runs = 1;
		const write = async (from: string, body: string) => {
			await service.control.incomingMessage({ from, body });
			const executions = await n8n.api.waitForExecutions(id, ++runs);
			expect(executions.map(({ error }) => error)).toEqual(executions.map(() => undefined));
			await service.control.idle();
		};
		const ofTheShop = async (from: string, body: string, hoursAgo: number) =>
			await service.control.incomingMessage({
				from,
				body,
				fromMe: true,
				timestamp: Math.floor(Date.now() / 1000) - hoursAgo * 3600,
			});

		await whileActive(world(), [id], async () => {
			await ofTheShop(BEN, 'Have a nice day', 13);
			await write(ADA, 'One');
			await write(ADA, 'Two');
			await ofTheShop(ADA, 'Tom here, I look after this', 0);
			await write(ADA, 'Three');
			await write(BEN, 'Four');
		});

		expect((await service.control.accepted()).map(({ to, body }) => `${to} ${body}`)).toEqual([
			`${ADA}@c.us About: One`,
			`${ADA}@c.us About: Two`,
			`${BEN}@c.us About: Four`,
		]);
	});
}
