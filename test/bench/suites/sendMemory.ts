import { peakGrowth } from '../memory';
import { doNothing, httpRequestSend, messages, ourSend } from '../senders';
import { startSink } from '../sink';
import { interleaved, rowsOf, type Suite } from '../suite';
import { createRun, runStep, startBenchWorld, type StepOf } from '../world';

const OURS = 'message:send';
const HTTP_REQUEST = 'HTTP Request';

const STEPS = new Map<string, StepOf>([
	[OURS, (world) => ourSend(world)],
	[HTTP_REQUEST, (world) => httpRequestSend(world)],
	['a node that does nothing', doNothing],
]);

/** How much memory many items to as many recipients take. */
export const sendMemory: Suite = {
	name: 'sendMemory',
	title: 'Memory while sending',
	how: 'The peak of the resident memory above what n8n had before the execution; a fresh n8n for each figure.',
	async run({ isTiny, rounds }) {
		const count = isTiny ? 20 : 5_000;
		const sink = await startSink();
		const measure = (step: StepOf) => async () => {
			const world = await startBenchWorld({ sink });
			try {
				const id = await createRun(world, messages(count), step(world));
				return await peakGrowth(world.n8n.pid, async () => await runStep(world, id));
			} finally {
				await world.stop();
			}
		};
		try {
			const contestants = new Map([...STEPS].map(([name, step]) => [name, measure(step)]));
			const figures = await interleaved(rounds, contestants);
			return rowsOf(`${count} items to ${count} recipients`, 'MB', figures, OURS, {
				[HTTP_REQUEST]: { atMost: 1 },
			});
		} finally {
			await sink.stop();
		}
	},
};
