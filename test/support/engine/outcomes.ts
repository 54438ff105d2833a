import type { IDataObject } from 'n8n-workflow';

/** What the user is told about an item. */
export type Outcome = 'accepted' | 'verified' | 'ambiguous' | 'failed';

export function outcomeOf({ error, ambiguous, verified }: IDataObject): Outcome {
	if (error !== undefined) return ambiguous === true ? 'ambiguous' : 'failed';
	return verified === true ? 'verified' : 'accepted';
}

/** What must have become of an item's message; of an ambiguous one, nobody can say. */
export const MUST_BE_ACCEPTED: Record<Outcome, boolean | undefined> = {
	accepted: true,
	verified: true,
	ambiguous: undefined,
	failed: false,
};
