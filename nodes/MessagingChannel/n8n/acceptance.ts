/** What is looked at of an HTTP response. */
export interface WatchedResponse {
	readonly statusCode: number;
	/** The answer was given, whether or not anybody was there to read it. */
	readonly writableEnded: boolean;
	/** Node emits it when the answer is given, also when the sender has hung up; `finish` it does not. */
	once(event: 'prefinish', listener: () => void): unknown;
}

/**
 * Responses that n8n gave up without an answer, as it does when an execution is stopped or deleted before its turn: nobody
 * holds them any more.
 */
const abandoned = new FinalizationRegistry<(taken: boolean) => void>((done) => done(false));

/**
 * Tells whether n8n took the event of a request: it answers 200 once it has stored the execution and has a free slot for
 * it, which may take hours, and something else when it could not. When the sender hangs up before, n8n goes on all the
 * same, so its answer decides although nobody reads it.
 *
 * @param done called once or more, and the first time counts; must not hold the response
 */
export function onAcceptance(response: WatchedResponse, done: (taken: boolean) => void): void {
	const tell = () => done(response.statusCode >= 200 && response.statusCode < 300);
	if (response.writableEnded) return tell();
	response.once('prefinish', tell);
	abandoned.register(response, done);
}
