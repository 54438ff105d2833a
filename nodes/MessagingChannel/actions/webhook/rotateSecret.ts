import type { IDataObject } from 'n8n-workflow';

import { recordsOf, type ResponseBody } from '../../api/records';
import type { Operation } from '../../operation/operation';

const WARNING =
	'Anybody who sees this execution sees the secret. Paste it as Signing Secret into every credential of this account, then delete this execution.';

/** The new secret, and what to do about n8n having it in its list of executions now. */
export function withWarning(answer: ResponseBody): IDataObject[] {
	return recordsOf(answer).map((record) => ('secret' in record ? { ...record, warning: WARNING } : record));
}

export const rotateSecret: Operation = {
	value: 'rotateSecret',
	name: 'Rotate Secret',
	action: 'Rotate signing secret',
	description:
		'Make a new signing secret. The old one stops working at once, in every workflow of this account.',
	endpoint: { method: 'POST', path: '/webhooks/rotate-secret', permission: 'valid key' },
	notice:
		'When this runs, the old secret stops working. Every workflow of this account that starts with the Messaging Channel Trigger, and every other program that receives its events, refuses them all until the new secret is in its credential, as Signing Secret. If another credential of this account works, use that one instead of rotating. The new secret is shown only once, in the output of this node.',
	output: withWarning,
};
