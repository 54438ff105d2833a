import type { Watch } from './run';

/** Counts the requests that go out although an answer has told that the rate window is empty. */
export function watchEmptyWindow(): Watch & { readonly sentIntoEmpty: number } {
	let emptyUntil = 0;
	let sentIntoEmpty = 0;
	return {
		get sentIntoEmpty() {
			return sentIntoEmpty;
		},
		sending: (_, now) => {
			if (now < emptyUntil) sentIntoEmpty++;
		},
		answered: ({ headers }) => {
			if (headers['x-ratelimit-remaining'] !== '0') return;
			emptyUntil = Math.max(emptyUntil, Number(headers['x-ratelimit-reset']) * 1000);
		},
	};
}
