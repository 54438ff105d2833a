import type { IDataObject } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Execution } from '../support/n8n/execution';
import { itemsNode, manualTrigger, messagingChannel, workflow } from '../support/n8n/workflow';
import { startWorld, type World } from '../support/world/world';

/** How many rows the spreadsheet has, and how often n8n is killed. A long test has 5,000 and 5. */
const ROWS = Number(process.env.REQUEST_IDS_ROWS ?? 300);
const KILLS = Number(process.env.REQUEST_IDS_KILLS ?? 3);

/** Another one kills at other moments. */
const SEED = Number(process.env.SEED ?? 1);

/** Starting and killing n8n, and sending. */
const TIMEOUT_MS = (120 + KILLS * 90 + ROWS / 10) * 1000;

let world: World;

beforeAll(async () => {
	world = await startWorld();
});
beforeEach(async () => {
	await world.service.control.reset();
	await world.service.control.setSendDelay({ minMs: 0, maxMs: 200 });
});
afterAll(async () => await world?.stop());

const SEND = 'Send';

const rows = Array.from({ length: ROWS }, (_, row) => ({
	row_number: row + 2,
	phone: `9055533${String(row).padStart(5, '0')}`,
	text: `Your order ${row} is ready`,
}));

/** A workflow that sends each row of a spreadsheet once. */
async function campaign(): Promise<string> {
	const send = messagingChannel(
		SEND,
		{
			resource: 'message',
			operation: 'send',
			to: { __rl: true, mode: 'phone', value: '={{ $json.phone }}' },
			message: '={{ $json.text }}',
			options: { requestId: '={{ $json.row_number }}-march' },
		},
		world.credential,
		{ onError: 'continueRegularOutput' },
	);
	const { id } = await world.n8n.api.createWorkflow(
		workflow('Campaign', [manualTrigger(), ...itemsNode(rows), send]),
	);
	return id;
}

/** How often the service took the text of each row. */
async function timesSent(): Promise<number[]> {
	const times = new Map<string, number>();
	for (const { body } of await world.service.control.accepted()) times.set(body, (times.get(body) ?? 0) + 1);
	return rows.map(({ text }) => times.get(text) ?? 0);
}

/** What the report of a run says about each row. */
function reported(execution: Execution): Array<'sent' | 'sentBefore' | 'uncertain' | 'other'> {
	const kindOf = ({ already_sent, ambiguous, queued }: IDataObject) =>
		already_sent ? 'sentBefore' : queued ? 'sent' : ambiguous ? 'uncertain' : 'other';
	return execution.items(SEND).map(({ json }) => kindOf(json));
}

const count = <T>(list: readonly T[], wanted: T): number => list.filter((each) => each === wanted).length;

test(
	`${ROWS} rows with n8n killed ${KILLS} times: none twice, none missing without a word`,
	async () => {
		const { n8n, service } = world;
		const id = await campaign();
		let random = SEED;
		const chance = () => (random = (random * 48271) % 2147483647) / 2147483647;
		for (let kill = 0; kill < KILLS; kill++) {
			const before = (await service.control.accepted()).length;
			const goal = before + Math.ceil(chance() * (ROWS / KILLS));
			await n8n.api.start(id);
			while ((await service.control.accepted()).length < Math.min(goal, ROWS)) await sleep(5);
			await sleep(chance() * 50);
			await n8n.kill();
			await n8n.restart();
			expect(Math.max(...(await timesSent()))).toBeLessThanOrEqual(1);
		}
		await service.control.idle();

		const last = await n8n.api.run(id, undefined, TIMEOUT_MS);

		const times = await timesSent();
		const report = reported(last);
		console.log(
			`${ROWS} rows, ${KILLS} kills: ${count(times, 1)} sent once, ${count(report, 'sent')} of them by the last run, ${count(report, 'uncertain')} uncertain`,
		);
		expect(last.status).toBe('success');
		expect(report).toHaveLength(ROWS);
		expect(Math.max(...times)).toBe(1);
		// What is reported as sent was sent.
		const wrong = rows.filter((_, row) => report[row] !== 'uncertain' && times[row] !== 1);
		expect(wrong).toEqual([]);
		expect(count(report, 'other')).toBe(0);
		expect(count(report, 'uncertain')).toBeLessThanOrEqual(KILLS * 150);

		const again = await n8n.api.run(id, undefined, TIMEOUT_MS);

		expect(count(reported(again), 'sent')).toBe(0);
		expect(await timesSent()).toEqual(times);
	},
	TIMEOUT_MS,
);
