/** The parts of an HTTP response that are watched. */
export interface WatchedResponse {
	readonly statusCode: number;
	/** Whether the response was sent, even if the client has disconnected. */
	readonly writableEnded: boolean;
	/** Node emits `prefinish` even if the client has disconnected, unlike `finish`. */
	once(event: 'prefinish', listener: () => void): unknown;
}

/** Reports responses that n8n dropped, as it does when an execution is stopped or deleted before it starts. */
const dropped = new FinalizationRegistry<(accepted: boolean) => void>((done) => done(false));

/**
 * Reports whether n8n accepted the event of a webhook request. It responds with 200 once the execution is stored and has a
 * free slot, which may take hours, and with another status when it failed. n8n goes on when the client disconnects, so its
 * response counts even then.
 *
 * @param done called at least once, and only the first call counts; must not hold the response
 */
export function onAcceptance(response: WatchedResponse, done: (accepted: boolean) => void): void {
	const report = () => done(response.statusCode >= 200 && response.statusCode < 300);
	if (response.writableEnded) return report();
	response.once('prefinish', report);
	dropped.register(response, done);
}
