import type { World } from '../../support/world/world';
import { useAgents } from './agents';
import { whileActive } from './example';

const ADA = '905551112231';

/** The example whose AI agent understands voice notes. */
export function voiceNotes(world: () => World): void {
	const { model, install } = useAgents(world);

	test('a voice note is transcribed before the agent reads it, and a text is read as it is', async () => {
		const { n8n, service } = world();
		const id = await install('voice-notes');
		model().play(({ messages }) => ({ text: `About: ${messages.at(-1)?.content}` }));
		model().hear((file) => `spoken: ${file.toString()}`);

		await whileActive(world(), [id], async () => {
			const media = { mimetype: 'audio/ogg', base64: Buffer.from('Where is my order?').toString('base64') };
			await service.control.incomingMessage({ from: ADA, type: 'voice', media });
			await n8n.api.waitForExecutions(id, 1);
			await service.control.incomingMessage({ from: ADA, body: 'Hello?' });
			const executions = await n8n.api.waitForExecutions(id, 2);
			expect(executions.map(({ error }) => error)).toEqual([undefined, undefined]);
		});

		expect((await service.control.accepted()).map(({ to, body }) => `${to} ${body}`)).toEqual([
			`${ADA}@c.us About: spoken: Where is my order?`,
			`${ADA}@c.us About: Hello?`,
		]);
	});
}
