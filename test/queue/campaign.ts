import { requestTo } from './request';
import type { Part } from '../support/cluster/cluster';
import { isRunning, type QueueWorld } from '../support/cluster/queueWorld';
import type { Execution } from '../support/n8n/execution';
import { webhookNode, workflow } from '../support/n8n/workflow';
import { sampled } from '../support/nightly';
import { poll } from '../support/poll';
import {
	answerLate,
	campaignNodes,
	campaignRows,
	count,
	expectTrueReport,
	reported,
	timesSent,
	type Row,
	untilSent,
} from '../support/world/campaign';

/** How many rows the spreadsheet has, and how often a worker is killed. A long test has 5,000 and 5. */
const ROWS = Number(process.env.REQUEST_IDS_ROWS ?? sampled(100, 300));
const KILLS = Number(process.env.REQUEST_IDS_KILLS ?? sampled(1, 2));
/** How many rows two workers send at the same time. */
const SHARED_ROWS = sampled(60, 200);
/** Each wait ends, and says what did not happen. */
const STEP_MS = 180_000 + ROWS * 100;

/** A campaign with request IDs, with workers that are killed or that send the same. */
export function campaign(world: () => QueueWorld): void {
	const PATH = 'campaign';
	const rows = campaignRows(ROWS);
	let id: string;

	beforeAll(async () => {
		await world().service.control.setSendDelay({ minMs: 0, maxMs: 200 });
		id = await createCampaign(PATH, rows);
	});

	/** A workflow that sends the rows, active. */
	async function createCampaign(path: string, rows: Row[]): Promise<string> {
		const nodes = [webhookNode(path), ...campaignNodes(rows, world().credential)];
		const { id } = await world().cluster.api.createWorkflow(workflow(path, nodes));
		await world().cluster.api.activate(id);
		return id;
	}

	/** Starts the workflow; returns the ID of the execution. */
	async function start(): Promise<string> {
		const known = new Set((await world().cluster.api.executions(id)).map((execution) => execution.id));
		const started = async () =>
			(await world().cluster.api.executions(id)).find((execution) => !known.has(execution.id));
		await requestTo(world(), PATH);
		return (await poll(started, { timeoutMs: STEP_MS, failure: 'the request started no execution' })).id;
	}

	async function runToEnd(): Promise<Execution> {
		return await world().cluster.api.waitForEnd(await start(), STEP_MS);
	}

	/** The worker that runs an execution, which it says in its log. */
	const workerOf = (executionId: string): Part | undefined =>
		world().cluster.workers.find((worker) => worker.logs().includes(`started execution ${executionId} `));

	/** What the workers say of executions, for the reader of a failure. */
	const told = () =>
		world().cluster.workers.map((worker, index) =>
			[
				`worker ${index}:`,
				...worker
					.logs()
					.split('\n')
					.filter((line) => /execution/i.test(line))
					.slice(-8),
			].join('\n'),
		);

	/** Starts the campaign on a worker. */
	async function startOnWorker(): Promise<{ executionId: string; worker: Part }> {
		const executionId = await start();
		const worker = await poll(async () => await Promise.resolve(workerOf(executionId)), {
			timeoutMs: STEP_MS,
			failure: () => `no worker took execution ${executionId}\n${told().join('\n')}`,
			longestPauseMs: 20,
		});
		return { executionId, worker };
	}

	test(`${ROWS} rows with a worker killed ${KILLS} times: none twice, none missing without a word`, async () => {
		const { service } = world();
		await answerLate(service);
		for (let kill = 0; kill < KILLS; kill++) {
			const goal = Math.ceil((ROWS * (kill + 0.5)) / KILLS);
			const { executionId, worker } = await startOnWorker();
			await untilSent(service, world().cluster.api, executionId, goal, STEP_MS);
			await worker.kill();
			await worker.start();
			await poll(async () => !(await isRunning(world(), id)), {
				timeoutMs: STEP_MS,
				failure: () =>
					`n8n did not end execution ${executionId}, whose worker was killed\n${told().join('\n')}`,
			});
			expect(Math.max(...(await timesSent(service, rows)))).toBeLessThanOrEqual(1);
		}
		await service.control.clearFaults();
		await service.control.idle();

		const last = await runToEnd();

		const times = await timesSent(service, rows);
		const report = reported(last);
		console.log(
			`${ROWS} rows, ${KILLS} kills of a worker: ${count(times, 1)} sent once, ${count(report, 'sent')} of them by the last run, ${count(report, 'uncertain')} uncertain`,
		);
		// As docs/sending.md says.
		expectTrueReport(last, times, KILLS * 3 * 350);

		const again = await runToEnd();

		expect(count(reported(again), 'sent')).toBe(0);
		expect(await timesSent(service, rows)).toEqual(times);
	});

	test('two workers with the same IDs at the same time: none twice, none missing without a word', async () => {
		const shared = campaignRows(ROWS + SHARED_ROWS).slice(ROWS);
		const id = await createCampaign('shared', shared);

		await Promise.all([requestTo(world(), 'shared'), requestTo(world(), 'shared')]);

		const executions = await world().cluster.api.waitForExecutions(id, 2);
		const workers = executions.map((execution) => workerOf(execution.id));
		expect(new Set(workers).size).toBe(2);
		const times = await timesSent(world().service, shared);
		const [one = [], other = []] = executions.map(reported);
		console.log(
			`Two workers with the same ${SHARED_ROWS} IDs: ${count(times, 1)} sent once, ${count(one, 'sent')} by one worker, ${count(other, 'sent')} by the other, ${count([...one, ...other], 'uncertain')} reported as uncertain`,
		);
		expect(Math.max(...times)).toBe(1);
		// Nobody reports what was not sent, or what the other one has sent, as sent.
		expect(shared.map((_, row) => count([one[row], other[row]], 'sent'))).toEqual(times);
		expect(count([...one, ...other], 'other')).toBe(0);
	});
}
