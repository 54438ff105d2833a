import type { Turn } from '../../support/n8n/modelServer';
import { messagingChannel, messagingChannelTrigger, node, workflow } from '../../support/n8n/workflow';
import { eventually } from '../../support/poll';
import { MESSAGE_AN_AGENT } from '../../support/world/describeWhere';
import { TRIGGER } from '../../support/world/triggerWorld';
import type { World } from '../../support/world/world';
import { saveAgent, useAgents } from './agents';
import { readExample, whileActive } from './example';

const ADA = '905551112261';
const BEN = '905551112262';

/** What the customer and the model have said so far, as the model is told. */
const told = ({ messages }: Turn) =>
	messages.flatMap(({ role, content }) => (/^(user|assistant)$/.test(role) ? [content] : [])).join(' | ');

/** The example in which one of n8n's own Agents answers customers, and what its note and the pages say of such Agents. */
export function messageAnAgent(world: () => World): void {
	const { model, install, openAi } = useAgents(world);

	const answers = async () =>
		(await world().service.control.accepted()).map(({ to, body }) => `${to} ${body}`).sort();

	test('two customers at once are answered, each with a memory of their own', async () => {
		const { n8n, service } = world();
		let asked = 0;
		let bothAsked = () => {};
		const together = new Promise<void>((resolve) => (bothAsked = resolve));
		model().play(async (turn) => {
			asked += 1;
			if (asked === 2) bothAsked();
			await together;
			return { text: `**Heard:** ${told(turn)}` };
		});
		const id = await install('message-an-agent');
		await whileActive(world(), [id], async () => {
			await service.control.incomingMessage({ from: ADA, body: 'I am Ada' });
			await service.control.incomingMessage({ from: BEN, body: 'I am Ben' });
			await n8n.api.waitForExecutions(id, 2);
			await service.control.incomingMessage({ from: ADA, body: 'Who am I?' });
			const executions = await n8n.api.waitForExecutions(id, 3);
			expect(executions.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
		});
		expect(await answers()).toEqual([
			`${ADA}@c.us *Heard:* I am Ada`,
			`${ADA}@c.us *Heard:* I am Ada | *Heard:* I am Ada | Who am I?`,
			`${BEN}@c.us *Heard:* I am Ben`,
		]);
	});

	test('with When Busy, Once Per Item answers all of twelve customers', async () => {
		const { n8n, service, credential } = world();
		model().play((turn) => ({ text: told(turn) }));
		const { nodes } = await readExample('message-an-agent');
		const { message, advanced } = nodes.find(({ type }) => type === MESSAGE_AN_AGENT)?.parameters ?? {};
		const parameters = {
			agentId: { __rl: true, mode: 'list', value: await saveAgent(world(), openAi()) },
			message,
			advanced: { ...(advanced as object), invokeMode: 'perItem' },
		};
		const to = { __rl: true, mode: 'id', value: `={{ $('${TRIGGER}').item.json.chat.id }}` };
		const { id } = await n8n.api.createWorkflow(
			workflow('Busy', [
				messagingChannelTrigger({ options: { combineEvents: 'whenBusy' } }, credential),
				node('Agent', MESSAGE_AN_AGENT, parameters, { typeVersion: 3.1 }),
				messagingChannel(
					'Answer',
					{ resource: 'message', operation: 'send', to, message: '={{ $json.text }}' },
					credential,
				),
			]),
		);
		const customers = Array.from({ length: 12 }, (_, index) => `9055511123${index + 10}`);
		await whileActive(world(), [id], async () => {
			await Promise.all(
				customers.map(async (from) => await service.control.incomingMessage({ from, body: `I am ${from}` })),
			);
			await n8n.api.waitForExecutions(id, 1);
			const expected = customers.map((from) => `${from}@c.us I am ${from}`);
			await eventually(answers, (sent) => sent.length >= expected.length);
			expect(await answers()).toEqual(expected);
		});
	});
}
