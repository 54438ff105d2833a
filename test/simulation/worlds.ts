import fc from 'fast-check';

import { playAnswers } from './answers/answers';
import { answersHistory } from './answers/history';
import { ANSWERS_JUDGES } from './answers/promises';
import { campaignHistory, playCampaign } from './campaign/campaign';
import { CAMPAIGN_JUDGES } from './campaign/promises';
import { playReceiving } from './receiving/receiving';
import { receivingHistory } from './receiving/history';
import { RECEIVING_JUDGES } from './receiving/promises';
import { missedHistory, playMissed } from './missed/missed';
import { MISSED_JUDGES } from './missed/promises';
import { playSending, sendingHistory } from './sending/sending';
import { SENDING_JUDGES } from './sending/promises';
import type { Judge, StoryOf } from './chance/histories';
import { createStory } from './chance/story';
import { playWaiting, waitingHistory } from './waiting/waiting';
import { WAITING_JUDGES } from './waiting/promises';

/** How a history went, line by line, and the promises that it broke. */
export interface Story {
	lines: string[];
	broken: string[];
}

/** A world in which histories happen. A seed stands for one history, which is the same each time. */
export interface SimulatedWorld {
	/** Resolves to the promises that the history of a seed breaks. */
	play(seed: number): Promise<string[]>;
	tell(seed: number): Promise<Story>;
	/** Resolves to the story of the simplest history like that of a seed that breaks a promise. */
	tellSimplest(seed: number): Promise<Story>;
}

const SHRINKING_MS = 120_000;

/**
 * @param history makes the histories
 * @param playIn lets one happen
 * @param judges look at how it ended
 */
function createWorld<History extends object, Outcome>(
	history: fc.Arbitrary<History>,
	playIn: (history: History, storyOf?: StoryOf) => Promise<Outcome>,
	judges: ReadonlyArray<Judge<Outcome>>,
): SimulatedWorld {
	// One history for each seed: fast-check would make the first of a run simpler than the later ones.
	const arbitrary = fc.noBias(history);

	const historyOf = (seed: number) => fc.sample(arbitrary, { seed, numRuns: 1 })[0] as History;

	const play = async (history: History, storyOf?: StoryOf): Promise<string[]> => {
		const unhandled: string[] = [];
		const note = (error: unknown) => void unhandled.push(`nobody handles the error: ${String(error)}`);
		process.on('unhandledRejection', note);
		try {
			const outcome = await playIn(history, storyOf);
			return [...new Set(judges.flatMap((judge) => judge(outcome))), ...unhandled];
		} catch (error) {
			return [String(error), ...unhandled];
		} finally {
			process.off('unhandledRejection', note);
		}
	};

	const tell = async (history: History): Promise<Story> => {
		let lines: string[] = [];
		const broken = await play(history, (scheduler) => {
			const story = createStory(scheduler);
			lines = story.lines;
			return story.tell;
		});
		// The steps are told when they are taken, and the numbers tell nobody anything.
		const settings = { ...history, steps: undefined, numbers: undefined };
		return { lines: [`Settings: ${JSON.stringify(settings)}`, ...lines], broken };
	};

	return {
		play: async (seed) => await play(historyOf(seed)),
		tell: async (seed) => await tell(historyOf(seed)),
		async tellSimplest(seed) {
			const keepsPromises = fc.asyncProperty(
				arbitrary,
				async (history) => (await play(history)).length === 0,
			);
			const { counterexample } = await fc.check(keepsPromises, {
				seed,
				numRuns: 1,
				interruptAfterTimeLimit: SHRINKING_MS,
			});
			return await tell(counterexample?.[0] ?? historyOf(seed));
		},
	};
}

export const WORLDS = {
	sending: createWorld(sendingHistory, playSending, SENDING_JUDGES),
	campaign: createWorld(campaignHistory, playCampaign, CAMPAIGN_JUDGES),
	receiving: createWorld(receivingHistory, playReceiving, RECEIVING_JUDGES),
	missed: createWorld(missedHistory, playMissed, MISSED_JUDGES),
	waiting: createWorld(waitingHistory, playWaiting, WAITING_JUDGES),
	answers: createWorld(answersHistory, playAnswers, ANSWERS_JUDGES),
} satisfies Record<string, SimulatedWorld>;

export type WorldName = keyof typeof WORLDS;

export const WORLD_NAMES = Object.keys(WORLDS) as WorldName[];

/** How many histories of a world are played for one of another. Histories with answers take long. */
const WEIGHTS: Partial<Record<WorldName, number>> = { answers: 0.1 };

const weightOf = (world: WorldName) => WEIGHTS[world] ?? 1;

/** How many of all histories each of the worlds gets. */
export function sharesOf(worlds: readonly WorldName[], histories: number): Map<WorldName, number> {
	const total = worlds.reduce((sum, world) => sum + weightOf(world), 0);
	return new Map(worlds.map((world) => [world, Math.ceil((histories * weightOf(world)) / total)]));
}
