import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

import type { Surroundings } from '../operation/operation';
import { CREDENTIAL } from './connect';
import { httpRequestOf } from './httpRequest';
import { waitingUrlOf } from './waitingUrl';

/** What n8n says of itself for an item. */
export function surroundingsOf(context: IExecuteFunctions, itemIndex: number): Surroundings {
	return {
		credential: async () =>
			await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL, itemIndex),
		// Executions wait beside the webhooks, below a path that an administrator can rename.
		webhooksUrl: waitingUrlOf(context).replace(/\/[^/]+$/, ''),
		editorUrl: String(context.getInstanceBaseUrl()).replace(/\/+$/, ''),
		instanceId: context.getInstanceId(),
		timezone: context.getTimezone(),
		request: httpRequestOf(context),
	};
}
