import { setMaxListeners } from 'node:events';

import { WAIT_INDEFINITELY, type INodeExecutionData, type IWebhookResponseData } from 'n8n-workflow';

import { NODE_ID } from '../n8n/actionContext';
import { askingContext, linkContext, signatureOf } from './links';
import { createTransport } from '../n8n/network';
import { bootProcess, type World } from '../n8n/process';
import { createResponse, type SimulatedResponse } from '../n8n/response';
import type {
	AskingWorkflow,
	ExecutionData,
	LinkRequest,
	Page,
	Question,
	Resumption,
	Status,
	WaitingDatabase,
	WaitingExecution,
} from './database';

const DATABASE_MS = [2, 30, 400] as const;
const NEXT_NODES_MS = [10, 3_000] as const;

/** What a node that asks gets. */
const INPUT: INodeExecutionData[] = [{ json: {} }];

/** n8n looks once a minute for waits that are over within the next 70 seconds. */
const POLL_INTERVAL_MS = 60_000;
const POLL_AHEAD_MS = 70_000;

/** A process of n8n that runs workflows, and serves the links of those that wait. */
export type WaitingProcess = ReturnType<typeof startWaiting>;

/**
 * A process that serves links and runs workflows. In n8n's queue mode, a worker would run what follows an answer.
 *
 * @param isLeader whether it looks for waits that are over
 * @param onDeath called once when it dies
 */
