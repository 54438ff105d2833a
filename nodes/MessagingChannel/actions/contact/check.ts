import { phone } from '../../fields/contacts';
import { completedNumber } from '../../fields/countryCode';
import { normalizePhone } from '../../fields/phoneNumber';
import type { Locator } from '../../operation/input';
import type { Operation } from '../../operation/operation';

export const check: Operation = {
	value: 'check',
	name: 'Check Number',
	action: 'Check phone number',
	description: 'Check whether a phone number is registered on the channel',
	endpoint: { method: 'GET', path: '/contacts/{phone}/check', permission: 'chats:read' },
	fields: [
		{
			...phone,
			// Without its country code, the number would be somebody else's.
			toApi: ({ value, isSelected }: Locator, settings) => ({
				phone: isSelected ? normalizePhone(value) : completedNumber(value, settings),
			}),
		},
	],
};
