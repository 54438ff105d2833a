import { normalizeBaseUrl } from '../api/baseUrl';
import type { ReportContext } from '../operation/operation';
import { accountIn } from '../trigger/account/account';
import { signingSecretIn } from '../trigger/delivery/secrets';
import { fetchesOf, type ToldFetch } from '../trigger/delivery/status';
import { shownUrl } from '../webhook/sharedUrl';
import { valueOf } from './read';
import { askReceivers, sendSample, type AskedReceiver, type Sample } from './receivers';
import { readService, type ServiceFacts } from './service';

/** What the checks judge: all that was seen. Nothing of it is secret. */
export interface Facts extends ServiceFacts {
	baseUrl: string;
	webhooksUrl: string;
	editorUrl: string;
	timezone: string;
	hasSecret: boolean;
	/** How far the service's clock is ahead, in milliseconds; undefined if no response showed its time. */
	clockOffsetMs: number | undefined;
	receivers: AskedReceiver[];
	/** Set only if the service was asked for its sample event. */
	sample: Sample | undefined;
	/** What this process knows itself. */
	ownFetches: ToldFetch[];
}

/**
 * Looks at the setup. Changes nothing.
 *
 * @param sendsSample whether the service is to send its sample event
 * @throws UserError when the base URL in the credential is not valid, and what ends the execution
 */
export async function readFacts(context: ReportContext, sendsSample: boolean): Promise<Facts> {
	const { account, client, clock, webhooksUrl, editorUrl, timezone } = context;
	const credential = await context.credential();
	const secret = signingSecretIn(credential);
	const read = await readService(client, secret, clock);
	const receivers = await askReceivers(valueOf(read.webhook)?.subscribers ?? [], secret, context);
	const sample = sendsSample ? await sendSample(receivers, secret, context) : undefined;
	return {
		...read,
		baseUrl: normalizeBaseUrl(credential.baseUrl),
		webhooksUrl: shownUrl(webhooksUrl),
		editorUrl: shownUrl(editorUrl),
		timezone,
		hasSecret: secret !== '',
		clockOffsetMs: account.isClockKnown ? account.clockOffsetMs : undefined,
		receivers,
		sample,
		ownFetches: fetchesOf(accountIn(credential)),
	};
}
