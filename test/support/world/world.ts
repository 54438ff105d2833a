import { randomUUID } from 'node:crypto';

import type { N8nApi } from '../n8n/api';
import { withLazyExpressions } from '../n8n/environment';
import { startN8n, type N8n, type N8nOptions } from '../n8n/instance';
import type { CredentialReference } from '../n8n/workflow';
import { createSecretWatch, type SecretWatch } from '../secrets/watch';
import { startService, type Service, type ServiceOptions } from '../service/service';

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
	/** Looks for them everywhere but there. */
	watch: SecretWatch;
	/**
	 * @throws Error when a secret was found where it has no place
	 */
	stop(): Promise<void>;
}

/**
 * Starts a world; `stop` it when done. Its n8n prepares the expression engine only where an expression is evaluated, as
 * docs/performance.md advises, unless the environment says otherwise: each execution takes a fraction of the time.
 */
export async function startWorld(
	options: N8nOptions = {},
	serviceOptions: ServiceOptions = {},
): Promise<World> {
	const { service, watch } = await startWatchedService(serviceOptions);
	const env = { ...withLazyExpressions, ...options.env };
	const n8n = await startN8n({ ...options, env, watch }).catch(async (error: unknown) => {
		await service.stop();
		throw error;
	});
	return {
		n8n,
		service,
		watch,
		...(await createCredential(n8n.api, service)),
		stop: async () => {
			await n8n.stop();
			await service.stop();
			watch.conclude();
		},
	};
}

/** Starts a service, and a watch that sees what it receives; the rest is for the n8n that gets the watch. */
export async function startWatchedService(
	options: ServiceOptions = {},
): Promise<Pick<World, 'service' | 'watch'>> {
	const watch = createSecretWatch();
	const service = await startService({ ...options, apiKey: awkwardKey(), onRequest: watch.lookAtRequest });
	return { service, watch };
}

/** Looks different in JSON, in a URL and in base64, so that one who looks for it has to look for all of them. */
const awkwardKey = () => `key-${randomUUID()}+/="&%\\~`;

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
