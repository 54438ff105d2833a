import type { CredentialReference } from '../n8n/api';
import { startN8n, type N8n, type N8nOptions } from '../n8n/instance';
import { startService, type Service } from '../service/service';

/** A real n8n with the package installed, a service to talk to, and a credential that joins them. */
export interface World {
	n8n: N8n;
	service: Service;
	credential: CredentialReference;
	/** What the credential holds. */
	secrets: { baseUrl: string; apiKey: string; signingSecret: string };
	stop(): Promise<void>;
}

/** Starts a world; `stop` it when done. */
export async function startWorld(options: N8nOptions = {}): Promise<World> {
	const service = await startService();
	const n8n = await startN8n(options);
	const { secret: signingSecret } = await service.control.webhook();
	const secrets = { baseUrl: service.origin, apiKey: service.apiKey, signingSecret };
	const credential = await n8n.api.createCredential('messagingChannelApi', 'Messaging Channel', secrets);
	return {
		n8n,
		service,
		credential,
		secrets,
		stop: async () => {
			await n8n.stop();
			await service.stop();
		},
	};
}
