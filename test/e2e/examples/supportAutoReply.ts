import type { World } from '../../support/world/world';
import { installExample, whileActive, type Change } from './example';

const everyDay: Change = { node: 'Opening hours', parameter: 'assignments.assignments.0.value', value: '' };
const allDays = { ...everyDay, value: 'Mon Tue Wed Thu Fri Sat Sun' };

/** A time zone in which it is this hour now: the opening hours are those of the workflow's time zone. */
function zoneWhereItIs(hour: number): string {
	const ahead = ((hour - new Date().getUTCHours() + 36) % 24) - 12;
	// The signs of these zones are the other way round.
	return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

/** The example that answers by business hours. */
export function supportAutoReply(world: () => World): void {
	/** Lets people write one after the other, and returns what the service was asked to send. */
	async function answersTo(from: string[], timezone: string, days: Change): Promise<string[]> {
		const { n8n, service } = world();
		await service.control.seed({ templates: [{ name: 'welcome', content: 'Hello {{name}}!' }] });
		const id = await installExample(world(), 'support-auto-reply', [days], { timezone });
		await whileActive(world(), [id], async () => {
			for (const [index, phone] of from.entries()) {
				await service.control.incomingMessage({ from: phone, chatName: `Customer ${phone.at(-1)}` });
				const executions = await n8n.api.waitForExecutions(id, index + 1);
				expect(executions.map(({ error }) => error)).toEqual(executions.map(() => undefined));
			}
		});
		return (await service.control.accepted()).map(({ to, body }) => `${to}: ${body}`);
	}

	test('welcomes each customer once while it is open', async () => {
		const answers = await answersTo(
			['905551112231', '905551112231', '905551112232'],
			zoneWhereItIs(12),
			allDays,
		);
		expect(answers).toEqual(['905551112231@c.us: Hello Customer 1!', '905551112232@c.us: Hello Customer 2!']);
	});

	test('tells each customer once when it is closed', async () => {
		const answers = await answersTo(
			['905551112231', '905551112231', '905551112232'],
			zoneWhereItIs(0),
			allDays,
		);
		const text = expect.stringContaining('here Mon Tue Wed Thu Fri Sat Sun from 09:00 to 18:00');
		expect(answers).toEqual([text, text]);
		expect(answers.map((answer) => answer.slice(0, 12))).toEqual(['905551112231', '905551112232']);
	});
}
