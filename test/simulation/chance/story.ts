import type { Scheduler } from './scheduler';

/** Tells what happens in a history. A line is only made when somebody wants to read the story. */
export type Tell = (line: () => string) => void;

/** For a history whose story nobody reads. */
export const tellNobody: Tell = () => {};

/** Writes the story of a history down, each line with the simulated time since its beginning. */
export function createStory({ now }: Pick<Scheduler, 'now'>): { tell: Tell; lines: string[] } {
	const startedAt = now();
	const lines: string[] = [];
	return {
		lines,
		tell: (line) => lines.push(`${((now() - startedAt) / 1000).toFixed(3).padStart(10)} s  ${line()}`),
	};
}
