import { connect, type N8nApi } from './api';
import { packTarball } from './package';
import { N8nRequestError, type Login } from './session';
import type { CredentialReference } from './workflow';

const PACKAGE = 'n8n-nodes-messaging-channel';

/** An n8n that runs already, and who signs in there. */
export interface RunningN8n {
	url: string;
	login: Login;
	/** How it reaches the service, where that is not the service's own address. */
	serviceUrl?: string;
}

/**
 * The n8n that the environment names.
 *
 * @returns nothing when it names none
 */
export function namedN8n(env: NodeJS.ProcessEnv): RunningN8n | undefined {
	const { N8N_URL, N8N_EMAIL, N8N_PASSWORD, SERVICE_URL } = env;
	if (!N8N_URL) return undefined;
	if (!N8N_EMAIL || !N8N_PASSWORD)
		throw new Error('N8N_URL also needs N8N_EMAIL and N8N_PASSWORD, a login of that n8n');
	return {
		url: address('N8N_URL', N8N_URL),
		login: { email: N8N_EMAIL, password: N8N_PASSWORD },
		serviceUrl: SERVICE_URL ? address('SERVICE_URL', SERVICE_URL) : undefined,
	};
}

/** An address without the slash at its end. */
function address(name: string, url: string): string {
	if (!/^https?:\/\/./.test(url))
		throw new Error(`${name} must begin with http:// or https://, and is ${url}`);
	return url.replace(/\/+$/, '');
}

/** Signs in, and sees that this package is there. */
export async function signIn({ url, login }: RunningN8n): Promise<N8nApi> {
	const api = connect(url, undefined, login);
	const types = await api.nodeTypes().catch((error: unknown) => {
		throw error instanceof N8nRequestError ? new Error(notSignedIn(url, error)) : error;
	});
	if (!types.some(({ name }) => name.startsWith(`${PACKAGE}.`)))
		throw new Error(withoutNodes(url, await packTarball()));
	return api;
}

/** What to do when the login failed. */
const notSignedIn = (url: string, { status, message }: N8nRequestError): string =>
	[400, 401, 403].includes(status)
		? `n8n at ${url} refused the login of N8N_EMAIL and N8N_PASSWORD: ${message}
It must be a user with a password and without a second factor. A new n8n has none before you open it in a browser.`
		: `what answers at ${url} is not n8n, or it is still starting (HTTP ${status}).
N8N_URL is the address of the editor without a page of it, such as /home/workflows, and without N8N_PATH.`;

/** What to do with an n8n that lacks the nodes. */
const withoutNodes = (url: string, tarball: string): string => `the n8n at ${url} does not have the nodes.
Unpack the package where n8n loads packages, restart n8n, and run this again:

  mkdir -p ~/.n8n/nodes/node_modules/${PACKAGE}
  tar -xzf ${tarball} --strip-components 1 \\
    -C ~/.n8n/nodes/node_modules/${PACKAGE}

The folder .n8n is in N8N_USER_FOLDER, where n8n has that variable. For n8n in a container, unpack it into any folder, and
mount that as /home/node/.n8n/nodes/node_modules/${PACKAGE}.
n8n 3 also needs N8N_UNVERIFIED_PACKAGES_ENABLED=true.`;

/** Sees that n8n reaches the service, by the test that it makes of a credential. */
export async function expectServiceReached(
	api: N8nApi,
	credential: CredentialReference,
	data: { baseUrl: string; apiKey: string; signingSecret: string },
	service: { origin: string },
): Promise<void> {
	const { status, message } = await api.testCredential(credential, data);
	if (status !== 'OK') throw new Error(unreachedService(data.baseUrl, message, new URL(service.origin).port));
}

/** What to do when n8n does not reach the service. */
const unreachedService = (
	baseUrl: string,
	message: string,
	port: string,
): string => `n8n does not reach the service at ${new URL(baseUrl).origin}: ${message}
In a container, 127.0.0.1 is the container itself. Start it with --network host, or, in Docker Desktop, run this again with
SERVICE_URL=http://host.docker.internal:${port}`;

/** What to do when the service does not reach n8n. */
export const unreachedN8n = (webhookUrl: string, error: string): string =>
	`the service did not reach n8n at ${webhookUrl} (${error}). n8n must answer there on this machine: publish its port (-p 5678:5678), ` +
	'and set its N8N_WEBHOOK_URL, in n8n 1.x WEBHOOK_URL, to that address';
