/** The service is asked whose the API key is at most once in this time. */
const ASK_INTERVAL_MS = 60_000;

/** Which account the API key belongs to. A service can change the ID of an account, so it is asked again. */
export interface Owner {
	/** The ID that the service named last. */
	readonly id: string | undefined;
	/**
	 * Asks the service, unless that was done in the last minute.
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
	return {
		get id() {
			return id;
		},
		async current(ask, now) {
			if (now - askedAt < ASK_INTERVAL_MS) return { id, isNew: false };
			askedAt = now;
			id = await ask().catch(async (error: unknown) => {
				askedAt = -Infinity;
				return await Promise.reject(error);
			});
			return { id, isNew: true };
		},
	};
}
