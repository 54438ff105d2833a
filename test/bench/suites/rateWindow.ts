import type { INode } from 'n8n-workflow';

import { httpRequestSend, messages, ourSend, telegramSend } from '../support/senders';
import { middle, type Figures, type Row, type Suite } from '../support/suite';
import { createRun, runStep, startBenchWorld } from '../support/world';

const WINDOW = { limit: 100, seconds: 5 };
const OURS = 'message:send';
const RETRIES = { retryOnFail: true, maxTries: 5, waitBetweenTries: 5_000 } satisfies Partial<INode>;
const GO_ON = { onError: 'continueRegularOutput' } satisfies Partial<INode>;

type Outcome = 'time' | 'failed' | 'notDelivered' | 'duplicates';

/** What happens to more messages than the account's rate limit lets through at once. */
export const rateWindow: Suite = {
	name: 'rateWindow',
	title: 'Rate limit',
	how: 'A service that allows 100 requests per 5 s and answers 429 to more; the first window begins with the run. The ideal is when the last window that is needed begins. HTTP Request and Telegram with their own Retry On Fail, 5 tries 5 s apart, and with On Error set to Continue.',
	async run({ isTiny, rounds }) {
		const count = isTiny ? 110 : 500;
		const ideal = (Math.ceil(count / WINDOW.limit) - 1) * WINDOW.seconds;
		const world = await startBenchWorld();
		try {
			const steps = new Map([
				[OURS, ourSend(world)],
				['HTTP Request', httpRequestSend(world, {}, GO_ON)],
				['HTTP Request, Retry On Fail', httpRequestSend(world, {}, RETRIES)],
				['Telegram', telegramSend(world, GO_ON)],
				['Telegram, Retry On Fail', telegramSend(world, RETRIES)],
			]);
			const figures = new Map<string, Record<Outcome, number[]>>();
			for (const name of steps.keys())
				figures.set(name, { time: [], failed: [], notDelivered: [], duplicates: [] });
			const ids = new Map<string, string>();
			for (const [name, step] of steps) ids.set(name, await createRun(world, messages(count), step));
			for (let round = 0; round < rounds; round++) {
				for (const [name, id] of ids) {
					world.sink.setRateWindow(WINDOW);
					world.sink.taken();
					const { time, failed } = await runStep(world, id, true);
					const { accepted, duplicates } = world.sink.taken();
					const own = figures.get(name);
					own?.time.push(time / 1000);
					own?.failed.push(failed);
					own?.notDelivered.push(count - (accepted - duplicates));
					own?.duplicates.push(duplicates);
					world.sink.setRateWindow();
				}
			}
			const of = (outcome: Outcome): Figures =>
				new Map([...figures].map(([name, own]) => [name, own[outcome]]));
			const what = `${count} messages`;
			const row = (text: string, outcome: Outcome, unit: Row['unit'], against: string): Row => ({
				what: `${what}: ${text}`,
				unit,
				ours: middle(of(outcome), OURS),
				against,
				theirs: middle(of(outcome), against),
			});
			const others = [...steps.keys()].filter((name) => name !== OURS);
			return [
				{
					what: `${what}: time`,
					unit: 's',
					ours: middle(of('time'), OURS),
					against: 'the ideal',
					theirs: ideal,
					reach: { atMost: 1.1 },
				},
				{
					what: `${what}: failed items`,
					unit: 'items',
					ours: middle(of('failed'), OURS),
					against: 'none',
					theirs: 0,
					reach: { atMost: 1 },
				},
				...others.flatMap((against) => [
					row('not delivered', 'notDelivered', 'items', against),
					row('delivered twice', 'duplicates', 'items', against),
					row('time', 'time', 's', against),
				]),
			];
		} finally {
			await world.stop();
		}
	},
};
