import fc from 'fast-check';

import type { NodeSettings } from './actionContext';
import type { World } from './process';
import { startWaiting, type Question, type WaitingDatabase, type WaitingProcess } from './waitingProcess';

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

/** A database in which nothing has happened yet. */
export const newWaitingDatabase = (): WaitingDatabase => ({
	executions: [],
	waits: [],
	continuations: [],
	resumptions: [],
	active: new Map(),
	alive: new Set(),
	mixedUp: new Set(),
	isOver: false,
	lastId: 0,
	row: [],
});

/** The processes of an n8n that serve links. */
export interface WaitingProcesses {
	boot(place: number): void;
	/** When the leader began, in Unix milliseconds. */
	boots: number[];
	/** All that ever ran. */
	started: WaitingProcess[];
	/** Those that run, the leader first. */
	running: Array<WaitingProcess | undefined>;
}

/** @param name what the story calls them */
export function createWaitingProcesses(
	world: World,
	database: WaitingDatabase,
	name: string,
	onDeath: (place: number) => void,
): WaitingProcesses {
	const boots: number[] = [];
	const started: WaitingProcess[] = [];
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
