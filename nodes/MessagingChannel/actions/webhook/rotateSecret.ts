import type { IDataObject } from 'n8n-workflow';

import { ApiError } from '../../api/errors';
import { nonEmptyText, recordsOf, type ResponseBody } from '../../api/values';
import type { Operation } from '../../operation/operation';

const RUN_AGAIN = 'The old secret may have stopped working. Run again to create another one';

const WARNING =
	"Anyone who can view this execution can see the secret. Paste it as 'Signing Secret' into every credential for this account, then delete this execution.";

/**
 * Adds a warning to the new secret, because n8n stores the output with the execution.
 *
 * @throws ApiError if the response has no secret
 */
export function withWarning(body: ResponseBody): IDataObject[] {
	const [record] = recordsOf(body);
	if (nonEmptyText(record?.secret) !== undefined) return [{ ...record, warning: WARNING }];
	throw new ApiError({
		message: 'The response of the service has no new secret',
		description: `${RUN_AGAIN}. If it happens again, report this to the provider of the service.`,
		code: 'unexpected_answer',
		httpStatus: null,
	});
}

export const rotateSecret: Operation = {
	value: 'rotateSecret',
	name: 'Rotate Secret',
	action: 'Rotate signing secret',
	description:
		'Create a new signing secret. The old one stops working immediately in every workflow that uses this account.',
	endpoint: {
		method: 'POST',
		path: '/webhooks/rotate-secret',
		permission: 'valid key',
		ifUnconfirmed: RUN_AGAIN,
	},
	notice:
		"Running this operation invalidates the old secret. Every Messaging Channel Trigger and every other program that receives events of this account rejects them until its credential has the new secret as 'Signing Secret'. If another credential for this account works, use that one instead. The new secret is shown only once, in the output of this node.",
	output: withWarning,
	// Each rotation invalidates the secret of the one before it.
	isOnce: true,
};
