import type { IHookFunctions } from 'n8n-workflow';

import { connect } from '../../n8n/connect';
import { isStartup, noteListening } from '../catchUp/listening';
import { catchUpMinutesOf, pollIntervalMsOf } from '../catchUp/settings';
import { readLatest, requestTestRun } from '../catchUp/testRun';
import { requireValidFilter, selectedEvents } from '../delivery/filter';
import { savedStateOf } from '../delivery/state';
import { shownUrl } from '../../webhook/sharedUrl';
import { activationError, activationErrorOf } from './activationErrors';

/**
 * Checks a trigger that polls, before n8n starts it. The account's webhook is left alone.
 *
 * @throws NodeOperationError if the settings do not fit, or there is nothing to test with; NodeApiError if a request fails
 */
export async function activatePolling(context: IHookFunctions): Promise<boolean> {
	try {
		requireValidSettings(context);
		if (isStartup(context)) {
			// n8n may have been killed before it kept this.
			noteListening(context);
			// The loop tries again by itself.
			return true;
		}
		const { accountId, message } = await readLatest(context, await connect(context));
		if (context.getActivationMode() === 'manual') {
			await startTest(context, message !== undefined);
			return true;
		}
		const saved = savedStateOf(context);
		const hasOtherAccount = saved.accountId !== undefined && saved.accountId !== accountId;
		noteListening(context, hasOtherAccount);
		saved.accountId = accountId;
		delete saved.webhookUrl;
		return true;
	} catch (error) {
		throw activationErrorOf(context, error);
	}
}

function requireValidSettings(context: IHookFunctions): void {
	const events = selectedEvents(context);
	if (events.length !== 1 || events[0] !== 'message.received') {
		throw activationError(context, {
			message: 'Polling finds only received messages',
			description:
				"Select only 'Message Received' in 'Events', or set 'Listen By' to 'Webhook' to get the other events.",
		});
	}
	pollIntervalMsOf(context);
	catchUpMinutesOf(context);
	requireValidFilter(context);
}

async function startTest(context: IHookFunctions, hasMessage: boolean): Promise<void> {
	if (!hasMessage) {
		throw activationError(context, {
			message: 'There is no received message to test with',
			description:
				'Send a message to the account from another phone, then listen again. Filters of the trigger count here, too.',
		});
	}
	const url = context.getNodeWebhookUrl('default') ?? '';
	if (await requestTestRun(context, url)) return;
	throw activationError(context, {
		message: `n8n cannot reach its own URL ${shownUrl(url)} to start the test`,
		description:
			"Set n8n's environment variable N8N_WEBHOOK_URL (WEBHOOK_URL in older versions of n8n) to a URL at which the machine that runs n8n reaches n8n, for example http://localhost:5678/, or publish the workflow without a test.",
	});
}
