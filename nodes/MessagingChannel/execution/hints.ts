import countBy from 'lodash/countBy';
import omit from 'lodash/omit';
import size from 'lodash/size';
import type { NodeExecutionHint } from 'n8n-workflow';

import type { ApiRequest } from '../api/apiRequest';
import { CAPACITY } from '../n8n/journal/room';
import type { RunSummary } from './summary';

/** Above this number of sends with the same text, a broadcast is the better choice (API spec, "Limits"). */
const BROADCAST_THRESHOLD = 50;

/** Shorter waits for the rate limit are not worth a hint. */
const HINTED_WAIT_MS = 5000;

/** How many different reasons a hint names. */
const HINTED_REASONS = 3;

/**
 * Execution hints: what a run did not do, or left uncertain, how long it waited, and when a broadcast would be better.
 *
 * @param done what the operation would have done with the items
 * @param leftOut how many items n8n has left out
 */
export function hintsFor(summary: RunSummary, done = 'sent', leftOut = 0): NodeExecutionHint[] {
	const { ambiguous, sharedRequestIds, skipped, sentBefore, rateLimitWaitMs, requests } = summary;
	const broadcasts = requests.filter(({ parameters }) => Array.isArray(parameters?.recipients));
	const singleBroadcasts = broadcasts.filter(
		({ parameters }) => size(parameters?.recipients as string[]) === 1,
	).length;
	const contents = broadcasts.map(({ parameters, bodyFields }) =>
		JSON.stringify([omit(parameters, 'name'), bodyFields]),
	);
	const repeatedBroadcasts = contents.length - new Set(contents).size;
	return [
		...hintIf(summary.failed > 0, 'warning', failureHint(summary, done)),
		...hintIf(
			ambiguous > 0,
			'warning',
			`Uncertain: ${ambiguous}. These may or may not have been sent. Their items have 'ambiguous: true' and say what to do.`,
		),
		...hintIf(
			sharedRequestIds > 0,
			'warning',
			`Shared Request ID: ${sharedRequestIds}. These items were not sent, because an item before them has the same 'Request ID'. Their recipients or contents differ, so give each item an ID of its own.`,
		),
		...hintIf(
			leftOut > 0,
			'info',
			`Left out: ${leftOut} of ${leftOut + summary.items} items. 'Execute Once' in the 'Settings' of this node lets it run for the first item only.`,
		),
		...hintIf(skipped > 0, 'info', `Skipped recipients: ${skipped}. Their items in the output say why.`),
		...hintIf(
			sentBefore > 0,
			'info',
			`Sent before: ${sentBefore}. They were not sent again. Their items have 'already_sent: true'.`,
		),
		...hintIf(
			rateLimitWaitMs >= HINTED_WAIT_MS,
			'info',
			`The node waited ${Math.round(rateLimitWaitMs / 1000)} seconds for the rate limit of the account to reset.`,
		),
		...sameTextCountsIn(requests).flatMap((count) =>
			hintIf(
				count > BROADCAST_THRESHOLD,
				'info',
				`${count} messages with the same text were sent one by one. Use Broadcast > Create to pace them and protect your number from being blocked.`,
			),
		),
		...hintIf(
			singleBroadcasts > 1,
			'warning',
			`${singleBroadcasts} broadcasts were created with one recipient each, without a pause between them. To create one broadcast for all items, set 'Recipients From' to 'All Items'.`,
		),
		...hintIf(
			repeatedBroadcasts > 0,
			'warning',
			`${repeatedBroadcasts} broadcasts send the same message to the same people again. To create one broadcast for all items, set 'Recipients From' to 'All Items'.`,
		),
	];
}

/** The hint of a run for which the node had to forget earlier sends. */
export function forgottenHints(count: number): NodeExecutionHint[] {
	return hintIf(
		count > 0,
		'warning',
		`Forgotten: ${count} older sends. A node remembers about ${CAPACITY}. If an execution asks for a forgotten one again, it is sent again. Use another node for the next campaign.`,
	);
}

function failureHint({ failed, items, reasons }: RunSummary, done: string): string {
	const count = failed === items ? `None of ${items} was ${done}` : `Not ${done}: ${failed} of ${items}`;
	const more = reasons.length > HINTED_REASONS ? '; …' : '';
	return `${count}: ${reasons.slice(0, HINTED_REASONS).join('; ')}${more}.`;
}

function hintIf(applies: boolean, type: 'info' | 'warning', message: string): NodeExecutionHint[] {
	return applies ? [{ type, location: 'outputPane', message }] : [];
}

/** How many messages were sent with each text. */
function sameTextCountsIn(requests: readonly ApiRequest[]): number[] {
	const texts = requests.filter(({ endpoint }) => endpoint.sends === 'text');
	return Object.values(countBy(texts, ({ parameters }) => parameters?.message));
}
