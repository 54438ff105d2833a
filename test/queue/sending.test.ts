import { QUICK_LOCKS, type Part } from '../support/cluster/cluster';
import { isRunning, settledCount, startQueueWorld, type QueueWorld } from '../support/cluster/queueWorld';
import { withLegacyExpressions } from '../support/n8n/environment';
import type { Execution } from '../support/n8n/execution';
import {
	itemsNode,
	messagingChannel,
	webhookNode,
	workflow,
	type CredentialReference,
} from '../support/n8n/workflow';
import { poll } from '../support/poll';
import {
	campaignNodes,
	campaignRows,
	count,
	expectTrueReport,
	reported,
	timesSent,
	type Row,
	untilSent,
} from '../support/world/campaign';

const SENDS = Number(process.env.QUEUE_SENDS ?? 2_000);
/** Each is an execution of its own, so that a worker runs several at once. */
const EXECUTIONS = 20;
const WINDOW = { limit: 100, windowSeconds: 2 };

/** How many rows the spreadsheet has, and how often a worker is killed. A long test has 5,000 and 5. */
const ROWS = Number(process.env.REQUEST_IDS_ROWS ?? 300);
const KILLS = Number(process.env.REQUEST_IDS_KILLS ?? 2);
/** How many rows two workers send at the same time. */
const SHARED_ROWS = 200;
/** Each wait ends, and says what did not happen. */
const STEP_MS = 180_000 + ROWS * 100;

jest.setTimeout((KILLS + 2) * 3 * STEP_MS);

let world: QueueWorld;

beforeAll(async () => {
	world = await startQueueWorld({ workers: 4, env: { ...withLegacyExpressions, ...QUICK_LOCKS } });
});
afterAll(async () => await world?.stop());

/** Starts a workflow whose Webhook node has this path. */
async function request(path: string): Promise<void> {
	const { status } = await fetch(`${world.cluster.url}/webhook/${path}`, { method: 'POST' });
	expect(status).toBe(200);
}

describe('a campaign with request IDs', () => {
	const PATH = 'campaign';
	const rows = campaignRows(ROWS);
	let id: string;

	beforeAll(async () => {
		await world.service.control.setSendDelay({ minMs: 0, maxMs: 200 });
		id = await createCampaign(PATH, rows);
	});

	/** A workflow that sends the rows, active. */
	async function createCampaign(path: string, rows: Row[]): Promise<string> {
		const nodes = [webhookNode(path), ...campaignNodes(rows, world.credential)];
		const { id } = await world.cluster.api.createWorkflow(workflow(path, nodes));
		await world.cluster.api.activate(id);
		return id;
	}

	/** Starts the workflow; returns the ID of the execution. */
	async function start(): Promise<string> {
		const known = new Set((await world.cluster.api.executions(id)).map((execution) => execution.id));
		const started = async () =>
			(await world.cluster.api.executions(id)).find((execution) => !known.has(execution.id));
		await request(PATH);
		return (await poll(started, { timeoutMs: STEP_MS, failure: 'the request started no execution' })).id;
	}

	async function runToEnd(): Promise<Execution> {
		return await world.cluster.api.waitForEnd(await start(), STEP_MS);
	}

	/** The worker that runs an execution, which it says in its log. */
	const workerOf = (executionId: string): Part | undefined =>
		world.cluster.workers.find((worker) => worker.logs().includes(`started execution ${executionId} `));

	/** What the workers say of executions, for the reader of a failure. */
	const told = () =>
		world.cluster.workers.map((worker, index) =>
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
		const { service } = world;
		for (let kill = 0; kill < KILLS; kill++) {
			const goal = Math.ceil((ROWS * (kill + 0.5)) / KILLS);
			const { executionId, worker } = await startOnWorker();
			await untilSent(service, world.cluster.api, executionId, goal, STEP_MS);
			await worker.kill();
			await worker.start();
			await poll(async () => !(await isRunning(world, id)), {
				timeoutMs: STEP_MS,
				failure: () =>
					`n8n did not end execution ${executionId}, whose worker was killed\n${told().join('\n')}`,
			});
			expect(Math.max(...(await timesSent(service, rows)))).toBeLessThanOrEqual(1);
		}
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
		const campaign = await createCampaign('shared', shared);

		await Promise.all([request('shared'), request('shared')]);

		const executions = await world.cluster.api.waitForExecutions(campaign, 2);
		const workers = executions.map((execution) => workerOf(execution.id));
		expect(new Set(workers).size).toBe(2);
		const times = await timesSent(world.service, shared);
		const [one = [], other = []] = executions.map(reported);
		console.log(
			`Two workers with the same ${SHARED_ROWS} IDs: ${count(times, 1)} sent once, ${count(one, 'sent')} by one worker, ${count(other, 'sent')} by the other, ${count([...one, ...other], 'uncertain')} reported as uncertain`,
		);
		expect(Math.max(...times)).toBe(1);
		// Nobody reports what was not sent, or what the other one has sent, as sent.
		expect(shared.map((_, row) => count([one[row], other[row]], 'sent'))).toEqual(times);
		expect(count([...one, ...other], 'other')).toBe(0);
	});
});

