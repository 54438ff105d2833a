import type { Clock } from '../../../api/clock';
import type { ActionRun } from '../../../n8n/actionRun';
import { hasOwnId, type Send } from '../send';
import { requestIdsOf } from '../requestIds/requestIds';
import type { IdentifiedSend } from '../requestIds/requestKeys';
import { retriedSendsOf } from '../retriedSends';
import { inBoth, type SendClaims } from '../sendClaims';
import type { FindNotQueued, SendJournal } from '../sendJournal';

/** How `SendStatus` is called in the journal. */
const STATES = { new: 'absent', sent: 'done', sentOtherwise: 'otherwise', unconfirmed: 'open' } as const;

/** How the end of a send is called in the claims. */
const ENDS = { made: 'confirm', notMade: 'withdraw', uncertain: 'release' } as const;

/**
 * Opens the journal of a run, which consists of the claims of its request IDs, and of those of a retried execution. Call `close` at the
 * end.
 *
 * @param sends all sends of the run, in order
 */
export function sendJournalOf(
	run: ActionRun,
	clock: Clock,
	sends: readonly Send[],
	findNotQueued: FindNotQueued,
): SendJournal {
	const identified = sends.filter((send): send is IdentifiedSend => hasOwnId(send));
	const ids = identified.length > 0 ? requestIdsOf(run, clock, identified, findNotQueued) : undefined;
	const places = retriedSendsOf(run, clock);
	const claimsOf = (send: Send): SendClaims | undefined => {
		const id = hasOwnId(send) ? ids : undefined;
		const place = send.parts ? undefined : places;
		return id && place ? inBoth(id, place) : (id ?? place);
	};
	return {
		async begin(send) {
			const status = await claimsOf(send)?.claim(send);
			return status ? { ...status, state: STATES[status.state] } : { state: 'absent' };
		},
		settle(send, end, answered) {
			claimsOf(send)?.[ENDS[end]](send);
			if (answered) places?.confirm(answered);
		},
		async close() {
			await places?.close();
			await ids?.close();
		},
	};
}
