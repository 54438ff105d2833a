import type { IHookFunctions } from 'n8n-workflow';

import { MessagingChannelTrigger } from '../../../../nodes/MessagingChannel/MessagingChannelTrigger.node';

test('n8n is told that no webhook exists, so that it always activates the trigger', async () => {
	const { checkExists } = new MessagingChannelTrigger().webhookMethods.default;
	expect(await checkExists.call({} as IHookFunctions)).toBe(false);
});
