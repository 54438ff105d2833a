/** The parts of an HTTP response that are watched. Express and Node send every response with `end`. */
export interface WatchedResponse {
	statusCode: number;
	/** Whether the response was sent, even if the client has disconnected. */
	readonly writableEnded: boolean;
	end(...content: unknown[]): unknown;
}

/** A response that is held back. */
export interface HeldResponse extends WatchedResponse {
	removeHeader(name: string): void;
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
	const report = () => done(isSuccessStatus(response.statusCode));
	if (response.writableEnded) return report();
	const end = response.end.bind(response);
	response.end = (...content) => {
		report();
		return end(...content);
	};
	dropped.register(response, done);
}

/**
 * Holds back the response, whoever sends it, until it is known whether others have accepted the event too. If not, a
 * success becomes a 503.
 *
 * @param accepted never rejects
 */
export function holdResponse(response: HeldResponse, accepted: Promise<boolean>): void {
	const end = response.end.bind(response);
	response.end = (...content) => {
		void accepted.then((isAccepted) => {
			if (isAccepted || !isSuccessStatus(response.statusCode)) return end(...content);
			response.statusCode = 503;
			for (const header of ['Content-Length', 'Content-Type', 'ETag']) response.removeHeader(header);
			return end();
		});
		return response;
	};
}

/** What ends a request has a status of at least 200. */
function isSuccessStatus(statusCode: number): boolean {
	return statusCode < 300;
}
