/** The service is asked whose the API key is at most once in this time. */
const ASK_INTERVAL_MS = 60_000;

/** Which account the API key belongs to. A service can change the ID of an account, so it is asked again. */
export interface Owner {
	/** The ID that the service named last. */
	readonly id: string | undefined;
	/**
	 * Asks the service, unless that was done in the last minute. Who asks meanwhile waits for the same answer.
	 *
	 * @param now that of `clock.elapsed`
	 * @returns the ID and whether it was asked for now; without an ID if the service names none
	 * @throws what `ask` throws; the next call asks again
	 */
	current(
		ask: () => Promise<string | undefined>,
		now: number,
	): Promise<{ id: string | undefined; isNew: boolean }>;
}

/** Creates the record of a key that is not known. */
export function createOwner(): Owner {
	let id: string | undefined;
	let askedAt = -Infinity;
	let asking: Promise<string | undefined> | undefined;
	return {
		get id() {
			return id;
		},
		async current(ask, now) {
			const isNew = asking !== undefined || now - askedAt >= ASK_INTERVAL_MS;
			if (isNew) {
				asking ??= ask().finally(() => (asking = undefined));
				id = await asking;
				askedAt = now;
			}
			return { id, isNew };
		},
	};
}
