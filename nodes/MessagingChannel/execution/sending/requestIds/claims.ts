import type { SendClaims } from '../sendClaims';
import { databaseError } from '../sendStore';
import type { Batches } from './batches';
import type { NodeRequests, RequestState } from './nodeRequests';
import { begunKey, readingKey, textKeysOf, type IdentifiedSend } from './requestKeys';
import type { RequestRow } from './requestRow';

/** The claims of one execution. */
export interface Claims extends Omit<SendClaims, 'close'> {
	/** Frees the IDs that this execution has recorded as begun and not sent. */
	forgetUnsent(): void;
	/** Releases what is still in flight. */
	releaseAll(): void;
}

/** Creates the claims of one execution, so that no two items of a process have the same request in flight. */
export function createClaims(node: NodeRequests, row: RequestRow, { recordFrom }: Batches): Claims {
	const { states, recordedBy, textKeys, confirmed, unneededKeys, unproven, inSeries } = node;
	/** The requests that this execution has in flight. */
	const claimed = new Set<string>();

	const failUnchecked = (error: unknown): never => {
		throw databaseError(error, 'n8n could not check whether this request ID was used before');
	};

	const recordIfUnknown = async (send: IdentifiedSend): Promise<void> =>
		await inSeries(async () => {
			if (!states.has(send.requestKey)) await recordFrom(send);
		}).catch(failUnchecked);

	/** Whether a text is stored for the request that is not the text of this send. It would prove nothing about this one. */
	const hasOtherText = (send: IdentifiedSend): boolean => {
		const stored = textKeys.get(send.requestKey);
		return stored !== undefined && stored !== textKeysOf(send)[0];
	};

	const noteTextUnneeded = (request: string): void => {
		const text = textKeys.get(request);
		if (text !== undefined) unneededKeys.add(text);
	};

	const removeText = async ({ requestKey }: IdentifiedSend): Promise<void> =>
		await inSeries(async () => {
			noteTextUnneeded(requestKey);
			await row.removeUnneeded();
			textKeys.delete(requestKey);
		}).catch(failUnchecked);

	/** Ends what is in flight. Without a state, the ID is free again. */
	const settle = (request: string, state?: RequestState): void => {
		claimed.delete(request);
		const previous = states.get(request);
		if (state) states.set(request, state);
		else states.delete(request);
		if (previous?.kind === 'inFlight') previous.end();
	};

	const forget = (request: string): void => {
		unneededKeys.add(begunKey(request));
		noteTextUnneeded(request);
		textKeys.delete(request);
		recordedBy.delete(request);
		settle(request);
	};

	return {
		async claim(send) {
			const identified = send as IdentifiedSend;
			const { requestKey } = identified;
			while (true) {
				const state = states.get(requestKey);
				if (!state) {
					await recordIfUnknown(identified);
				} else if (state.kind === 'recorded' && hasOtherText(identified)) {
					await removeText(identified);
				} else if (state.kind === 'inFlight') {
					await state.ended;
				} else if (state.kind === 'sent') {
					return { state: 'sent' };
				} else {
					// No other item can have it in flight, because nothing was awaited since the check.
					states.set(requestKey, inFlight());
					claimed.add(requestKey);
					return state.kind === 'recorded'
						? { state: 'new' }
						: { state: 'unconfirmed', earlier: hasOtherText(identified) ? undefined : state.earlier };
				}
			}
		},
		confirm(send) {
			const { requestKey } = send as IdentifiedSend;
			confirmed.add(requestKey);
			if (unproven.delete(requestKey)) unneededKeys.add(readingKey(requestKey));
			settle(requestKey, { kind: 'sent' });
			row.flushLater();
		},
		withdraw: (send) => forget((send as IdentifiedSend).requestKey),
		release: (send) => settle((send as IdentifiedSend).requestKey, { kind: 'unconfirmed' }),
		forgetUnsent() {
			for (const [request, by] of recordedBy) {
				if (by !== row) continue;
				if ((states.get(request)?.kind ?? 'recorded') === 'recorded') forget(request);
				recordedBy.delete(request);
			}
		},
		releaseAll() {
			// A send that was cancelled may have been made.
			for (const request of claimed) settle(request, { kind: 'unconfirmed' });
		},
	};
}

function inFlight(): RequestState {
	let end = () => {};
	const ended = new Promise<void>((resolve) => (end = resolve));
	return { kind: 'inFlight', ended, end };
}
