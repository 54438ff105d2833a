import { NUMBERING_PLANS, type NumberingPlan } from './numberingPlans';

/** The calling code that the digits of a number begin with; undefined if no country has it. */
export function callingCodeIn(digits: string): string | undefined {
	// No calling code begins with another one.
	return [1, 2, 3].map((length) => digits.slice(0, length)).find(planOf);
}

/** The numbers of the countries with a calling code. */
export function planOf(code: string): NumberingPlan | undefined {
	return Object.hasOwn(NUMBERING_PLANS, code) ? NUMBERING_PLANS[code] : undefined;
}
