import { sleep, type Logger } from 'n8n-workflow';

import { createJournal, type Journal } from './journal';
import { createMemory, type Memory } from './memory';
import { createRecall, type Recall } from './recall';
import { createSecrets } from './secrets';

/** What this process knows of one trigger. */
export interface TriggerState {
	memory: Memory;
	recall: Recall;
	journal: Journal;
}

/** Which trigger it is; a test listens for itself, so that it takes nothing away from production. */
export interface TriggerName {
	workflowId: string | undefined;
	nodeId: string;
	nodeName: string;
	isTest: boolean;
}

const states = new Map<string, TriggerState>();

/** The signing secrets of all triggers in this process. */
export const secrets = createSecrets();

/** n8n loads the package when it starts. */
export const PROCESS_STARTED = Date.now();

/** What this process knows of a trigger, from its first delivery on. */
export function stateOf(name: TriggerName, logger: Logger): TriggerState {
	const key = `${name.workflowId} ${name.nodeId} ${name.isTest}`;
	const known = states.get(key);
	if (known) return known;
	const journal = createJournal(
		(line) => logger.warn(`${name.nodeName} in workflow ${name.workflowId}: ${line}`),
		sleep,
	);
	const state: TriggerState = {
		memory: createMemory(),
		journal,
		recall: createRecall(sleep, () =>
			journal.note(
				'The database could not be asked whether an event came before; it counts as new',
				Date.now(),
			),
		),
	};
	states.set(key, state);
	return state;
}
