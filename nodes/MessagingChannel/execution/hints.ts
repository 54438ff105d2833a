import type { NodeExecutionHint } from 'n8n-workflow';

import type { ApiRequest } from '../api/apiRequest';

/** Above this number of sends with the same text, a broadcast is the better choice (API spec, "Limits"). */
const BROADCAST_THRESHOLD = 50;

/** Shorter waits for the rate limit are not worth a hint. */
const LONG_WAIT_MS = 5000;

/** What the hints of a run depend on. */
export interface RunSummary {
	/** The requests that this run has made. */
	requests: readonly ApiRequest[];
	/** How many recipients got no message because of the options. */
	skipped: number;
	/** How many items were sent before, and not again. */
	sentBefore: number;
	/** How many items were not sent because an item before them has the same request ID, although their requests differ. */
	sharedRequestIds: number;
	/** How many messages may or may not have been sent. */
	ambiguous: number;
	/** How long the run waited for the rate limit to reset, in milliseconds. */
	rateLimitWaitMs: number;
}

/** Execution hints: what a run left out or left uncertain, how long it waited, and when a broadcast would be better. */
export function hintsFor(summary: RunSummary): NodeExecutionHint[] {
	return [
		...ambiguousHints(summary.ambiguous),
		...sharedRequestIdHints(summary.sharedRequestIds),
		...skippedHints(summary.skipped),
		...sentBeforeHints(summary.sentBefore),
		...waitHints(summary.rateLimitWaitMs),
		...textHints(summary.requests),
		...broadcastHints(summary.requests),
	];
}

function ambiguousHints(ambiguous: number): NodeExecutionHint[] {
	if (ambiguous === 0) return [];
	return [
		{
			type: 'warning',
			location: 'outputPane',
			message: `Uncertain: ${ambiguous}. These may or may not have been sent. Their items have 'ambiguous: true' and say what to do.`,
		},
	];
}

function sharedRequestIdHints(items: number): NodeExecutionHint[] {
	if (items === 0) return [];
	return [
		{
			type: 'warning',
			location: 'outputPane',
			message: `Shared Request ID: ${items}. These items were not sent, because an item before them has the same 'Request ID'. Their recipients or contents differ, so give each item an ID of its own.`,
		},
	];
}

function skippedHints(skipped: number): NodeExecutionHint[] {
	if (skipped === 0) return [];
	return [
		{
			type: 'info',
			location: 'outputPane',
			message: `Skipped recipients: ${skipped}. Their items in the output say why.`,
		},
	];
}

function sentBeforeHints(sentBefore: number): NodeExecutionHint[] {
	if (sentBefore === 0) return [];
	return [
		{
			type: 'info',
			location: 'outputPane',
			message: `Sent before: ${sentBefore}. They were not sent again. Their items have 'already_sent: true'.`,
		},
	];
}

function waitHints(waitMs: number): NodeExecutionHint[] {
	if (waitMs < LONG_WAIT_MS) return [];
	return [
		{
			type: 'info',
			location: 'outputPane',
			message: `The node waited ${Math.round(waitMs / 1000)} seconds for the rate limit of the account to reset.`,
		},
	];
}

function textHints(requests: readonly ApiRequest[]): NodeExecutionHint[] {
	const sends = new Map<unknown, number>();
	for (const { endpoint, parameters: { message } = {} } of requests) {
		if (endpoint.sends === 'text') sends.set(message, (sends.get(message) ?? 0) + 1);
	}
	return [...sends.values()]
		.filter((count) => count > BROADCAST_THRESHOLD)
		.map((count) => ({
			type: 'info',
			location: 'outputPane',
			message: `${count} messages with the same text were sent one by one. Use Broadcast > Create to pace them and protect your number from being blocked.`,
		}));
}

function broadcastHints(requests: readonly ApiRequest[]): NodeExecutionHint[] {
	const { length: broadcasts } = requests.filter(
		({ parameters: { recipients } = {} }) => Array.isArray(recipients) && recipients.length === 1,
	);
	if (broadcasts < 2) return [];
	return [
		{
			type: 'warning',
			location: 'outputPane',
			message: `${broadcasts} broadcasts were created with one recipient each, without a pause between them. To create one broadcast for all items, set 'Recipients From' to 'All Items'.`,
		},
	];
}
