import type { SimulatedProcess } from './process';
import type { CallHook } from './triggerContexts';
import type { TestRegistration, TriggerDatabase, TriggerWorkflow } from './triggerDatabase';

const LISTENING_MS = 120_000;

/** n8n forgets a test so much later even when it could not end it. */
const BUFFER_MS = 30_000;

/** n8n's "Listen for test event". */
export function createTestRuns(
	process: SimulatedProcess,
	{ tests }: TriggerDatabase,
	now: () => number,
	callHook: CallHook,
) {
	/** The timer of each workflow's test. */
	const timers = new Map<string, { isCleared: boolean }>();

	const clearTimer = (workflowId: string): void => {
		const timer = timers.get(workflowId);
		if (timer) timer.isCleared = true;
	};

	/** The test that listens for a workflow. */
	const find = (workflowId: string): TestRegistration | undefined => {
		const test = tests.get(workflowId);
		return test && test.expiresAt > now() ? test : undefined;
	};

	/** Ends a test, as when its event has come. */
	const end = async (workflow: TriggerWorkflow): Promise<void> => {
		const test = find(workflow.id);
		if (!test) return;
		clearTimer(workflow.id);
		if (await callHook('delete', { ...test, isTest: true }, 'update')) tests.delete(workflow.id);
	};

	const listen = async (workflow: TriggerWorkflow): Promise<void> => {
		const timer = { isCleared: false };
		const test: TestRegistration = {
			workflow,
			version: workflow.draft,
			staticData: {},
			expiresAt: now() + LISTENING_MS + BUFFER_MS,
		};
		process.after(LISTENING_MS, () => void (!timer.isCleared && end(workflow)));
		tests.set(workflow.id, test);
		if (!(await callHook('create', { ...test, isTest: true }, 'manual'))) return await end(workflow);
		tests.set(workflow.id, { ...test, expiresAt: now() + LISTENING_MS + BUFFER_MS });
		clearTimer(workflow.id);
		timers.set(workflow.id, timer);
	};

	return {
		listen: (workflow: TriggerWorkflow) => void listen(workflow),
		cancel: (workflow: TriggerWorkflow) => void end(workflow),
		find,
		end,
	};
}
