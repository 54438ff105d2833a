import type {
	ExecutionError,
	ExecutionStatus,
	INodeExecutionData,
	IRunExecutionData,
	WorkflowExecuteMode,
} from 'n8n-workflow';

/** One line of n8n's list of executions. */
export interface ExecutionSummary {
	id: string;
	workflowId: string;
	status: ExecutionStatus;
	mode: WorkflowExecuteMode;
	startedAt: string;
	stoppedAt?: string;
	retryOf?: string | null;
}

/** A serialised error of a node, as n8n keeps it. */
export interface NodeFailure {
	name: string;
	message: string;
	description?: string | null;
	httpCode?: string | null;
	context?: Record<string, unknown>;
	[more: string]: unknown;
}

/** One execution with its data. */
export interface Execution {
	id: string;
	workflowId: string;
	status: ExecutionStatus;
	mode: WorkflowExecuteMode;
	/** Why the execution failed. */
	error?: NodeFailure;
	/** What a node put out: its last run, on its first output unless told otherwise. Empty when it did not run. */
	items(nodeName: string, output?: number): INodeExecutionData[];
	/** Why the last run of a node failed, also when the workflow went on. */
	nodeError(nodeName: string): NodeFailure | undefined;
	/** Everything n8n keeps. */
	raw: IRunExecutionData;
}

/** An execution as `GET /executions/:id` answers it: its data is "flatted" JSON. */
export type StoredExecution = ExecutionSummary & { data: string };

/** Reads n8n's stored form of an execution. */
export async function readExecution(stored: StoredExecution): Promise<Execution> {
	// Typed as a module that CommonJS cannot require, though it can.
	const { parse } = await import('flatted');
	// Absent until the execution has begun.
	const raw = (parse(stored.data) ?? { resultData: { runData: {} } }) as IRunExecutionData;
	const lastRun = (nodeName: string) => raw.resultData.runData[nodeName]?.at(-1);
	return {
		id: stored.id,
		workflowId: stored.workflowId,
		status: stored.status,
		mode: stored.mode,
		error: failure(raw.resultData.error),
		items: (nodeName, output = 0) => lastRun(nodeName)?.data?.main?.[output] ?? [],
		nodeError: (nodeName) => failure(lastRun(nodeName)?.error),
		raw,
	};
}

/** Whether nothing more happens to an execution by itself. */
export const isSettled = ({ status }: { status: ExecutionStatus }) =>
	!['new', 'running', 'unknown'].includes(status);

// What the type calls an error object has been through JSON.
const failure = (error: ExecutionError | undefined) => error as unknown as NodeFailure | undefined;
