import { peakOfMessages } from '../support/memory';
import { doNothing, httpRequestSend, ourSend } from '../support/senders';
import { startSink } from '../support/sink';
import { interleaved, rowsOf, type Suite } from '../support/suite';
import type { StepOf } from '../support/world';

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
		const measure = (step: StepOf) => async () => await peakOfMessages(count, step, sink);
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
