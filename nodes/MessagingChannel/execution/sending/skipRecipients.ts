import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../../api/apiRequest';

/** The output for a recipient who gets no message. n8n stores it, so its property names must not change. */
export interface SkippedRecipient extends IDataObject {
	skipped: true;
	reason: string;
	/** The phone number or chat id. */
	to: string;
}

/** Whom a request is for. */
export interface Addressed {
	/** The request for those who get it; undefined if nobody does. */
	request: ApiRequest | undefined;
	skipped: SkippedRecipient[];
}

/**
 * Leaves out the recipients of a request who must not get its message.
 *
 * @param reasonToSkip why a recipient gets no message; undefined for who gets it
 * @throws ApiError if it is not known whom to skip
 */
export async function withoutSkipped(
	request: ApiRequest,
	reasonToSkip: (recipient: string) => Promise<string | undefined>,
): Promise<Addressed> {
	const { to, recipients } = request.parameters ?? {};
	const all = Array.isArray(recipients) ? recipients.map(String) : [String(to)];
	const skipped: SkippedRecipient[] = [];
	const remaining: string[] = [];
	for (const recipient of all) {
		const reason = await reasonToSkip(recipient);
		if (reason === undefined) remaining.push(recipient);
		else skipped.push({ skipped: true, reason, to: recipient });
	}
	if (remaining.length === 0) return { request: undefined, skipped };
	if (skipped.length === 0) return { request, skipped };
	const parameters = { ...request.parameters, recipients: remaining };
	return { request: { ...request, parameters }, skipped };
}
