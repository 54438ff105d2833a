import type { FunctionsBase } from 'n8n-workflow';

/**
 * What n8n keeps of a published trigger with its workflow. n8n saves a change only while it starts or ends the trigger. All
 * times are Unix milliseconds of n8n's clock. Workflows hold the names, so these must not change.
 */
export interface SavedState {
	/** The URL of the trigger; not set while it polls. */
	webhookUrl?: string;
	/** The account that it was published for, if the service names it. */
	accountId?: string;
	/** A digest of the base URL and the API key that the webhook was set with, until it is given back. */
	accountKey?: string;
	/** An account before, whose webhook nobody has given back. */
	formerAccountId?: string;
	/** Of the signing secret that the service has shown to be right; see `secretDigestOf`. */
	secretDigest?: string;
	/** The event ID of the sample with which the secret was checked. */
	sampleId?: string;
	/** How long the service waits for a response; kept only if events wait for others. */
	timeoutSeconds?: number;
	/** Since when the trigger has listened without a break. */
	listeningSince?: number;
	/** What it listens to, so that another trigger or another filter begins anew. */
	listeningTo?: string;
	/** When n8n ended the trigger the last time. */
	endedAt?: number;
	/** The same, but before n8n's failures to start it again. */
	listenedUntil?: number;
}

/** What is saved of a trigger. A change of the returned object is saved. */
export function savedStateOf(context: Pick<FunctionsBase, 'getWorkflowStaticData'>): SavedState {
	return context.getWorkflowStaticData('node') as SavedState;
}
