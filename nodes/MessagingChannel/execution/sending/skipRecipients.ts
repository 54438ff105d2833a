import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest, RequestLimits } from '../../api/apiRequest';
import type { OptOuts } from './optOuts';

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
 * @param tags the tags of the contacts to skip
 * @throws ApiError if it is not known whom to skip
 */
export async function withoutSkipped(
	request: ApiRequest,
	optOuts: OptOuts,
	tags: readonly string[],
	limits: RequestLimits,
): Promise<Addressed> {
	const { to, recipients } = request.parameters ?? {};
	const all = Array.isArray(recipients) ? recipients.map(String) : [String(to)];
	const skipped: SkippedRecipient[] = [];
	const remaining: string[] = [];
	for (const recipient of all) {
		const reason = await optOuts.reasonToSkip(recipient, tags, limits);
		if (reason === undefined) remaining.push(recipient);
		else skipped.push({ skipped: true, reason, to: recipient });
	}
	if (remaining.length === 0) return { request: undefined, skipped };
	if (skipped.length === 0) return { request, skipped };
	return { request: { ...request, parameters: { ...request.parameters, recipients: remaining } }, skipped };
}
