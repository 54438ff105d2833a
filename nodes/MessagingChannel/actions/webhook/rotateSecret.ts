import type { IDataObject } from 'n8n-workflow';

import type { Answer } from '../../api/client';
import { recordsOf } from '../../api/records';
import type { Operation } from '../../operation/operation';

const WARNING =
	'Anybody who sees this execution sees the secret. Paste it into the credential as Signing Secret, then delete this execution.';

/** The new secret, and what to do about n8n having it in its list of executions now. */
export function withWarning(answer: Answer): IDataObject[] {
	return recordsOf(answer).map((record) => ('secret' in record ? { ...record, warning: WARNING } : record));
}

export const rotateSecret: Operation = {
	value: 'rotateSecret',
	name: 'Rotate Secret',
	action: 'Rotate signing secret',
	description: 'Make a new signing secret. The old one stops working at once.',
	call: { method: 'POST', path: '/webhooks/rotate-secret', permission: 'valid key' },
	notice:
		'The new secret is shown only once, in the output of this node. Paste it into the credential as Signing Secret, or the trigger refuses every event.',
	output: withWarning,
};
