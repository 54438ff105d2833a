import { accountDigestIn } from '../../api/authentication';
import { isOtherAccount, isStartup, noteListening } from '../catchUp/listening';
import { catchUpMinutesOf, pollIntervalMsOf } from '../catchUp/settings';
import { readLatest, requestTestRun } from '../catchUp/testRun';
import { requireValidFilter, selectedEvents } from '../delivery/filter';
import type { ActivatedTrigger } from '../delivery/trigger';
import { shownUrl } from '../../webhook/sharedUrl';
import { activationError, activationErrorOf } from './activationErrors';

/**
 * Checks a trigger that polls, before n8n starts it. The account's webhook is left alone.
 *
 * @throws NodeOperationError if the settings do not fit, or there is nothing to test with; NodeApiError if a request fails
 */
export async function activatePolling(trigger: ActivatedTrigger): Promise<void> {
	try {
		requireValidSettings(trigger);
		if (isStartup(trigger)) {
			// n8n may have been killed before it kept this.
			noteListening(trigger);
			// The loop tries again by itself.
			return;
		}
		const { accountId, message } = await readLatest(trigger, await trigger.connect());
		if (trigger.isTest) {
			await startTest(trigger, message !== undefined);
			return;
		}
		const { saved } = trigger;
		const credential = await trigger.credential();
		noteListening(trigger, isOtherAccount(trigger, accountId, credential));
		Object.assign(saved, { accountId, accountKey: accountDigestIn(credential) });
		delete saved.webhookUrl;
	} catch (error) {
		throw activationErrorOf(trigger, error);
	}
}

function requireValidSettings(trigger: ActivatedTrigger): void {
	const events = selectedEvents(trigger.parameters);
	if (events.length !== 1 || events[0] !== 'message.received') {
		throw activationError(trigger, {
			message: 'Polling finds only received messages',
			description:
				"Select only 'Message Received' in 'Events', or set 'Listen By' to 'Webhook' to get the other events.",
		});
	}
	pollIntervalMsOf(trigger.parameters);
	catchUpMinutesOf(trigger.parameters);
	requireValidFilter(trigger.parameters);
}

async function startTest(trigger: ActivatedTrigger, hasMessage: boolean): Promise<void> {
	if (!hasMessage) {
		throw activationError(trigger, {
			message: 'There is no received message to test with',
			description:
				'Send a message to the account from another phone, then listen again. Filters of the trigger count here, too.',
		});
	}
	const { ownUrl: url } = trigger;
	if (await requestTestRun(trigger.request, url)) return;
	throw activationError(trigger, {
		message: `n8n cannot reach its own URL ${shownUrl(url)} to start the test`,
		description:
			"Set n8n's environment variable N8N_WEBHOOK_URL (WEBHOOK_URL in older versions of n8n) to a URL at which the machine that runs n8n reaches n8n, for example http://localhost:5678/, or publish the workflow without a test.",
	});
}
