import type { ITriggerFunctions } from 'n8n-workflow';

import { repair } from '../../../../nodes/MessagingChannel/trigger/activation/repair';

test('a trigger whose credential has lost its signing secret changes nothing', async () => {
	const credential = { baseUrl: 'https://service.example', apiKey: 'key', signingSecret: '' };
	const context = {
		getCredentials: async () => await Promise.resolve(credential),
	} as unknown as ITriggerFunctions;
	const checks = {
		latestState: async () => await Promise.resolve(undefined),
		isGone: () => false,
		isSilent: () => false,
	};

	expect(await repair(context, 'https://n8n.example/webhook/a/webhook', checks)).toBe(false);
});
