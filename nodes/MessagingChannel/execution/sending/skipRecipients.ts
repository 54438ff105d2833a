import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../../api/apiRequest';

/** The output for a recipient who gets no message. n8n stores it, so its property names must not change. */
export interface SkippedRecipient extends IDataObject {
	skipped: true;
	reason: string;
	/** The phone number or chat id. */
	to: string;
}

/** How old a verdict may be when its message is sent, in milliseconds. */
export const MAX_AGE_MS = 5 * 60 * 1000;

/** Whether a recipient gets a message. */
export interface Verdict {
	/** Why not; undefined if the recipient gets it. */
	reason: string | undefined;
	/** When this was so, by `clock.elapsed`. */
	knownAt: number;
}

/** Whom a request is for. */
export interface Addressed {
	/** The request for those who get it; undefined if nobody does. */
	request: ApiRequest | undefined;
	skipped: SkippedRecipient[];
	/** When this was so, by `clock.elapsed`. */
	knownAt: number;
}

/**
 * Leaves out the recipients of a request who must not get its message.
 *
 * @param verdictOn tells of each whether to skip it
 * @throws ApiError if it is not known whom to skip
 */
export async function withoutSkipped(
	request: ApiRequest,
	verdictOn: (recipient: string) => Promise<Verdict>,
): Promise<Addressed> {
	const { to, recipients } = request.parameters ?? {};
	const all = Array.isArray(recipients) ? recipients.map(String) : [String(to)];
	const skipped: SkippedRecipient[] = [];
	const remaining: string[] = [];
	let knownAt = Infinity;
	for (const recipient of all) {
		const verdict = await verdictOn(recipient);
		knownAt = Math.min(knownAt, verdict.knownAt);
		if (verdict.reason === undefined) remaining.push(recipient);
		else skipped.push({ skipped: true, reason: verdict.reason, to: recipient });
	}
	if (remaining.length === 0) return { request: undefined, skipped, knownAt };
	if (skipped.length === 0) return { request, skipped, knownAt };
	const parameters = { ...request.parameters, recipients: remaining };
	return { request: { ...request, parameters }, skipped, knownAt };
}
