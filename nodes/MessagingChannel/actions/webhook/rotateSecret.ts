import type { Operation } from '../../operation/operation';

export const rotateSecret: Operation = {
	value: 'rotateSecret',
	name: 'Rotate Secret',
	action: 'Rotate signing secret',
	description: 'Make a new signing secret. The old one stops working at once.',
	call: { method: 'POST', path: '/webhooks/rotate-secret', permission: 'valid key' },
	notice:
		'The new secret is shown only once, in the output of this node. Paste it into the credential as Signing Secret, or the trigger refuses every event.',
};
