import { itemsNode, node } from '../../support/n8n/workflow';
import { messages, ourSend } from '../support/senders';
import { interleaved, rowsOf, type Row, type Suite } from '../support/suite';
import { createRun, runStep, startBenchWorld } from '../support/world';

const WITH_ID = 'message:send with Request ID';
const WITHOUT = 'message:send';
const COMPUTED = 'message:send with a computed Request ID';

/** What the options of a contestant are. */
const OPTIONS: Array<[name: string, options: Record<string, string>]> = [
	[WITH_ID, { requestId: '={{ $json.row_number }}-march' }],
	[WITHOUT, {}],
	[COMPUTED, { requestId: '={{ $json.row_number + 1 }}-march' }],
];

/** Gives each execution rows with numbers that no other has. */
const numberRows = () =>
	node(
		'Number rows',
		'n8n-nodes-base.set',
		{
			assignments: {
				assignments: [
					{
						id: 'row',
						name: 'row_number',
						type: 'number',
						value: '={{ $execution.id * 100000 + $itemIndex }}',
					},
				],
			},
			includeOtherFields: true,
			options: {},
		},
		{ typeVersion: 3.4 },
	);

/** What it costs that a send has a request ID. */
export const requestIds: Suite = {
	name: 'requestIds',
	title: 'Request IDs',
	how: 'The time of the node alone, in one n8n for each latency, at a service that takes 0, 20, 50 or 200 ms for an answer. Each run has new IDs, `{{ $json.row_number }}-march`. A computed one, `{{ $json.row_number + 1 }}-march`, is evaluated by n8n.',
	async run({ isTiny, rounds }) {
		const count = isTiny ? 20 : 1_000;
		const rows: Row[] = [];
		for (const latency of isTiny ? [0] : [0, 20, 50, 200])
			rows.push(...(await rowsAt(latency, count, rounds, isTiny ? 0 : 1)));
		return rows;
	},
};

/** In an n8n of its own for each latency: n8n reads and writes all IDs of a workflow together, so the first runs cost less. */
async function rowsAt(latency: number, count: number, rounds: number, warmUps: number): Promise<Row[]> {
	const world = await startBenchWorld();
	try {
		world.sink.setLatency(latency);
		const contestants = new Map<string, () => Promise<number>>();
		for (const [name, options] of OPTIONS) {
			const rows = [...itemsNode(messages(count)), numberRows()];
			const id = await createRun(world, rows, ourSend(world, options));
			contestants.set(name, async () => {
				world.sink.taken();
				const { time } = await runStep(world, id);
				const { accepted } = world.sink.taken();
				if (accepted !== count) throw new Error(`${name} made ${accepted} requests`);
				return time / 1000;
			});
		}
		const figures = await interleaved(rounds, contestants, warmUps);
		return rowsOf(`${count} messages at ${latency} ms`, 's', figures, WITH_ID, {
			[WITHOUT]: { atMost: 1.1 },
		});
	} finally {
		await world.stop();
	}
}
