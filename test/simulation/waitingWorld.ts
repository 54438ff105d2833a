import fc from 'fast-check';

import type { NodeSettings } from './actionContext';
import type { World } from './process';
import type { Question, WaitingDatabase } from './waitingDatabase';
import { startWaiting, type WaitingProcess } from './waitingProcess';

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
	return { boot, boots, started, running };
}
