import { itemsNode, node } from '../../support/n8n/workflow';
import { bareSend, httpRequestSend, messages, ourSend, telegramSend } from '../support/steps';
import { interleaved, rowsOf, type Row, type Scale, type Suite } from '../support/suite';
import { createRun, inWorld, runStep, type BenchWorld, type StepOf } from '../support/world';

const OURS = 'message:send';
const LATENCIES = [0, 20, 50, 200];

/** Gives each execution rows with numbers that no other has. */
const numbered = (count: number) => {
	const value = '={{ $execution.id * 100000 + $itemIndex }}';
	const assignments = [{ id: 'row', name: 'row_number', type: 'number', value }];
	const parameters = { assignments: { assignments }, includeOtherFields: true, options: {} };
	const rows = node('Number rows', 'n8n-nodes-base.set', parameters, { typeVersion: 3.4 });
	return { nodes: [...itemsNode(messages(count)), rows] };
};

/** What is measured of each step, at the end of a workflow of its own. */
async function contestants<Figures>(
	world: BenchWorld,
	steps: Record<string, StepOf>,
	before: Parameters<typeof createRun>[1],
	measure: (id: string, name: string) => Promise<Figures>,
): Promise<Record<string, () => Promise<Figures>>> {
	const all = Object.entries(steps).map(async ([name, step]) => {
		const id = await createRun(world, before, step(world));
		return [name, async () => await measure(id, name)] as const;
	});
	return Object.fromEntries(await Promise.all(all));
}

/** Seconds that each step takes for so many messages; every one of them must arrive. */
async function timesOf(world: BenchWorld, steps: Record<string, StepOf>, count: number, scale: Scale) {
	const measure = async (id: string, name: string) => {
		world.sink.taken();
		const seconds = (await runStep(world, id)) / 1000;
		const { accepted } = world.sink.taken();
		if (accepted !== count) throw new Error(`${name} made ${accepted} requests`);
		return { seconds };
	};
	return await interleaved(scale, await contestants(world, steps, numbered(count), measure));
}

/** How long messages take, in default settings. */
export const sending: Suite = {
	name: 'sending',
	title: 'Sending',
	how: 'The time of the node alone, in one n8n, at a service that takes 0, 20, 50 or 200 ms for an answer.',
	run: async (scale) =>
		await inWorld({}, async (world) => {
			const count = scale.isTiny ? 20 : 1_000;
			const rows: Row[] = [];
			for (const latency of scale.isTiny ? [0] : LATENCIES) {
				world.sink.set({ latency });
				const steps = {
					[OURS]: ourSend(),
					'HTTP Request': httpRequestSend(),
					'HTTP Request in batches of 50': httpRequestSend({
						batching: { batch: { batchSize: 50, batchInterval: 0 } },
					}),
					// One by one, a thousand messages would take minutes.
					...(latency < 200 && { 'Telegram, one by one': telegramSend() }),
					'the bare helper': bareSend,
				};
				const times = await timesOf(world, steps, count, scale);
				const reaches = { 'HTTP Request': { atMost: 1 }, 'the bare helper': { atMost: 1.15 } };
				rows.push(...rowsOf(`${count} messages at ${latency} ms`, 's', times, 'seconds', OURS, reaches));
			}
			return rows;
		}),
};

/** What it costs that a send has a request ID. */
export const requestIds: Suite = {
	name: 'requestIds',
	title: 'Request IDs',
	how: 'As above, in one n8n for each latency, since n8n reads and writes all IDs of a workflow together. Each run has new IDs, `{{ $json.row_number }}-march`. A computed one, `{{ $json.row_number + 1 }}-march`, is evaluated by n8n.',
	async run(scale) {
		const count = scale.isTiny ? 20 : 1_000;
		const name = `${OURS} with Request ID`;
		const steps = {
			[name]: ourSend({ requestId: '={{ $json.row_number }}-march' }),
			[OURS]: ourSend(),
			[`${OURS} with a computed Request ID`]: ourSend({ requestId: '={{ $json.row_number + 1 }}-march' }),
		};
		const rows: Row[] = [];
		for (const latency of scale.isTiny ? [0] : LATENCIES) {
			const times = await inWorld({}, async (world) => {
				world.sink.set({ latency });
				return await timesOf(world, steps, count, scale);
			});
			const reaches = { [OURS]: { atMost: 1.1 } };
			rows.push(...rowsOf(`${count} messages at ${latency} ms`, 's', times, 'seconds', name, reaches));
		}
		return rows;
	},
};

const WINDOW = { limit: 100, seconds: 5 };
const RETRIES = { retryOnFail: true, maxTries: 5, waitBetweenTries: 5_000 };
const GO_ON = { onError: 'continueRegularOutput' } as const;

/** What happens to more messages than the account's rate limit lets through at once. */
export const rateLimit: Suite = {
	name: 'rateLimit',
	title: 'Rate limit',
	how: 'A service that allows 100 requests per 5 s and answers 429 to more; the first window begins with the run. The ideal is when the last window that is needed begins. HTTP Request and Telegram with their own Retry On Fail, 5 tries 5 s apart, and with On Error set to Continue.',
	run: async (scale) =>
		await inWorld({}, async (world) => {
			const count = scale.isTiny ? 110 : 500;
			const steps: Record<string, StepOf> = {
				[OURS]: ourSend(),
				'HTTP Request': httpRequestSend({}, GO_ON),
				'HTTP Request, Retry On Fail': httpRequestSend({}, RETRIES),
				Telegram: telegramSend(GO_ON),
				'Telegram, Retry On Fail': telegramSend(RETRIES),
			};
			const measure = async (id: string) => {
				world.sink.set({ rateWindow: WINDOW });
				world.sink.taken();
				const time = (await runStep(world, id, true)) / 1000;
				const { accepted, duplicates } = world.sink.taken();
				return { time, notDelivered: count - (accepted - duplicates), duplicates };
			};
			const medians = await interleaved(scale, await contestants(world, steps, messages(count), measure), 0);
			const ideal = (Math.ceil(count / WINDOW.limit) - 1) * WINDOW.seconds;
			const what = `${count} messages`;
			const withIdeal = { 'the ideal': { time: ideal, notDelivered: 0, duplicates: 0 }, ...medians };
			return [
				...rowsOf(`${what}: time`, 's', withIdeal, 'time', OURS, { 'the ideal': { atMost: 1.1 } }),
				...rowsOf(`${what}: not delivered`, 'items', medians, 'notDelivered', OURS),
				...rowsOf(`${what}: delivered twice`, 'items', medians, 'duplicates', OURS),
			];
		}),
};
