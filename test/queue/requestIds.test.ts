import { setTimeout as sleep } from 'node:timers/promises';

import { withLegacyExpressions } from '../support/n8n/environment';
import { QUICK_RECOVERY, type Part } from '../support/cluster/cluster';
import { isRunning, startQueueWorld, type QueueWorld } from '../support/cluster/queueWorld';
import type { Execution } from '../support/n8n/execution';
import { node, workflow } from '../support/n8n/workflow';
import {
	campaignNodes,
	campaignRows,
	count,
	expectTrueReport,
	reported,
	timesSent,
	untilSent,
} from '../support/world/campaign';

/** How many rows the spreadsheet has, and how often a worker is killed. A long test has 5,000 and 5. */
const ROWS = Number(process.env.REQUEST_IDS_ROWS ?? 300);
const KILLS = Number(process.env.REQUEST_IDS_KILLS ?? 2);
const PATH = 'campaign';
const TIMEOUT_MS = (240 + KILLS * 180 + ROWS / 10) * 1000;

jest.setTimeout(900_000 + ROWS * 300);

const rows = campaignRows(ROWS);

let world: QueueWorld;
let id: string;

beforeAll(async () => {
	world = await startQueueWorld({
		env: { ...withLegacyExpressions, ...QUICK_RECOVERY },
	});
	await world.service.control.setSendDelay({ minMs: 0, maxMs: 200 });
	const trigger = node(
		'Webhook',
		'n8n-nodes-base.webhook',
		{ httpMethod: 'POST', path: PATH, options: {} },
		{ typeVersion: 2, webhookId: PATH },
	);
	const nodes = [trigger, ...campaignNodes(rows, world.credential)];
	id = (await world.cluster.api.createWorkflow(workflow('Campaign', nodes))).id;
	await world.cluster.api.activate(id);
});
afterAll(async () => await world?.stop());

/** Starts the workflow; returns the ID of the execution. */
async function start(): Promise<string> {
	const known = new Set((await world.cluster.api.executions(id)).map((execution) => execution.id));
	const { status } = await fetch(`${world.cluster.url}/webhook/${PATH}`, { method: 'POST' });
	expect(status).toBe(200);
	for (;;) {
		const executions = await world.cluster.api.executions(id);
		const found = executions.find((execution) => !known.has(execution.id));
		if (found) return found.id;
		await sleep(100);
	}
}

async function runToEnd(): Promise<Execution> {
	return await world.cluster.api.waitForEnd(await start(), TIMEOUT_MS);
}

/** The worker that runs an execution, which it says in its log. */
const workerOf = (executionId: string): Part | undefined =>
	world.cluster.workers.find((worker) => worker.logs().includes(`started execution ${executionId} `));

test(
	`${ROWS} rows with a worker killed ${KILLS} times: none twice, none missing without a word`,
	async () => {
		const { service } = world;
		for (let kill = 0; kill < KILLS; kill++) {
			const goal = Math.ceil((ROWS * (kill + 0.5)) / KILLS);
			const executionId = await start();
			await untilSent(service, world.cluster.api, executionId, goal, TIMEOUT_MS);
			const worker = workerOf(executionId);
			if (!worker) throw new Error(`No worker has said that it runs the execution ${executionId}`);
			await worker.kill();
			await worker.start();
			// n8n has another worker go on with it, or ends it.
			while (await isRunning(world, id)) await sleep(250);
			expect(Math.max(...(await timesSent(service, rows)))).toBeLessThanOrEqual(1);
		}
		await service.control.idle();

		const last = await runToEnd();

		const times = await timesSent(service, rows);
		const report = reported(last);
		console.log(
			`${ROWS} rows, ${KILLS} kills of a worker: ${count(times, 1)} sent once, ${count(report, 'sent')} of them by the last run, ${count(report, 'uncertain')} uncertain`,
		);
		expectTrueReport(last, times, KILLS * 225);

		const again = await runToEnd();

		expect(count(reported(again), 'sent')).toBe(0);
		expect(await timesSent(service, rows)).toEqual(times);
	},
	TIMEOUT_MS,
);