describe('executions that send at once', () => {
	let account: CredentialReference;

	beforeAll(async () => {
		const { control, origin: baseUrl } = world.service;
		await control.setSendDelay({ minMs: 0, maxMs: 0 });
		// n8n knows no rate window of another account yet.
		const { apiKey } = await control.createKey({ permissions: ['messages:send'] });
		const { api } = world.cluster;
		account = await api.createCredential('messagingChannelApi', 'Another account', { baseUrl, apiKey });
	});

	/** A workflow that sends its share of all messages, active. */
	async function createSender(path: string): Promise<string> {
		const items = Array.from({ length: SENDS / EXECUTIONS }, (_, number) => ({ number }));
		const send = messagingChannel(
			'Send',
			{
				resource: 'message',
				operation: 'send',
				to: { __rl: true, mode: 'phone', value: '={{ 905551000000 + $json.number }}' },
				message: '={{ $execution.id }} {{ $json.number }}',
			},
			account,
		);
		const { id } = await world.cluster.api.createWorkflow(
			workflow(path, [webhookNode(path), ...itemsNode(items), send]),
		);
		await world.cluster.api.activate(id);
		return id;
	}

	test.each([4, 2])('on %d workers share the rate window of the account', async (workers) => {
		for (const surplus of world.cluster.workers.slice(workers)) await surplus.stop();
		await world.service.control.clearRequests();
		await world.service.control.setRateLimit(WINDOW);
		const takenBefore = (await world.service.control.accepted()).length;
		const path = `send-on-${workers}`;
		const id = await createSender(path);
		const started = Date.now();
		for (let number = 0; number < EXECUTIONS; number++) await request(path);
		await poll(async () => (await settledCount(world, id)) >= EXECUTIONS, {
			timeoutMs: STEP_MS,
			failure: 'executions did not end',
		});
		const seconds = (Date.now() - started) / 1000;

		const statuses = (await world.service.control.requests({ operationId: 'message.send' })).map(
			({ status }) => status,
		);
		const refused = statuses.filter((status) => status === 429).length;
		const ideal = (SENDS / WINDOW.limit) * WINDOW.windowSeconds;
		console.log(
			`${SENDS} messages in ${EXECUTIONS} executions on ${workers} workers: ${refused} × 429, ` +
				`${seconds.toFixed(1)} s (at best ${ideal - WINDOW.windowSeconds})`,
		);
		const executions = await world.cluster.api.executions(id);
		expect(executions.map(({ status }) => status)).toEqual(Array(EXECUTIONS).fill('success'));
		expect((await world.service.control.accepted()).length - takenBefore).toBe(SENDS);
		// In the first window nobody knows yet how many others there are.
		expect(refused).toBeLessThanOrEqual(WINDOW.limit + SENDS / 50);
	});
});
