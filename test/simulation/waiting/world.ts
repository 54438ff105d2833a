import fc from 'fast-check';

import type { NodeSettings } from '../n8n/actionContext';
import type { World } from '../n8n/process';
import type { AskingWorkflow, Question, WaitingDatabase } from './database';
import { startWaiting, type WaitingProcess } from './process';

/** The fields of a step in which a user runs a workflow that asks. */
export const askFields = (
	question: fc.Arbitrary<Omit<Question, 'text'>>,
	settings: fc.Arbitrary<NodeSettings>,
) => ({
	questions: fc
		.array(question, { minLength: 1, maxLength: 2 })
		.map((questions) => questions.map((each, pass): Question => ({ ...each, text: `May we, ${pass}?` }))),
	settings,
});

const DAY_MS = 86_400_000;

/**
 * The processes of an n8n that serve links.
 *
 * @param name what the story calls them
 */
export function createWaitingProcesses(
	world: World,
	database: WaitingDatabase,
	name: string,
	onDeath: (place: number) => void,
) {
	/** When the leader began, in Unix milliseconds. */
	const boots: number[] = [];
	/** All that ever ran. */
	const started: WaitingProcess[] = [];
	/** Those that run, the leader first. */
	const running: Array<WaitingProcess | undefined> = [];
	const boot = (place: number): void => {
		const isLeader = place === 0;
		if (isLeader) boots.push(world.scheduler.now());
		let isDead = false;
		const process = startWaiting(world, database, {
			name: `${name} ${started.length + 1}`,
			isLeader,
			onDeath: () => {
				isDead = true;
				running[place] = undefined;
				onDeath(place);
			},
		});
		started.push(process);
		if (!isDead) running[place] = process;
	};
	const change = (what: 'retry' | 'stop', which: number, statuses: readonly string[]): void => {
		const found = database.executions.filter(({ status }) => statuses.includes(status));
		const chosen = found[which % found.length];
		if (chosen) running[0]?.[what](chosen);
	};
	return {
		boot,
		boots,
		started,
		running,
		actions: {
			ask: ({ questions, settings }: AskingWorkflow) => running[0]?.start({ questions, settings }),
			stop: ({ which }: { which: number }) => change('stop', which, ['running', 'waiting']),
			/** Retries one of the executions that did not succeed. */
			retry: ({ which }: { which: number }) => change('retry', which, ['error', 'crashed', 'canceled']),
		},
		/** Waits until so long before the next time limit, if that is soon. */
		untilLimit: async ({ beforeMs }: { beforeMs: number }): Promise<void> => {
			const limits = database.executions.flatMap(({ waitTill }) => waitTill ?? []);
			const next = Math.min(...limits) - beforeMs;
			if (next < world.scheduler.now() + DAY_MS) await world.scheduler.run(next);
		},
	};
}
