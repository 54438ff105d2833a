// cspell:ignore Parar Başla
import type { World } from '../../support/world/world';
import { installExample, whileActive } from './example';

const person = (index: number) => `90555111224${index}`;

/** The example that lets people opt out. */
export function optOut(world: () => World): void {
	test('STOP gives the tag and confirms, START takes it away, and other tags stay', async () => {
		const { n8n, service } = world();
		const stops = ['STOP', 'dur', ' Parar ', '*stop*!'];
		const contacts = stops.map((_, index) => ({ phone: person(index), tags: ['vip'] }));
		await service.control.seed({ contacts });
		const tags = async () => {
			const found = await service.control.contacts();
			return stops.map((_, index) => found.find(({ phone }) => phone === person(index))?.tags);
		};
		const id = await installExample(world(), 'opt-out');
		let runs = 0;
		const write = async (index: number, body: string) => {
			await service.control.incomingMessage({ from: person(index), body });
			const executions = await n8n.api.waitForExecutions(id, ++runs);
			expect(executions.map(({ error }) => error)).toEqual(executions.map(() => undefined));
		};

		await whileActive(world(), [id], async () => {
			for (const [index, body] of stops.entries()) await write(index, body);
			expect(await tags()).toEqual(stops.map(() => ['vip', 'unsubscribed']));
			await write(0, 'STOP');
			await write(1, 'Start');
			await write(2, 'Başla');
		});

		const out = ['vip', 'unsubscribed'];
		expect(await tags()).toEqual([out, ['vip'], ['vip'], out]);
		const answers = (await service.control.accepted()).map(({ to, body }) => [to.slice(0, 12), body]);
		const goodbye = expect.stringMatching(/^You will get no more offers/);
		const welcome = 'Welcome back. Write STOP if you want no more offers.';
		expect(answers).toEqual([
			...stops.map((_, index) => [person(index), goodbye]),
			[person(0), goodbye],
			[person(1), welcome],
			[person(2), welcome],
		]);
		// The first one who writes creates the tag, and nobody else.
		expect(await service.control.requests({ operationId: 'tag.create' })).toMatchObject([
			{ body: { name: 'unsubscribed' }, accepted: true },
		]);
	});
}
