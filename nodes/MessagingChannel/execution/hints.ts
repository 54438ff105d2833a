import type { NodeExecutionHint } from 'n8n-workflow';

import type { ApiRequest } from '../api/apiRequest';

/** More single sends of one text than this are better made as a broadcast (API spec, "Limits"). */
const MANY = 50;

/** Advice on a run that sends one text to many people one by one, or makes a broadcast for each of them. */
export function hintsFor(requests: ApiRequest[]): NodeExecutionHint[] {
	return [...adviceOnTexts(requests), ...adviceOnBroadcasts(requests)];
}

function adviceOnTexts(requests: ApiRequest[]): NodeExecutionHint[] {
	const sends = new Map<unknown, number>();
	for (const { endpoint, parameters: { message } = {} } of requests) {
		if (endpoint.sends === 'text') sends.set(message, (sends.get(message) ?? 0) + 1);
	}
	return [...sends.values()]
		.filter((count) => count > MANY)
		.map((count) => ({
			type: 'info',
			location: 'outputPane',
			message: `${count} messages with the same text were sent one by one. Use Broadcast > Create to pace them and protect your number from being blocked.`,
		}));
}

function adviceOnBroadcasts(requests: ApiRequest[]): NodeExecutionHint[] {
	const { length } = requests.filter(
		({ parameters: { recipients } = {} }) => Array.isArray(recipients) && recipients.length === 1,
	);
	if (length < 2) return [];
	return [
		{
			type: 'warning',
			location: 'outputPane',
			message: `${length} broadcasts were created with one recipient each, without a pause between them. To create one broadcast for all items, set 'Recipients From' to 'All Items'.`,
		},
	];
}
