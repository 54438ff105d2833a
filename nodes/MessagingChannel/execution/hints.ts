import type { NodeExecutionHint } from 'n8n-workflow';

import type { ApiRequest } from '../api/apiRequest';

/** Above this number of sends with the same text, a broadcast is the better choice (API spec, "Limits"). */
const BROADCAST_THRESHOLD = 50;

/** Execution hints for runs that send the same text one by one, or create a broadcast for each recipient. */
export function hintsFor(requests: ApiRequest[]): NodeExecutionHint[] {
	return [...textHints(requests), ...broadcastHints(requests)];
}

function textHints(requests: ApiRequest[]): NodeExecutionHint[] {
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

function broadcastHints(requests: ApiRequest[]): NodeExecutionHint[] {
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
