import fc from 'fast-check';

import { choicesFrom } from './choices';
import { createScheduler, type Scheduler } from './scheduler';
import { tellNobody, type Tell } from './story';

/** The steps of a world by what they do: how often each is chosen, and what else it says. */
export type StepTable = Record<string, [weight: number, fields?: Record<string, fc.Arbitrary<unknown>>]>;

/** What an arbitrary makes. */
export type Made<Arbitrary> = Arbitrary extends fc.Arbitrary<infer V> ? V : never;

/** A step of a table. */
export type StepOf<Table extends StepTable> = {
	[Do in keyof Table & string]: { do: Do } & {
		[Field in keyof NonNullable<Table[Do][1]>]: Made<NonNullable<Table[Do][1]>[Field]>;
	};
}[keyof Table & string];

/** For `fc.oneof`. */
export const stepsOf = <Table extends StepTable>(table: Table): Array<fc.WeightedArbitrary<StepOf<Table>>> =>
	Object.entries(table).map(([name, [weight, fields = {}]]) => ({
		weight,
		arbitrary: fc.record({ do: fc.constant(name), ...fields }) as fc.Arbitrary<StepOf<Table>>,
	}));

/** One of several values; one that is there twice is chosen twice as often. */
export const oneOf = <const T extends unknown[]>(...values: T): fc.Arbitrary<T[number]> =>
	fc.constantFrom(...values);

/** How long something takes, in milliseconds. Unlike `oneOf`, of any length for the type. */
export const times = (...ms: number[]): fc.Arbitrary<number> => fc.constantFrom(...ms);

/** What a history leaves to chance. */
export const numbers = (most: number) => fc.array(fc.nat(1_000_000), { maxLength: most, size: 'max' });

/** How far the service's clock is ahead, in milliseconds. */
export const clockOffsetMs = oneOf(0, 90_000, -90_000);

/** What each step but a wait does. */
export type Actions<Step extends { do: string }> = {
	[Do in Exclude<Step['do'], 'wait'>]: (step: Extract<Step, { do: Do }>) => unknown;
};

/** Takes a step, and tells it. No time passes, unless the step is to wait for something. */
export const takerOf =
	<Step extends { do: string }>(tell: Tell, actions: Actions<Step>) =>
	(step: Step): unknown => {
		tell(() => `Step: ${JSON.stringify(step)}`);
		const { [step.do as keyof Actions<Step>]: act } = actions as unknown as Record<
			string,
			(step: Step) => unknown
		>;
		return step.do === 'wait' ? undefined : act?.(step);
	};

/** When every history begins, in Unix milliseconds. */
const START = Date.UTC(2030, 0, 31, 9);

/** Names the ways in which a history broke one promise. It reads what users see and what the service has, and knows nothing of the code. */
export type Judge<Outcome> = (outcome: Outcome) => string[];

/** Makes what the story is told to, when somebody wants to read it. */
export type StoryOf = (scheduler: Scheduler) => Tell;

/** What every history begins with. As long as it is not eventful, nothing unusual happens. */
export function beginHistory(
	chance: readonly number[],
	storyOf: StoryOf = () => tellNobody,
	isEventful: () => boolean = () => true,
) {
	const scheduler = createScheduler(START);
	/** Lets time pass, in milliseconds. */
	const pass = async (ms: number) => await scheduler.run(scheduler.now() + ms);
	return {
		scheduler,
		choices: choicesFrom(chance, isEventful),
		tell: storyOf(scheduler),
		pass,
		/** Takes one step after the other. What a step starts begins before the next. */
		async play<Step extends { do: string; ms?: number }>(
			steps: readonly Step[],
			take: (step: Step) => unknown,
		): Promise<void> {
			for (const step of steps) {
				await take(step);
				await pass(step.do === 'wait' ? (step.ms ?? 0) : 0);
			}
		},
	};
}

/** Lets time pass until nothing has changed for so long: triggers look after their webhook for ever. */
export async function settleDown(
	scheduler: Scheduler,
	lastChange: () => number,
	quietMs: number,
	mostMs = Infinity,
): Promise<void> {
	const mostUntil = scheduler.now() + mostMs;
	for (let until = scheduler.now() + quietMs; until > scheduler.now();) {
		await scheduler.run(until);
		until = Math.min(lastChange() + quietMs, mostUntil);
	}
}
