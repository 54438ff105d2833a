import fc from 'fast-check';

import type { FaultEffect, FaultTarget } from '../../support/service/core/faults';
import type { Choices } from '../chance/choices';

/** What becomes of a request, as the simulation names it, and what the reference service does so that this becomes of it. */
const FAULTS = {
	'is reset before it arrives': { kind: 'reset' },
	'is reset after it arrived': { kind: 'reset', when: 'after' },
	'meets a 503': { kind: 'status', status: 503, error: 'unavailable', headers: { 'Retry-After': '2' } },
	'fails before it is taken': { kind: 'status', status: 500 },
	'fails after it was taken': { kind: 'status', status: 500, when: 'after' },
	'loses its response': { kind: 'silence', when: 'after' },
	'gets lost': { kind: 'silence' },
} satisfies Record<string, FaultEffect & Pick<FaultTarget, 'when'>>;

type Fault = keyof typeof FAULTS;

const ALL_FAULTS = Object.keys(FAULTS) as [Fault, ...Fault[]];

/** Without those that n8n waits for until it is killed. */
const SOON = ALL_FAULTS.slice(0, -2) as [Fault, ...Fault[]];

/** What becomes of the first requests of a kind; of later ones nothing. */
export type Fates = Array<Fault | 'arrives'>;

/** @param times for each of the requests, one in how many meets a fault */
export const fatesFrom = (choices: Choices, times: readonly number[], isKilled: boolean): Fates =>
	times.map((one) => (choices.rarely(one) ? choices.oneOf(isKilled ? ALL_FAULTS : SOON) : 'arrives'));

/** The faults with which the reference service lets these become of requests. */
export const faultsOf = (fates: Fates) =>
	fates.flatMap((fate, skip) => (fate === 'arrives' ? [] : [{ skip, ...FAULTS[fate] }]));

/** The simulation's own: it names what becomes of each request of a kind. */
export function fateNamer() {
	const counts = new Map<string, number>();
	return (kind: string, fates: Record<string, Fates> = {}): string => {
		const before = counts.get(kind) ?? 0;
		counts.set(kind, before + 1);
		return fates[kind]?.[before] ?? 'arrives';
	};
}

/** How long after its beginning a segment may be cut off. */
export const KILLED_AFTER_MS = [0, 5, 40, 100, 250, 500, 800, 1_500, 3_000, 7_000, 13_000, 30_000] as const;

/** Whatever is unusual is in the script, save what is on its way when a process dies: half of that gets lost. */
export const onlyTimesOf = (chance: Choices): Choices => ({
	...chance,
	rarely: (times) => times === 2 && chance.rarely(2),
});

/** The steps of a history until something is waited for, or n8n is killed. */
interface Segment<Step> {
	steps: Step[];
	isKilled: boolean;
}

/**
 * Cuts the steps of a history into segments.
 *
 * @param isWorthwhile whether these steps may be the segment of this index; else they are the first of the next one
 */
export function segmentsOf<Step extends { do: string }>(
	steps: readonly Step[],
	isWorthwhile: (steps: readonly Step[], index: number) => boolean,
): Array<Segment<Step>> {
	const segments: Array<Segment<Step>> = [];
	let own: Step[] = [];
	for (const step of [...steps, { do: 'wait' }]) {
		if (step.do !== 'wait' && step.do !== 'kill') own.push(step as Step);
		else if (isWorthwhile(own, segments.length)) {
			segments.push({ steps: own, isKilled: step.do === 'kill' });
			own = [];
		}
	}
	return segments;
}

/**
 * Scripts of a seed, always the same ones. n8n is killed in more than half of them.
 *
 * @param scriptOf makes a script of a history: the choices decide what goes wrong in its segments
 * @param isWorthwhile whether a script is worth the seconds that it takes in a real n8n
 */
export function sampleScripts<History, Script extends { segments: Array<{ isKilled: boolean }> }>(
	histories: fc.Arbitrary<History>,
	scriptOf: (history: History, numbers: number[]) => Script,
	isWorthwhile: (script: Script) => boolean,
	[seed, numRuns]: [seed: number, count: number],
): Script[] {
	const numbers = fc.array(fc.nat(1_000_000), { minLength: 200, maxLength: 200 });
	const script = fc
		.tuple(histories, numbers)
		.map(([history, chance]) => scriptOf(history, chance))
		.filter(isWorthwhile);
	const killed = script.filter(({ segments }) => segments.some(({ isKilled }) => isKilled));
	return fc.sample(fc.oneof(script, killed), { seed, numRuns });
}
