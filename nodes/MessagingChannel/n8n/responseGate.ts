import once from 'lodash/once';

/** The parts of an HTTP response that are watched. Express and Node send every response with `end`. */
export interface GatedResponse {
	statusCode: number;
	/** Whether the response was sent, even if the client has disconnected. */
	readonly writableEnded: boolean;
	end(...content: unknown[]): unknown;
	removeHeader(name: string): void;
}

/** What every response to a webhook request goes through, whoever sends it. */
export interface ResponseGate {
	/**
	 * Reports whether n8n accepted the event of the request. It responds with 200 once the execution is stored and has a free
	 * slot, which may take hours, and with another status when it failed. n8n goes on when the client disconnects, so its
	 * response counts even then.
	 *
	 * @param done called once; must not hold the response
	 */
	onAcceptance(done: (accepted: boolean) => void): void;
	/**
	 * Holds back the response until it is known whether others have accepted the event, too. If not, a success becomes a 503.
	 *
	 * @param accepted never rejects
	 */
	holdFor(accepted: Promise<boolean>): void;
}

/** Reports responses that n8n dropped, as it does when an execution is stopped or deleted before it starts. */
const dropped = new FinalizationRegistry<(accepted: boolean) => void>((done) => done(false));

/** Puts a gate before a response: n8n's own decision is reported first, and then it waits for the others. */
export function createResponseGate(response: GatedResponse): ResponseGate {
	let report: (() => void) | undefined;
	let others: Promise<boolean> | undefined;
	const end = response.end.bind(response);
	response.end = (...content) => {
		report?.();
		if (!others) return end(...content);
		void others.then((isAccepted) => {
			if (isAccepted || !isSuccessStatus(response.statusCode)) return end(...content);
			response.statusCode = 503;
			for (const header of ['Content-Length', 'Content-Type', 'ETag']) response.removeHeader(header);
			return end();
		});
		return response;
	};
	return {
		onAcceptance(done) {
			// A response that was sent is let go of, too.
			const tell = once(done);
			report = () => tell(isSuccessStatus(response.statusCode));
			if (response.writableEnded) report();
			else dropped.register(response, tell);
		},
		holdFor: (accepted) => void (others = accepted),
	};
}

/** What ends a request has a status of at least 200. */
function isSuccessStatus(statusCode: number): boolean {
	return statusCode < 300;
}
