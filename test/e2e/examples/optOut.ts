// cspell:ignore Parar Başla Começar
import type { World } from '../../support/world/world';
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

	/** Lets somebody write each word, and returns the tags of all afterwards. */
	async function tagsAfter(words: string[], tags: string[]) {
		const people = words.map((body, index) => ({ from: `90555111224${index}`, body }));
		await world().service.control.seed({ contacts: people.map(({ from: phone }) => ({ phone, tags })) });
		await afterWriting(people);
		return await Promise.all(people.map(async ({ from }) => await tagsOf(from)));
	}

	test('every form of STOP gives the tag, keeps the others, and confirms', async () => {
		const words = ['STOP', 'dur', ' Parar ', 'Stop.', '*stop*!'];
		expect(await tagsAfter(words, ['vip'])).toEqual(words.map(() => ['vip', 'unsubscribed']));
		expect(await answers()).toEqual(
			words.map((_, index) => expect.stringContaining(`90555111224${index}: You will get no more offers`)),
		);
	});

	test('every form of START takes the tag away', async () => {
		const words = ['Start', 'Başla', 'Começar!'];
		expect(await tagsAfter(words, ['vip', 'unsubscribed'])).toEqual(words.map(() => ['vip']));
	});

	test('twice is the same, and START takes only this tag away', async () => {
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
