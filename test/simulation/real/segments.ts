import fc from 'fast-check';

import type { Choices } from '../chance/choices';
import type { Fate } from './faults';

/** The steps of a history until something is waited for, or n8n is killed. */
export interface Segment<Step> {
	steps: Step[];
	isKilled: boolean;
}

type Cut = { do: 'wait' | 'kill' };

/**
 * Cuts the steps of a history into segments.
 *
 * @param isWorthwhile whether these steps may be the segment of this index; else they are the first of the next one
 */
export function segmentsOf<Step extends { do: string }>(
	steps: readonly Step[],
	isWorthwhile: (steps: ReadonlyArray<Exclude<Step, Cut>>, index: number) => boolean,
): Array<Segment<Exclude<Step, Cut>>> {
	const segments: Array<Segment<Exclude<Step, Cut>>> = [];
	let own: Array<Exclude<Step, Cut>> = [];
	const end = (isKilled: boolean): void => {
		if (!isWorthwhile(own, segments.length)) return;
		segments.push({ steps: own, isKilled });
		own = [];
	};
	for (const step of steps) {
		if (step.do === 'wait') end(false);
		else if (step.do === 'kill') end(true);
		else own.push(step as Exclude<Step, Cut>);
	}
	end(false);
	return segments;
}

/** Those that n8n waits for until it is killed. */
const SILENCES: readonly Fate[] = ['loses its response', 'gets lost'];

/**
 * What becomes of the first requests of a kind.
 *
 * @param faults those whose outcome is there at once
 * @param times for each of the requests, one in how many meets a fault
 */
export function fatesFrom(
	choices: Choices,
	faults: readonly [Fate, ...Fate[]],
	times: readonly number[],
	isKilled: boolean,
): Fate[] {
	const possible = (isKilled ? [...SILENCES, ...faults] : faults) as readonly [Fate, ...Fate[]];
	return times.map((one) => (choices.rarely(one) ? choices.oneOf(possible) : 'arrives'));
}

/** Scripts of a seed, always the same ones. n8n is killed in more than half of them. */
export function sampleScripts<Script extends { segments: Array<{ isKilled: boolean }> }>(
	script: fc.Arbitrary<Script>,
	seed: number,
	count: number,
): Script[] {
	const killed = script.filter(({ segments }) => segments.some(({ isKilled }) => isKilled));
	return fc.sample(fc.oneof(script, killed), { seed, numRuns: count });
}
