import once from 'lodash/once';

import type { Clock } from '../api/clock';
import { safeConcurrency, type AccountState } from '../api/rateLimiter';
import type { ActionRun } from '../n8n/actionRun';
import { logsLongWaits, type Connection } from '../n8n/connect';
import { createAccountCountry, type AccountCountry } from './accountCountry';
import { createBackpressure, type WaitForQueue } from './sending/backpressure';
import { createEmptyQueueCheck, type EmptyQueueCheck } from './sending/emptyQueueCheck';
import { createSuppressionList, type ReasonToSkip } from './sending/suppressionList';
import { createSendReconciliation, type SendReconciliation } from './sending/sendReconciliation';
import { sentTextsOf, type SentTexts } from './sending/sentTexts';

/** One account of a run, with the state that its sends share. What only an option needs is created when it is first used. */
export interface Account extends Pick<Connection, 'client' | 'allowedRecipients' | 'rateLimitWait'> {
	/** What all executions of this process share about it. */
	state: AccountState;
	/** Identifies the account, and does not reveal the API key. */
	digest: string;
	/** Identifies the node that sends to it. */
	sender: () => string;
	sent: SentTexts;
	reconciliation: () => SendReconciliation;
	waitForQueue: () => WaitForQueue;
	emptyQueueCheck: () => EmptyQueueCheck;
	reasonToSkip: () => ReasonToSkip;
	country: () => AccountCountry;
	/** How many tasks of this execution are running. Those of all executions are in `state`. */
	tasks: number;
	/**
	 * How many tasks of this execution may run without a risk for the rate limit, beside those of other executions; 0 or less
	 * when it is not known, or they leave no room.
	 */
	safeConcurrency: () => number;
}

/** Creates the account of a connection for one run. */
export function createAccount(
	{ client, account, accountDigest, allowedRecipients, rateLimitWait }: Connection,
	clock: Clock,
	run: Pick<ActionRun, 'nodeKey' | 'logger'>,
): Account {
	const sent = sentTextsOf(account);
	return {
		client,
		state: account,
		digest: accountDigest,
		allowedRecipients,
		sender: () => run.nodeKey,
		sent,
		reconciliation: once(() => createSendReconciliation(client, clock, sent, account)),
		waitForQueue: once(() =>
			createBackpressure(client, clock, logsLongWaits(run, "the service's queue to get shorter")),
		),
		emptyQueueCheck: once(() => createEmptyQueueCheck(client, clock)),
		reasonToSkip: once(() => createSuppressionList(client, clock, account)),
		country: once(() => createAccountCountry(client, account)),
		rateLimitWait,
		tasks: 0,
		safeConcurrency() {
			return safeConcurrency(account, clock.elapsed()) - (account.tasks - this.tasks);
		},
	};
}