export function startWaiting(
	world: World,
	database: WaitingDatabase,
	{ name, isLeader, onDeath }: { name: string; isLeader: boolean; onDeath: () => void },
) {
	const { choices, scheduler } = world;
	const { active, alive } = database;
	alive.add(name);
	const process = bootProcess(world, name, () => {
		alive.delete(name);
		for (const [id, { ranBy }] of active) if (ranBy === name) active.delete(id);
		onDeath();
	});
	const transport = createTransport(process, world);
	const { reach, sleep, action } = process;
	/** The timers of waits that are soon over, by execution. */
	const timers = new Map<string, () => void>();

	const access = async <T>(effect: string, happen: () => T): Promise<T> =>
		await reach({
			name: effect,
			thereMs: choices.oneOf(DATABASE_MS),
			backMs: choices.oneOf(DATABASE_MS),
			happen,
		});

	const rowOf = (id: string) => database.executions.find((row) => row.id === id);

	const read = async (id: string): Promise<WaitingExecution | undefined> =>
		await access(`reads execution ${id}`, () => {
			const row = rowOf(id);
			return row && { ...row };
		});

	const dataIn = ({ data }: WaitingExecution) => JSON.parse(data) as ExecutionData;

	/** Resolves to whether the condition was met. */
	const update = async (
		id: string,
		changes: Partial<WaitingExecution>,
		condition: (status: Status) => boolean = () => true,
	): Promise<boolean> =>
		await access(`stores execution ${id} as ${changes.status}`, () => {
			const row = rowOf(id);
			if (!row || !condition(row.status)) return false;
			Object.assign(row, changes);
			world.tell(() => `execution ${id} is ${row.status}`);
			if (row.status === 'waiting') {
				const { pass, waitTill: until = NaN } = dataIn(row);
				database.waits.push({ executionId: id, pass, storedAt: scheduler.now(), until });
			}
			return true;
		});

	/** What an execution ends with, or waits with, unless it was stopped meanwhile. */
	const storeEnd = async (id: string, status: Status, data: ExecutionData): Promise<void> => {
		const changes = { status, waitTill: data.waitTill, data: JSON.stringify(data) };
		await update(id, changes, (stored) => stored !== 'canceled');
	};

	const runNode = async (
		execution: WaitingExecution,
		data: ExecutionData,
		cancelled: AbortSignal,
	): Promise<INodeExecutionData[]> => {
		const { questions, settings } = execution.workflow;
		const question = questions[data.pass] as Question;
		const run = {
			process,
			transport,
			world,
			database,
			execution: { ...execution, mode: execution.retryOf ? 'retry' : 'trigger' },
			cancelled,
		};
		const { context, stack } = askingContext(run, question, settings, data);
		for (let tries = 1; ; tries++) {
			try {
				const [output = []] = ((await action.execute?.call(context)) ?? []) as INodeExecutionData[][];
				if (output[0]?.json.error === undefined || tries >= settings.tries) {
					data.input = stack.data.main[0] as INodeExecutionData[];
					return output;
				}
			} catch (error) {
				if (tries >= settings.tries) throw error;
			}
			await sleep(1_000);
		}
	};

	/** Runs an execution until it waits or ends. */
	const run = async (execution: WaitingExecution, data: ExecutionData): Promise<void> => {
		const { id, workflow } = execution;
		const stopper = new AbortController();
		setMaxListeners(Infinity, stopper.signal);
		active.set(id, { ranBy: name, stopper });
		if (data.waitTill !== undefined) Object.assign(data, { waitTill: undefined, isDisabled: true });
		const end = async (status: Status): Promise<void> => {
			if (!stopper.signal.aborted) await storeEnd(id, status, data);
			if (active.get(id)?.stopper === stopper) active.delete(id);
		};
		for (;;) {
			try {
				const output = data.isDisabled ? data.input : await runNode(execution, data, stopper.signal);
				data.hasRun = true;
				if (data.waitTill !== undefined) return await end('waiting');
				if (stopper.signal.aborted) return await end('canceled');
				const items = output.map(({ json }) => json);
				world.tell(() => `execution ${id} goes on with ${JSON.stringify(items)}`);
				database.continuations.push({ executionId: id, pass: data.pass, items, at: scheduler.now() });
			} catch (error) {
				const { message, description } = error as Error & { description?: string };
				data.error = { message, description };
				return await end('error');
			}
			await sleep(choices.oneOf(NEXT_NODES_MS));
			if (stopper.signal.aborted) return await end('canceled');
			data.pass++;
			if (data.pass === workflow.questions.length) return await end('success');
			Object.assign(data, { isDisabled: false, input: INPUT });
		}
	};

	/**
	 * Takes a waiting execution up again, unless it no longer waits.
	 *
	 * @param by the request; undefined for a timer, for which the database does not fail, as n8n would try again a minute later
	 * @throws Error when it does not wait, or the database fails
	 */
	const resume = async (
		execution: WaitingExecution,
		data: ExecutionData,
		by?: Pick<Resumption, 'request' | 'arrivedAt'>,
	): Promise<void> => {
		const { id } = execution;
		const isResumed = await access(`resumes execution ${id}`, () => {
			const row = rowOf(id);
			if (by && choices.rarely(10)) throw new Error('SQLITE_BUSY: database is locked');
			if (row?.status !== 'waiting') return false;
			if (row.ranBy !== name && dataIn(row).pass !== data.pass) database.mixedUp.add(row.origin);
			Object.assign(row, { status: 'running', ranBy: name, waitTill: undefined, data: JSON.stringify(data) });
			if (by) database.resumptions.push({ executionId: id, pass: data.pass, ...by, at: scheduler.now() });
			return true;
		});
		if (!isResumed) throw new Error('Execution is already being resumed by another process');
		await update(id, { status: 'running' });
		void run(execution, data);
	};

	const add = (
		own: Pick<WaitingExecution, 'origin' | 'retryOf' | 'workflow'>,
		data: ExecutionData,
		id: string,
	) => {
		const execution = { ...own, id, status: 'running' as const, ranBy: name, data: JSON.stringify(data) };
		void ready
			.then(async () => await access(`stores execution ${id}`, () => database.executions.push(execution)))
			.then(async () => await run(execution, data));
	};

	const nextId = () => String(++database.lastId);

	/** The time limit of a wait is over. */
	const timeOut = async (id: string): Promise<void> => {
		timers.delete(id);
		const execution = await read(id);
		if (!execution || execution.status === 'success') return;
		await resume(execution, dataIn(execution)).catch((error: unknown) => {
			process.logger.error(`Failed to start waiting execution ${id}: ${(error as Error).message}`);
		});
	};

	const poll = async (): Promise<void> => {
		const soon = await access('looks for waits that are over', () =>
			database.executions.filter(
				({ status, waitTill }) =>
					status === 'waiting' && waitTill !== undefined && waitTill <= scheduler.now() + POLL_AHEAD_MS,
			),
		);
		for (const { id, waitTill = 0 } of soon) {
			if (timers.has(id)) continue;
			let isOff = false;
			timers.set(id, () => (isOff = true));
			process.after(waitTill - scheduler.now(), () => {
				if (!isOff) void timeOut(id);
			});
		}
	};

	/** Looks once a minute for as long as there may be something to find, so that a history comes to an end. */
	const track = (): void =>
		process.after(POLL_INTERVAL_MS, () => {
			const mayWait = ({ status, ranBy, waitTill }: WaitingExecution) =>
				status === 'waiting'
					? waitTill !== WAIT_INDEFINITELY.getTime()
					: status === 'running' && alive.has(ranBy);
			const canFind = active.size > 0 || database.executions.some(mayWait);
			if (canFind) void poll();
			if (canFind || !database.isOver) track();
		});

	/** What a killed process was running is never run again. */
	const recover = async (): Promise<void> =>
		await access('marks what ran as crashed', () => {
			for (const row of database.executions) {
				if (row.status !== 'running' || alive.has(row.ranBy)) continue;
				// When the event log tells which node was running, the data gets its error.
				const data = { ...dataIn(row), ...(choices.rarely(2) ? {} : { error: { message: 'Crashed' } }) };
				Object.assign(row, { status: 'crashed', waitTill: undefined, data: JSON.stringify(data) });
			}
		});

	// As in n8n, whose first look for waits does not wait for this.
	const ready = recover();
	if (isLeader) {
		track();
		void poll();
	}

	const answer = async (request: LinkRequest, response: SimulatedResponse): Promise<void> => {
		const arrivedAt = scheduler.now();
		const url = new URL(request.url);
		const [, , id = '', nodeId] = url.pathname.split('/');
		await ready;
		const execution = await read(id);
		if (!execution) return void response.status(404).json({ code: 404, message: 'does not exist' });
		if (url.searchParams.get('signature') !== signatureOf(url) || nodeId !== NODE_ID)
			return void response.status(401).send('Invalid link');
		if (execution.status === 'running') {
			return void response.status(409).json({ code: 409, message: 'is running already' });
		}
		const data = dataIn(execution);
		if (data.error) return void response.status(409).json({ code: 409, message: 'finished with error' });
		if (execution.status === 'success' || request.method === 'HEAD')
			return void response.send('No action required');
		if (!data.hasRun) throw new TypeError("Cannot read properties of undefined (reading 'pop')");
		Object.assign(data, { isDisabled: true, waitTill: undefined });

		const context = linkContext(request, url, data, response);
		// A node that throws is answered with an error, and goes on with an empty item.
		const fail = (error: unknown): IWebhookResponseData => {
			process.logger.error(String((error as Error).message));
			response.status(500).json({ code: 0, message: 'Webhook Error' });
			return { workflowData: [[{ json: {} }]] };
		};
		const result = await action.webhook?.call(context).catch(fail);
		const [input] = result?.workflowData ?? [];
		if (!input) return;
		await resume(execution, { ...data, input }, { request, arrivedAt });
		const { webhookResponse: page } = result ?? {};
		if (!response.writableEnded)
			response.send(typeof page === 'object' ? JSON.stringify(page) : String(page));
	};

	return {
		log: process.log,
		start(workflow: AskingWorkflow): void {
			const id = nextId();
			add(
				{ origin: id, workflow },
				{ pass: 0, input: INPUT, isDisabled: false, hasRun: false, nodeData: {} },
				id,
			);
		},
		/** n8n's "Retry execution". */
		retry({ id: retryOf, origin, workflow, data }: WaitingExecution): void {
			const retried = { ...(JSON.parse(data) as ExecutionData), error: undefined };
			add({ origin, retryOf, workflow }, retried, nextId());
		},
		/** n8n's "Stop execution". */
		stop({ id }: WaitingExecution): void {
			void ready.then(async () => {
				const execution = await read(id);
				if (!execution || !['running', 'waiting'].includes(execution.status)) return;
				active.get(id)?.stopper.abort(new Error('The execution was cancelled'));
				timers.get(id)?.();
				timers.delete(id);
				const data = { ...dataIn(execution), error: { message: 'The execution was cancelled manually' } };
				const changes = { status: 'canceled' as const, waitTill: undefined, data: JSON.stringify(data) };
				await update(id, changes);
			});
		},
		/** @param show gets what comes back; never called when the process dies before */
		async visit(request: LinkRequest, show: (page: Page) => void): Promise<void> {
			const response = createResponse();
			await answer(request, response).catch((error: unknown) => {
				process.logger.error(String((error as Error).message));
				response.status(500).json({ code: 0, message: 'There was a problem executing the workflow' });
			});
			const { statusCode: status, body = '' } = response;
			const page = { status, body: typeof body === 'string' ? body : JSON.stringify(body) };
			await reach({ name: `responds ${page.status}`, thereMs: 10, backMs: 0, happen: () => show(page) });
		},
		kill: process.kill,
	};
}
