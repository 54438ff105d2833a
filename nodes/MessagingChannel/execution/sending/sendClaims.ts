import type { Send } from './send';
import type { EarlierRequest } from './sendJournal';

/** The status of a send in earlier executions. */
export type SendStatus =
	| { state: 'new' | 'sent' }
	/** A text was sent as a whole and not in these parts, or the other way round, or in other parts. */
	| { state: 'sentOtherwise' }
	/** It was begun, and may have been made. */
	| { state: 'unconfirmed'; earlier?: EarlierRequest };

/** Claims of sends in n8n's database, which outlive the executions that made them. */
export interface SendClaims {
	/**
	 * Claims a send, and records that it starts.
	 *
	 * @returns its status in earlier executions
	 * @throws ApiError if n8n's database cannot be used
	 */
	claim(send: Send): Promise<SendStatus>;
	/** Records that the send was made. */
	confirm(send: Send): void;
	/** Records that the send was certainly not made. */
	withdraw(send: Send): void;
	/** Releases a send that may have been made. */
	release(send: Send): void;
	/** Called at the end. Resolves when all claims are stored. */
	close(): Promise<void>;
}

/**
 * Claims a send in two stores, such as that of its request ID and that of the retries of its item. What one of them knows to be
 * made is not made again, and the other learns of it.
 */
export function inBoth(one: SendClaims, other: SendClaims): SendClaims {
	const both = [one, other];
	return {
		async claim(send) {
			const first = await one.claim(send);
			const second = await other.claim(send).catch(async (error: unknown) => {
				if (first.state === 'new') one.withdraw(send);
				else if (first.state !== 'sent') one.release(send);
				return await Promise.reject(error);
			});
			const found = [first, second];
			if (found.some(({ state }) => state === 'sent')) {
				if (first.state !== 'sent') one.confirm(send);
				if (second.state !== 'sent') other.confirm(send);
				return { state: 'sent' };
			}
			const statusOf = (wanted: SendStatus['state']) => found.find(({ state }) => state === wanted);
			return statusOf('sentOtherwise') ?? statusOf('unconfirmed') ?? first;
		},
		confirm: (send) => both.forEach((claims) => claims.confirm(send)),
		withdraw: (send) => both.forEach((claims) => claims.withdraw(send)),
		release: (send) => both.forEach((claims) => claims.release(send)),
		close: async () => void (await Promise.all(both.map(async (claims) => await claims.close()))),
	};
}
