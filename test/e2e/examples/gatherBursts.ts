import type { World } from '../../support/world/world';
import { installExample, whileActive } from './example';
import { rowsOf } from './tables';

/** The example that gathers several short messages into one run. */
export function gatherBursts(world: () => World): void {
	test('goes on once for each burst, with all of its lines in order', async () => {
		const { n8n, service } = world();
		// More than the example's ten seconds: they must not be over before a busy n8n has noted all lines.
		const seconds = { node: 'Wait for silence', parameter: 'amount', value: 20 };
		const id = await installExample(world(), 'gather-bursts', [seconds]);
		expect((await n8n.api.run(id, 'Set up once')).error).toBeUndefined();
		const lines = ['Hi', 'I have a question', 'about my order', 'A-1001', 'Where is it?'];

		await whileActive(world(), [id], async () => {
			const timestamp = Math.floor(Date.now() / 1000);
			const write = async (from: string, body: string, at: number) =>
				await service.control.incomingMessage({ from, body, timestamp: timestamp + at });
			await Promise.all([
				...lines.map(async (line, index) => await write('905551112231', line, index)),
				write('905551112232', 'Hello', 0),
			]);
			const executions = await n8n.api.waitForExecutions(id, 6);
			expect(executions.filter(({ status }) => status !== 'success')).toEqual([]);
		});

		const answers = (await service.control.accepted()).map(({ to, body }) => `${to} ${body}`);
		expect(answers.sort()).toEqual([
			`905551112231@c.us You wrote 5 line(s):\n${lines.join('\n')}`,
			'905551112232@c.us You wrote 1 line(s):\nHello',
		]);
		expect(await rowsOf(world(), 'Messaging example: burst lines')).toEqual([]);
	});
}
