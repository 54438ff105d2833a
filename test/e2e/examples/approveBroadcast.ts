import { links, submit } from '../../support/world/asking';
import type { World } from '../../support/world/world';
import { installExample } from './example';

/** The example that asks a person before a broadcast goes out. */
export function approveBroadcast(world: () => World): void {
	const phone = { node: 'Ask for approval', parameter: 'to.value', value: '+90 555 999 99 99' };

	/** Runs the example and answers the question; returns the execution that went on. */
	async function answered(label: string) {
		const { n8n, service } = world();
		const id = await installExample(world(), 'approve-broadcast', [phone]);
		const waiting = await n8n.api.run(id, 'Start');
		expect(waiting.status).toBe('waiting');
		expect(await service.control.accepted()).toMatchObject([
			{ to: '905559999999@c.us', body: expect.stringContaining('May "Spring sale" go out to 2 people?') },
		]);
		expect(await service.control.broadcasts()).toEqual([]);
		await submit((await links(world()))[label]);
		return await n8n.api.waitForEnd(waiting.id);
	}

	test('sends nothing before somebody says yes, and then to everybody', async () => {
		const execution = await answered('Send it');
		expect(execution.error).toBeUndefined();
		expect(await world().service.control.broadcasts()).toMatchObject([
			{ name: 'Spring sale', total: 2, message: 'Our spring sale starts today.' },
		]);
	});

	test('sends nothing when somebody says no', async () => {
		const execution = await answered('Do not send it');
		expect(execution.error).toBeUndefined();
		expect(execution.items('Not sent').map(({ json }) => json.reason)).toEqual(['It was declined']);
		expect(await world().service.control.broadcasts()).toEqual([]);
	});
}
