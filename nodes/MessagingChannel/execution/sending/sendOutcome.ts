import type { IDataObject } from 'n8n-workflow';

import type { ApiError } from '../../api/errors';
import type { SendEnd } from './sendJournal';
import type { SkippedRecipient } from './skipRecipients';

/**
 * What tells the outcome of a send: the log, which knows the earlier tries of this execution; the journal, which knows earlier
 * executions; or the request that this try has made.
 */
type Source = 'log' | 'journal' | 'request';

/** What became of a send. */
export type SendOutcome =
	/** The service has confirmed it. */
	| { kind: 'sent'; from: 'request'; records: IDataObject[] }
	/** Nobody has confirmed it, and it was found in its chat. */
	| { kind: 'verified'; from: Source; records: IDataObject[] }
	/** An earlier try or execution has made it, and this one has not. */
	| { kind: 'alreadySent'; from: 'log' | 'journal'; records: IDataObject[] }
	/** None of its recipients gets it. */
	| { kind: 'skipped'; from: 'request'; recipients: SkippedRecipient[] }
	/**
	 * It may be made again. It was certainly not made: the service refused it, or, if the journal tells, it was not begun. Or it creates a
	 * record without a request ID, of which nobody knows whether it exists.
	 */
	| { kind: 'refused'; from: 'journal' | 'request'; error: unknown }
	/** It may have been made. */
	| { kind: 'uncertain'; from: Source; error: ApiError };

/** What the send log and the journal keep of an outcome. */
export interface Settlement {
	/** `answer`: its records. `keep`: that it is unconfirmed, or what the log has. `forget`: nothing, so that the next try begins it. */
	log: 'answer' | 'keep' | 'forget';
	/** Undefined if the journal knows already, or knows nothing of it. */
	journal?: SendEnd;
}

/**
 * What the stores keep of an outcome. The log has only what this execution has begun.
 *
 * @param isMessage whether it is a message, which no next try may repeat. What creates a record is repeated unless the journal knows it
 */
export function settlementOf({ kind, from }: SendOutcome, isMessage: boolean): Settlement {
	switch (kind) {
		case 'sent':
		case 'verified':
			return { log: 'answer', journal: 'made' };
		case 'alreadySent':
			return from === 'journal' ? { log: 'forget' } : { log: 'keep', journal: 'made' };
		case 'skipped':
		case 'refused':
			return { log: 'forget', ...(from !== 'journal' && { journal: 'notMade' }) };
		case 'uncertain':
			if (from === 'log') return { log: 'keep' };
			return { log: from === 'request' && isMessage ? 'keep' : 'forget', journal: 'uncertain' };
	}
}
