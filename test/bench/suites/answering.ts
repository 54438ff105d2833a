import { doNothing, httpRequestSend, messages, ourSend } from '../support/senders';
import { interleaved, rowsOf, type Suite } from '../support/suite';
import { createRun, runStep, startBenchWorld } from '../support/world';

const OURS = 'message:send';
const HTTP_REQUEST = 'HTTP Request';
const NOTHING = 'a node that does nothing';

/** How long n8n answers nobody while a node has many items. */
export const answering: Suite = {
	name: 'answering',
	title: 'n8n answers others',
	how: 'One client asks n8n how it is, again and again, while the workflow runs: the longest time that it waits for an answer. Passing on so many items takes n8n some of that by itself.',
	async run({ isTiny, rounds }) {
		const count = isTiny ? 20 : 20_000;
		const world = await startBenchWorld();
		try {
			const steps = new Map([
				[OURS, ourSend(world)],
				[HTTP_REQUEST, httpRequestSend(world)],
				[NOTHING, doNothing()],
			]);
			const contestants = new Map<string, () => Promise<number>>();
			for (const [name, step] of steps) {
				const id = await createRun(world, messages(count), step);
				contestants.set(
					name,
					async () => await longestWaitDuring(world.n8n.url, async () => await runStep(world, id)),
				);
			}
			const figures = await interleaved(rounds, contestants);
			return rowsOf(`${count} items to ${count} recipients`, 's', figures, OURS, {
				[HTTP_REQUEST]: { atMost: 1 },
				[NOTHING]: { atMost: 2 },
			});
		} finally {
			await world.stop();
		}
	},
};

/** The longest time in seconds that n8n takes for an answer during the work. */
async function longestWaitDuring(url: string, work: () => Promise<unknown>): Promise<number> {
	let longest = 0;
	let isOver = false;
	const ask = async () => {
		while (!isOver) {
			const asked = performance.now();
			await (await fetch(`${url}/healthz`)).text();
			longest = Math.max(longest, performance.now() - asked);
		}
	};
	const asking = ask();
	try {
		await work();
	} finally {
		isOver = true;
		await asking;
	}
	return longest / 1000;
}
