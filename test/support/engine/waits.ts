/** A wait until a time, which nothing but a test lets come. */
interface Wait {
	ms: number;
	until: number;
	/** Ends it. */
	end: () => void;
}

/** The waits of a clock that a test moves. */
export function createWaits(now: () => number) {
	const waits = new Set<Wait>();
	return {
		/** Those that have not ended. */
		all: waits as ReadonlySet<Wait>,
		/** @param signal aborts the wait, as when the user stops an execution */
		wait: async (ms: number, signal?: AbortSignal) => {
			signal?.throwIfAborted();
			const ended = new AbortController();
			const wait: Wait = { ms, until: now() + ms, end: () => {} };
			await new Promise<void>((resolve, reject) => {
				const abort = () => {
					waits.delete(wait);
					const reason: unknown = signal?.reason;
					reject(reason instanceof Error ? reason : new Error(String(reason)));
				};
				wait.end = () => {
					waits.delete(wait);
					resolve();
				};
				waits.add(wait);
				signal?.addEventListener('abort', abort, { signal: ended.signal });
			}).finally(() => ended.abort());
		},
	};
}
