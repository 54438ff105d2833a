import { texts } from '../../support/world/asking';
import type { World } from '../../support/world/world';
import { useAgents } from './agents';
import { whileActive } from './example';

const ADA = '905551112231';
const BEN = '905551112232';
const MANAGER = '905559999999';

const PROMISE = 'Thank you for your message. A colleague will get in touch with you.';
const HINT =
	'This answered no question. If several are open, add the code word of the one that you mean, as in: Approve K7F4';

/** The example whose AI agent answers only what a person has approved in the chat. */
export function approveAnswersInChat(world: () => World): void {
	const { model, install } = useAgents(world);

	/** Somebody writes, and the workflow gets as far as it does with that. */
	type Write = (from: string, body: string) => Promise<void>;

	/** Runs the body with the agent at work; afterwards, no execution has failed, and none waits. */
	async function whileAtWork(body: (write: Write) => Promise<void>): Promise<void> {
		const { n8n, service } = world();
		const phone = { node: 'Ask the manager', parameter: 'to.value', value: '+90 555 999 99 99' };
		const id = await install('approve-answers-in-chat', [phone]);
		model().play(({ messages }) => ({ text: `About: ${messages.at(-1)?.content}` }));
		let runs = 0;
		await whileActive(world(), [id], async () => {
			await body(async (from, text) => {
				await service.control.incomingMessage({ from, body: text });
				await n8n.api.waitForExecutions(id, ++runs);
				await service.control.idle();
			});
			const settled = await n8n.api.waitForExecutions(id, runs);
			const ended = await Promise.all(settled.map(async (one) => await n8n.api.waitForEnd(one.id)));
			expect(ended.map(({ status }) => status)).toEqual(ended.map(() => 'success'));
			await service.control.idle();
		});
	}

	/** What was sent, apart from the questions. */
	const answers = async () =>
		(await world().service.control.accepted())
			.map(({ to, body }) => `${to} ${body}`)
			.filter((text) => !text.includes('May this answer go out?'));

	const codeOf = async (draft: string) => {
		const question = (await texts(world())).find((text) => text.includes(draft));
		return /add \*(\w{4})\*/.exec(question ?? '')?.[1] ?? '';
	};

	test('the manager reads the drafts and replies; what else is written starts the workflow, and approves nothing', async () => {
		await whileAtWork(async (write) => {
			await write(ADA, 'Where is my order?');
			expect(await world().service.control.accepted()).toMatchObject([
				{
					to: `${MANAGER}@c.us`,
					body: expect.stringMatching(/Where is my order\?[^]*About: Where is my order\?/),
				},
			]);
			await write(MANAGER, 'Who is that?');
			await write(BEN, 'Approve');
			expect(model().turns.map(({ messages }) => messages.at(-1)?.content)).toEqual([
				'Where is my order?',
				'Approve',
			]);
			expect(await answers()).toEqual([]);

			await write(MANAGER, 'Approve');
			expect(await answers()).toEqual([`${MANAGER}@c.us ${HINT}`]);
			await write(MANAGER, `Decline ${await codeOf('About: Approve')}`);
			await write(MANAGER, 'Approve');
		});
		expect((await answers()).sort()).toEqual([
			`${ADA}@c.us About: Where is my order?`,
			`${BEN}@c.us ${PROMISE}`,
			`${MANAGER}@c.us ${HINT}`,
		]);
	});
}
