import { badAnswers } from './answers';
import { everyOperation } from './asked';
import { outcomeOf, type Outcome } from './outcome';
import { startAnswerServer, type AnswerServer } from './server';

let server: AnswerServer;
const counts: Record<string, Record<Outcome['kind'], number>> = {};

beforeAll(async () => {
	server = await startAnswerServer();
});
afterAll(async () => {
	await server.stop();
	console.log(tableOf(counts));
});

test.each(badAnswers.map((answer) => [answer.name, answer] as const))(
	'%s',
	async (name, { answering, expect: expectation }) => {
		const outcomes = await Promise.all(
			everyOperation.map(async (asked) => await outcomeOf(server, asked, answering, expectation(asked))),
		);

		expect(outcomes.flatMap(({ wrong }) => wrong)).toEqual([]);
		expect(server.strays).toEqual([]);
		counts[name] = { success: 0, failed: 0, ambiguous: 0 };
		for (const { kind } of outcomes) counts[name][kind]++;
	},
);

function tableOf(rows: typeof counts): string {
	const line = (name: string, cells: unknown[]) =>
		[name.padEnd(50), ...cells.map((cell) => String(cell).padStart(9))].join(' ');
	return [
		line('answer', ['success', 'failed', 'ambiguous']),
		...Object.entries(rows).map(([name, { success, failed, ambiguous }]) =>
			line(name, [success, failed, ambiguous]),
		),
	].join('\n');
}
