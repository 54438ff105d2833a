import { hashSync } from 'bcryptjs';
import { delimiter, dirname, join } from 'node:path';
import type { N8nInstall } from './paths';
import { owner } from './owner';
import { n8nVersion, underTest } from './version';

/** Where one n8n process keeps its data and which ports it listens on. */
export interface N8nPlace {
	userFolder: string;
	port: number;
	brokerPort: number;
}

const off = [
	'N8N_DIAGNOSTICS_ENABLED',
	'N8N_DYNAMIC_BANNERS_ENABLED',
	'N8N_LICENSE_AUTO_RENEW_ENABLED',
	'N8N_PERSONALIZATION_ENABLED',
	'N8N_PYTHON_ENABLED',
	'N8N_SECURE_COOKIE',
	'N8N_TEMPLATES_ENABLED',
	'N8N_VERIFIED_PACKAGES_ENABLED',
	'N8N_VERSION_NOTIFICATIONS_ENABLED',
	'N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED',
	// Activation then happens before the request is answered, and fails with the node's own error.
	'N8N_USE_WORKFLOW_PUBLICATION_SERVICE',
];

/** The environment that gives a whole n8n: the editor, and the process that runs Code nodes. */
export const withEditor = { N8N_DISABLE_UI: 'false', N8N_RUNNERS_MODE: 'internal' };

/**
 * The environment that takes the older expression engine, for tests that start many executions: n8n prepares the newer one
 * anew for each, which is most of what a delivery costs, and has nothing to do with this package.
 */
export const withLegacyExpressions = { N8N_EXPRESSION_ENGINE: 'legacy' };

/** The environment that takes n8n's newer expression engine, and prepares it only where an expression is evaluated. */
export const withLazyExpressions = { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' };

/** The environment of an n8n as it is delivered, which prepares its expression engine for each execution. */
export const withEagerExpressions = { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'false' };

/** The environment of an n8n that has its own Agents. */
export const withOwnAgents = {
	N8N_DISABLED_MODULES: underTest.unusedModules.filter((name) => name !== 'agents').join(','),
};

/** The environment that makes n8n tell services this address, by the names of 1.x and of 2.x. */
export const withWebhookUrl = (url: string) => ({ WEBHOOK_URL: url, N8N_WEBHOOK_URL: url });

/** The environment that makes n8n create its owner at start. */
export function ownerEnvironment(): Record<string, string> {
	return {
		N8N_INSTANCE_OWNER_MANAGED_BY_ENV: 'true',
		N8N_INSTANCE_OWNER_EMAIL: owner.email,
		N8N_INSTANCE_OWNER_FIRST_NAME: owner.firstName,
		N8N_INSTANCE_OWNER_LAST_NAME: owner.lastName,
		N8N_INSTANCE_OWNER_PASSWORD_HASH: hashSync(owner.password, 10),
	};
}

/** What n8n 3 does by default, as far as n8n 2 can do it. */
const DEFAULTS_OF_3 = {
	N8N_MIGRATE_FS_STORAGE_PATH: 'true',
	N8N_RUNNERS_TASK_TIMEOUT: '60',
	N8N_COMPRESSION_NODE_MAX_DECOMPRESSED_SIZE_BYTES: String(256 * 1024 * 1024),
	N8N_COMPRESSION_NODE_MAX_ZIP_ENTRIES: '1000',
	OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
};

/**
 * The environment of an n8n that is quiet, quick and reachable from this machine only.
 * With `N8N_DEFAULTS=3`, it has the defaults of n8n 3. Nothing else is inherited: a proxy, NODE_ENV=test or NODE_OPTIONS of the
 * test runner would change how n8n behaves.
 */
export function environment(install: N8nInstall, place: N8nPlace): Record<string, string> {
	return {
		PATH: [dirname(install.node), process.env.PATH].join(delimiter),
		HOME: place.userFolder,
		NODE_ENV: 'production',
		NODE_COMPILE_CACHE: join(install.directory, 'compile-cache'),
		N8N_USER_FOLDER: place.userFolder,
		N8N_ENCRYPTION_KEY: 'only-for-tests',
		N8N_HOST: '127.0.0.1',
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_PORT: String(place.port),
		N8N_RUNNERS_BROKER_PORT: String(place.brokerPort),
		N8N_RUNNERS_MODE: 'external',
		N8N_RUNNERS_AUTH_TOKEN: 'only-for-tests',
		N8N_DISABLE_UI: 'true',
		N8N_DISABLED_MODULES: underTest.unusedModules.join(','),
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
		// The reference service listens on loopback.
		N8N_SSRF_PROTECTION_ENABLED: 'false',
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',
		...Object.fromEntries(off.map((name) => [name, 'false'])),
		...underTest.environment,
		...(process.env.N8N_DEFAULTS === '3' && DEFAULTS_OF_3),
	};
}

/** What programs need to reach Docker or Podman; n8n itself reads none of it. */
const CONTAINERS = /^(PATH|HOME|N8N_IMAGE|(XDG|DOCKER|CONTAINER)_\w+)$/;

/** The environment of the program of `N8N_COMMAND`, besides n8n's. */
export const commandEnvironment = (): Record<string, string | undefined> => ({
	...Object.fromEntries(Object.entries(process.env).filter(([name]) => CONTAINERS.test(name))),
	N8N_VERSION: n8nVersion,
});
