import type { World } from '../../support/world/world';
import { emptyService } from './emptyService';
import { installExample, whileActive } from './example';

const ada = '905551112231';

/** The example that lets people opt out. */
export function optOut(world: () => World): void {
	/** Lets people write one after the other. */
	async function afterWriting(messages: Array<{ from: string; body: string }>): Promise<void> {
		const { n8n, service } = world();
		const id = await installExample(world(), 'opt-out');
		await whileActive(world(), [id], async () => {
			for (const [index, message] of messages.entries()) {
				await service.control.incomingMessage(message);
				const executions = await n8n.api.waitForExecutions(id, index + 1);
				expect(executions.map(({ error }) => error)).toEqual(executions.map(() => undefined));
			}
		});
	}

	const tagsOf = async (wanted: string) => {
		const contacts = await world().service.control.contacts();
		return contacts.find(({ phone }) => phone === wanted)?.tags;
	};

	const answers = async () =>
		(await world().service.control.accepted()).map(({ to, body }) => `${to.slice(0, 12)}: ${body}`);

	test.each(['STOP', 'dur', ' Parar ', 'Stop.', '*stop*!'])(
		'%j gives the tag, keeps the others, and confirms',
		async (body) => {
			await emptyService(world());
			await world().service.control.seed({ contacts: [{ phone: ada, tags: ['vip'] }] });

			await afterWriting([{ from: ada, body }]);

			expect(await tagsOf(ada)).toEqual(['vip', 'unsubscribed']);
			expect(await answers()).toEqual([expect.stringContaining(`${ada}: You will get no more offers`)]);
		},
	);

	test.each(['Start', 'Başla', 'Começar!'])('%j takes the tag away', async (body) => {
		await emptyService(world());
		await world().service.control.seed({ contacts: [{ phone: ada, tags: ['vip', 'unsubscribed'] }] });

		await afterWriting([{ from: ada, body }]);

		expect(await tagsOf(ada)).toEqual(['vip']);
	});

	test('twice is the same, and START takes only this tag away', async () => {
		await emptyService(world());

		await afterWriting([
			{ from: ada, body: 'STOP' },
			{ from: ada, body: 'STOP' },
		]);
		expect(await tagsOf(ada)).toEqual(['unsubscribed']);

		await afterWriting([{ from: ada, body: 'start' }]);
		expect(await tagsOf(ada)).toEqual([]);
		expect((await answers()).at(-1)).toBe(`${ada}: Welcome back. Write STOP if you want no more offers.`);
	});

	test('the first one who writes creates the tag, and nobody else', async () => {
		await emptyService(world());
		await world().service.control.seed({ tags: [{ name: 'vip' }] });
		await afterWriting([
			{ from: ada, body: 'STOP' },
			{ from: ada, body: 'Start' },
			{ from: ada, body: 'stop' },
		]);
		expect(await world().service.control.requests({ operationId: 'tag.create' })).toMatchObject([
			{ body: { name: 'unsubscribed' }, accepted: true },
		]);
	});
}
