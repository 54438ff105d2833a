import { setTimeout as sleep } from 'node:timers/promises';

import { manualTrigger, workflow } from '../support/n8n/workflow';
import {
	campaignNodes,
	campaignRows,
	count,
	expectTrueReport,
	reported,
	timesSent,
	untilSent,
} from '../support/world/campaign';
import { createRandom } from '../support/service/core/random';
import { startWorld, type World } from '../support/world/world';

/** How many rows the spreadsheet has, and how often n8n is killed. A long test has 5,000 and 5. */
const ROWS = Number(process.env.REQUEST_IDS_ROWS ?? 300);
const KILLS = Number(process.env.REQUEST_IDS_KILLS ?? 3);

/** Another one kills at other moments. */
const SEED = Number(process.env.SEED ?? 1);

/** Each wait ends, and says what did not happen. */
const STEP_MS = 180_000 + ROWS * 100;

jest.setTimeout((KILLS + 2) * 3 * STEP_MS);

let world: World;

beforeAll(async () => {
	world = await startWorld();
});
beforeEach(async () => {
	await world.service.control.reset();
	await world.service.control.setSendDelay({ minMs: 0, maxMs: 200 });
});
afterAll(async () => await world?.stop());

const rows = campaignRows(ROWS);

/** A workflow that sends each row of a spreadsheet once. */
async function campaign(): Promise<string> {
	const { id } = await world.n8n.api.createWorkflow(
		workflow('Campaign', [manualTrigger(), ...campaignNodes(rows, world.credential)]),
	);
	return id;
}

test(`${ROWS} rows with n8n killed ${KILLS} times: none twice, none missing without a word`, async () => {
	const { n8n, service } = world;
	const id = await campaign();
	const random = createRandom(SEED);
	for (let kill = 0; kill < KILLS; kill++) {
		const before = (await service.control.accepted()).length;
		const goal = Math.min(before + Math.ceil(random.next() * (ROWS / KILLS)), ROWS);
		const executionId = await n8n.api.start(id);
		await untilSent(service, n8n.api, executionId, goal, STEP_MS);
		await sleep(random.between(0, 50));
		await n8n.kill();
		await n8n.restart();
		expect(Math.max(...(await timesSent(service, rows)))).toBeLessThanOrEqual(1);
	}
	await service.control.idle();

	const last = await n8n.api.run(id, undefined, STEP_MS);

	const times = await timesSent(service, rows);
	const report = reported(last);
	console.log(
		`${ROWS} rows, ${KILLS} kills: ${count(times, 1)} sent once, ${count(report, 'sent')} of them by the last run, ${count(report, 'uncertain')} uncertain`,
	);
	expectTrueReport(last, times, KILLS * 350);

	const again = await n8n.api.run(id, undefined, STEP_MS);

	expect(count(reported(again), 'sent')).toBe(0);
	expect(await timesSent(service, rows)).toEqual(times);
});
