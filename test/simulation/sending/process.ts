import { setMaxListeners } from 'node:events';

import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { actionContext } from '../n8n/actionContext';
import { createTransport } from '../n8n/network';
import { bootProcess, type World } from '../n8n/process';
import {
	foundIn,
	OPERATIONS,
	saysOf,
	saysOfError,
	type Database,
	type ItemReport,
	type StoredExecution,
	type WantedSend,
} from './executions';

/** A process of n8n that runs executions. */
export type SendingProcess = ReturnType<typeof startProcess>;

const DATABASE_MS = [5, 60, 700] as const;

/** n8n's "Wait Between Tries", as it is unless somebody changes it. */
const WAIT_BETWEEN_TRIES_MS = 1_000;

/**
 * @param onDeath called once when it dies
 * @param clockOffsetMs how far the clock of its machine is ahead
 */
export function startProcess(
	world: World,
	database: Database,
	name: string,
	onDeath: () => void,
	clockOffsetMs: number,
) {
	const { scheduler, choices, tell } = world;
	const process = bootProcess(world, name, onDeath, clockOffsetMs);
	const transport = createTransport(process, world);
	/** The executions that run here. */
	const runningHere = new Map<StoredExecution, Running>();

	/** n8n runs the node once, as it does for each try. */
	const execute = async (
		{ execution, nodeData, hints, controller }: Running,
		items: readonly WantedSend[],
		runIndex: number,
	): Promise<INodeExecutionData[]> => {
		const { kind, onError, isTool, ...own } = execution.settings;
		// An option that is there and gives nothing is refused.
		const options = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
		const parameters = items.map(({ requestId, ...item }): Record<string, unknown> => ({
			...OPERATIONS[kind](item),
			options: requestId === undefined ? options : { ...options, requestId },
		}));
		const context: IExecuteFunctions = actionContext({
			process,
			transport,
			world,
			items: items.map((item) => ({ json: { ...item } })),
			parameterOf: (parameter, itemIndex) => parameters[itemIndex]?.[parameter],
			onError,
			execution,
			runIndex,
			nodeData,
			database,
			cancelled: controller.signal,
			isWorker: name.startsWith('worker'),
			isTool,
			hints,
		});
		const [output = []] = ((await process.action.execute?.call(context)) ?? []) as INodeExecutionData[][];
		return output;
	};

	/** n8n's Retry On Fail (WorkflowExecute), which does not end when the user stops the execution. */
	const executeWithRetries = async (running: Running, run: number): Promise<INodeExecutionData[]> => {
		const { tries } = running.execution.settings;
		const items = running.execution.runs[run] as WantedSend[];
		let failure: unknown;
		for (let tryIndex = 0; tryIndex < tries; tryIndex++) {
			try {
				if (tryIndex > 0) await process.sleep(WAIT_BETWEEN_TRIES_MS);
				let output = await execute(running, items, run);
				while (output[0]?.json.error !== undefined && tryIndex < tries - 1) {
					await process.sleep(WAIT_BETWEEN_TRIES_MS);
					output = await execute(running, items, run);
					tryIndex++;
				}
				return output;
			} catch (error) {
				failure = error;
			}
		}
		throw failure;
	};

	/** n8n's calls of a tool (get-input-connection-data), each try with a run index of its own. */
	const callTool = async (running: Running, run: number, itemIndex: number): Promise<void> => {
		const { execution, controller } = running;
		const item = execution.runs[run]?.[itemIndex] as WantedSend;
		for (let tryIndex = 0; tryIndex < execution.settings.tries; tryIndex++) {
			const runIndex = running.toolRuns++;
			if (controller.signal.aborted) return;
			if (tryIndex > 0) await process.sleep(WAIT_BETWEEN_TRIES_MS);
			try {
				const [output] = await execute(running, [item], runIndex);
				show(running, output);
				if (output) report(running, run, itemIndex, saysOf(output), foundIn(output));
				return;
			} catch (error) {
				if (controller.signal.aborted) return;
				show(running, error);
				report(running, run, itemIndex, saysOfError(error));
			}
		}
	};

	/** An agent that is to send several messages, asks for some of them again, and may itself fail afterwards. */
	const runAgent = async (running: Running, run: number): Promise<void> => {
		const calls = [...(running.execution.runs[run] ?? []).keys()];
		if (choices.rarely(3)) calls.push(choices.upTo(calls.length));
		if (choices.rarely(2)) await Promise.all(calls.map(async (item) => await callTool(running, run, item)));
		else for (const item of calls) await callTool(running, run, item);
		if (choices.rarely(4)) throw new Error('The model of the agent did not answer');
	};

	const runNode = async (running: Running, run: number): Promise<void> => {
		try {
			const output = await executeWithRetries(running, run);
			show(running, output);
			for (const item of output) {
				const { item: itemIndex } = item.pairedItem as { item: number };
				report(running, run, itemIndex, saysOf(item), foundIn(item));
			}
		} catch (error) {
			show(running, error);
			const { itemIndex } = (error as { context: { itemIndex?: number } }).context;
			if (itemIndex !== undefined) report(running, run, itemIndex, saysOfError(error));
			throw error;
		}
	};

	const report = (
		{ reports }: Running,
		run: number,
		itemIndex: number,
		says: ItemReport['says'],
		found: Pick<ItemReport, 'verifiedId' | 'messageId'> = {},
	): void => {
		tell(() => `${name}: run ${run}, item ${itemIndex}: ${says}${JSON.stringify(found)}`);
		reports.push({ run, itemIndex, says, ...found, at: scheduler.now() });
	};

	/** n8n writes what the execution has come to. */
	const store = async (running: Running, status: StoredExecution['status']): Promise<void> => {
		const { execution, nodeData, shown, hints, nextRun } = running;
		// What the node says after it was stopped is not kept.
		const reports = [...running.reports];
		await process.reach({
			name: `stores execution ${execution.id} as ${status}`,
			thereMs: choices.oneOf(DATABASE_MS),
			backMs: 0,
			happen: () => {
				if (execution.status !== 'running') return;
				Object.assign(execution, {
					status,
					nextRun,
					nodeData: JSON.stringify(nodeData),
					reports,
					shown: [...shown, JSON.stringify(hints)].join('\n'),
				});
			},
		});
	};

	const run = async (execution: StoredExecution): Promise<void> => {
		Object.assign(execution, { status: 'running', process: name, takenAt: scheduler.now() });
		tell(() => `${name} runs execution ${execution.id}, a ${execution.mode} of ${execution.origin}`);
		const controller = new AbortController();
		setMaxListeners(Infinity, controller.signal);
		const running: Running = {
			execution,
			controller,
			nextRun: execution.nextRun,
			nodeData: JSON.parse(execution.nodeData) as Record<string, unknown>,
			reports: [],
			shown: [],
			hints: [],
			toolRuns: 0,
		};
		runningHere.set(execution, running);
		let status: StoredExecution['status'] = 'success';
		try {
			for (; running.nextRun < execution.runs.length && !controller.signal.aborted; running.nextRun++)
				await (execution.settings.isTool ? runAgent : runNode)(running, running.nextRun);
		} catch (error) {
			show(running, error);
			status = 'error';
		}
		execution.endedAt = scheduler.now();
		// What was stopped has been stored then.
		if (!controller.signal.aborted) await store(running, status);
		runningHere.delete(execution);
	};

	return {
		name,
		log: process.log,
		kill: process.kill,
		/** Runs an execution to its end, unless the process dies before. */
		run: (execution: StoredExecution) => void run(execution),
		/** The user stops an execution that runs here. It is stored as it is. */
		stop(execution: StoredExecution): void {
			const running = runningHere.get(execution);
			if (!running || execution.stoppedAt !== undefined) return;
			tell(() => `the user stops execution ${execution.id}`);
			execution.stoppedAt = scheduler.now();
			running.controller.abort();
			void store(running, 'canceled');
		},
	};
}

/** An execution while it runs. Nothing of it outlives the process but what it stores. */
interface Running {
	execution: StoredExecution;
	controller: AbortController;
	nextRun: number;
	nodeData: Record<string, unknown>;
	reports: ItemReport[];
	shown: string[];
	hints: unknown[];
	/** How often an agent has called the tool. */
	toolRuns: number;
}

const show = ({ shown }: Running, what: unknown) => void shown.push(textOf(what));

/** All that somebody could read of it. */
function textOf(what: unknown): string {
	if (!(what instanceof Error)) return JSON.stringify(what);
	return JSON.stringify({ ...what, message: what.message, stack: what.stack });
}
