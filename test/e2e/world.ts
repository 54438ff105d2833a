import type { CredentialReference, N8nApi } from '../n8n/api';
import { startN8n, type N8n, type N8nOptions } from '../n8n/instance';
import { startService, type Service } from '../service/service';

/** Where workflows run: an n8n with the package installed, a service to talk to, and a credential that joins them. */
export interface Place {
	n8n: { api: N8nApi };
	service: Service;
	credential: CredentialReference;
}

/** A place with an n8n of one process. */
export interface World extends Place {
	n8n: N8n;
	/** What the credential holds. */
	secrets: { baseUrl: string; apiKey: string; signingSecret: string };
	stop(): Promise<void>;
}

/** Starts a world; `stop` it when done. */
export async function startWorld(options: N8nOptions = {}): Promise<World> {
	const service = await startService();
	const n8n = await startN8n(options);
	return {
		n8n,
		service,
		...(await createCredential(n8n.api, service)),
		stop: async () => {
			await n8n.stop();
			await service.stop();
		},
	};
}

/** Stores the credential of a service in n8n. */
export async function createCredential(
	api: N8nApi,
	service: Service,
): Promise<Pick<World, 'credential' | 'secrets'>> {
	const { secret: signingSecret } = await service.control.webhook();
	const secrets = { baseUrl: service.origin, apiKey: service.apiKey, signingSecret };
	const credential = await api.createCredential('messagingChannelApi', 'Messaging Channel', secrets);
	return { credential, secrets };
}
