import { interleaved, middle, rowsOf, type Row, type Suite } from '../support/suite';
import { bareSend, doNothing, httpRequestSend, messages, ourSend, telegramSend } from '../support/senders';
import { createRun, runStep, startBenchWorld } from '../support/world';

const OURS = 'message:send';
const HTTP_REQUEST = 'HTTP Request';
const BATCHES = 'HTTP Request in batches of 50';
const TELEGRAM = 'Telegram, one by one';
const FLOOR = 'the bare helper';
const NOTHING = 'a node that does nothing';

const REACHES: Record<number, Parameters<typeof rowsOf>[4]> = {
	0: { [HTTP_REQUEST]: { atMost: 0.75 }, [BATCHES]: { atMost: 1 }, [FLOOR]: { atMost: 1.15 } },
	20: { [HTTP_REQUEST]: { atMost: 1 }, [BATCHES]: { atMost: 1 }, [FLOOR]: { atMost: 1.15 } },
	50: {
		[HTTP_REQUEST]: { atMost: 1 },
		[BATCHES]: { atMost: 1 },
		[TELEGRAM]: { atMost: 1 / 13 },
		[FLOOR]: { atMost: 1.15 },
	},
	200: { [HTTP_REQUEST]: { atMost: 1 }, [BATCHES]: { atMost: 1 }, [FLOOR]: { atMost: 1.15 } },
};

/** How long messages take, in default settings. */
export const sends: Suite = {
	name: 'sends',
	title: 'Sending',
	how: 'The time of the node alone, in one n8n, at a service that takes 0, 20, 50 or 200 ms for an answer.',
	async run({ isTiny, rounds }) {
		const count = isTiny ? 20 : 1_000;
		const world = await startBenchWorld();
		try {
			const steps = new Map([
				[OURS, ourSend(world)],
				[HTTP_REQUEST, httpRequestSend(world)],
				[BATCHES, httpRequestSend(world, { batching: { batch: { batchSize: 50, batchInterval: 0 } } })],
				[TELEGRAM, telegramSend(world)],
				[FLOOR, bareSend(world)],
				[NOTHING, doNothing()],
			]);
			const contestants = new Map<string, () => Promise<number>>();
			for (const [name, step] of steps) {
				const id = await createRun(world, messages(count), step);
				contestants.set(name, async () => {
					world.sink.taken();
					const { time } = await runStep(world, id);
					const { accepted } = world.sink.taken();
					if (accepted !== (name === NOTHING ? 0 : count))
						throw new Error(`${name} made ${accepted} requests`);
					return time / 1000;
				});
			}
			const rows: Row[] = [];
			for (const latency of [0, 20, 50, 200]) {
				world.sink.setLatency(latency);
				// One by one, a thousand messages would take minutes.
				const chosen = new Map([...contestants].filter(([name]) => latency < 200 || name !== TELEGRAM));
				const figures = await interleaved(rounds, chosen, latency === 0 && !isTiny ? 1 : 0);
				const what = `${count} messages at ${latency} ms`;
				rows.push(...rowsOf(what, 's', figures, OURS, REACHES[latency]));
				console.log(
					[...figures]
						.map(([name, all]) => `${name}: ${all.join(' ')} → ${middle(figures, name)}`)
						.join('\n'),
				);
			}
			return rows;
		} finally {
			await world.stop();
		}
	},
};
