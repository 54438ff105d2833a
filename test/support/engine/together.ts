import type { Watch } from './run';

/** Counts the requests of a run that are under way together, at the most. */
export function watchTogether(): Watch & { readonly most: number } {
	let together = 0;
	let most = 0;
	return {
		get most() {
			return most;
		},
		sending: () => {
			most = Math.max(most, ++together);
		},
		answered: () => {
			together--;
		},
	};
}
