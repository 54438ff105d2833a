// cspell:words gulpfile
/**
 * The whole product at work: a real n8n with this package, a service for it to talk to, and a workflow that answers an
 * incoming message. `--once` ends when the message is answered; without it, n8n stays up to be tried out. With `N8N_URL` and
 * a login it takes an n8n that runs already. With `--service-only` there is only the service.
 */
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { N8nApi } from '../test/support/n8n/api';
import { hashOf } from '../test/support/n8n/hash';
import { ensureN8n } from '../test/support/n8n/install';
import { startN8n } from '../test/support/n8n/instance';
import { makeWay } from '../test/support/n8n/makeWay';
import { owner } from '../test/support/n8n/owner';
import { repository } from '../test/support/n8n/paths';
import type { Login } from '../test/support/n8n/session';
import { run } from '../test/support/n8n/run';
import {
	expectServiceReached,
	namedN8n,
	signIn,
	unreachedN8n,
	type RunningN8n,
} from '../test/support/n8n/runningN8n';
import { executionStartedBy } from '../test/support/n8n/startedBy';
import {
	withCredentialChosen,
	type CredentialReference,
	type WorkflowDefinition,
} from '../test/support/n8n/workflow';
import { poll } from '../test/support/poll';
import { API_PATH } from '../test/support/service/apiPath';
import type * as ServiceModule from '../test/support/service/service';

const CUSTOMER = { from: '905551112233', chatName: 'Ada' };
const EXAMPLE = join(repository, 'examples', 'answer-with-template.json');
/** The example in n8n, where it must not be taken for a workflow of the user. */
const EXAMPLE_NAME = 'Answer incoming messages with a template (npm start)';
const PORT = 8700;
const TIMEOUT_MS = 30_000;

type Service = ServiceModule.Service;
type ServiceOptions = ServiceModule.ServiceOptions;
type Stops = Array<() => Promise<void>>;

/** An n8n that runs, and who signs in there. */
interface OpenN8n {
	url: string;
	api: N8nApi;
	login: Login;
}

const say = (text: string) => console.log(text);

/** The time since `npm start`, with what was installed. */
const seconds = () => `${Math.round(process.uptime())} s`;

async function main(): Promise<void> {
	const once = process.argv.includes('--once');
	const stops: Stops = [];
	const stopAll = async () => {
		for (const stop of stops.splice(0).reverse()) await stop();
	};
	// Both a terminal and npm send it. What is only just starting ends with this process.
	let isEnding = false;
	for (const [signal, code] of Object.entries({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }))
		process.on(signal, () => {
			if (isEnding) return;
			isEnding = true;
			say('Stopping');
			void stopAll().finally(() => process.exit(once ? code : 0));
		});
	try {
		await (process.argv.includes('--service-only') ? startServiceOnly(stops) : start(stops, once));
	} catch (error) {
		// Ctrl-C ends the compiler, too, so that what is being loaded can fail before this process hears of it.
		await sleep(100);
		if (isEnding) return;
		await stopAll();
		throw error;
	}
	if (once) await stopAll();
}

async function start(stops: Stops, once: boolean): Promise<void> {
	const named = namedN8n(process.env);
	await ensureBuilt();
	// The service is loaded while n8n starts: it takes this process a second.
	const [opening, isStarting] = named ? [openN8n(named), undefined] : startOwnN8n(stops);
	await isStarting;
	const findExecution = async (eventId: string, since: number) =>
		await executionStartedBy(eventId, since, await opening);
	const options = { publicOrigin: named?.serviceUrl, findExecution };
	const [{ url, api, login }, service] = await Promise.all([
		opening,
		named ? startFixedService(stops, options) : openService(stops, options),
	]);
	await service.control.seed({
		templates: [{ name: 'welcome', content: 'Hello {{name}}, how can we help?' }],
	});
	if (named) await archiveLeftOver(api);
	const before = (await api.workflows()).filter(({ active }) => active).map(({ id }) => id);
	const credential = await prepareCredential(api, service, named);
	const workflowId = await createExample(api, credential);
	if (named) stops.push(async () => await archive(api, workflowId));
	await api.activate(workflowId);
	say(`The example is published (${seconds()}). A customer tries it:`);
	await showMainJob(api, service, workflowId);
	if (once) return;

	say(`
Ready after ${seconds()}

The phone       ${service.origin}/phone
The workflow    ${url}/workflow/${workflowId}
E-mail          ${login.email}
${named ? '' : `Password        ${login.password}\n`}
${await credentialText(service)}

On the phone, you write as a customer, and see what the workflow answers.
Ctrl-C stops ${named ? 'the service, and archives the workflow in n8n' : 'n8n and the service, and removes what you made in this n8n'}.`);

	const stopped = new AbortController();
	stops.push(async () => stopped.abort());
	const other = await makeWay(api, workflowId, stopped.signal, before);
	if (other) say(`'${other}' is published, so the example was unpublished: your workflow alone answers now`);
}

/** What the package is made of, and what that makes. */
const BUILT = ['nodes', 'credentials', 'icons', 'package.json', 'package-lock.json', 'gulpfile.js', 'dist'];

/** Builds the package unless it is built from what is there now. Its types are the business of `npm run build`. */
async function ensureBuilt(): Promise<void> {
	const stamp = join(repository, 'node_modules', '.built');
	const built = await readFile(stamp, 'utf8').catch(() => '');
	if (built === (await hashOf(repository, BUILT))) return;
	say('Building the package, until it changes: 5 to 30 seconds');
	const gulp = join(repository, 'node_modules', 'gulp', 'bin', 'gulp.js');
	await run(process.execPath, [gulp, '--silent', 'withoutTypes'], { cwd: repository });
	await writeFile(stamp, await hashOf(repository, BUILT));
}

async function openService(stops: Stops, options: ServiceOptions): Promise<Service> {
	const load = createRequire(__filename);
	const { startService } = load('../test/support/service/service') as typeof ServiceModule;
	const service = await startService(options);
	stops.push(async () => await service.stop());
	return service;
}

/** What a credential of one's own takes, each on a line of its own. */
async function credentialText(service: Service): Promise<string> {
	const { secret } = await service.control.webhook();
	return `For a credential of your own:
Base URL        ${service.baseUrl}
API Key         ${service.apiKey}
Signing Secret  ${secret}`;
}

/** Returns the n8n that will be ready, and when it runs. */
function startOwnN8n(stops: Stops): [Promise<OpenN8n>, Promise<unknown>] {
	let runs = () => {};
	const running = new Promise<void>((resolve) => (runs = resolve));
	const opening = untilReady(stops, runs);
	return [opening, Promise.race([running, opening])];
}

async function untilReady(stops: Stops, runs: () => void): Promise<OpenN8n> {
	await ensureN8n({ log: say });
	say('Starting n8n with the package: 10 to 60 seconds');
	const beat = setInterval(() => say(`  n8n is still starting (${seconds()} in all)`), 15_000);
	try {
		const { url, api, stop } = await startN8n({ editor: true, log: runs });
		stops.push(stop);
		return { url, api, login: owner };
	} finally {
		clearInterval(beat);
	}
}

async function openN8n(named: RunningN8n): Promise<OpenN8n> {
	return { ...named, api: await signIn(named) };
}

async function archive(api: N8nApi, workflowId: string): Promise<void> {
	await api.archiveWorkflow(workflowId).then(
		() => say('The workflow is archived in n8n'),
		(error: Error) => say(`The workflow stays in n8n, as n8n did not archive it: ${error.message}`),
	);
}

/** One that was ended by force, or whose n8n was, has left its example published. */
async function archiveLeftOver(api: N8nApi): Promise<void> {
	for (const { id, name, isArchived } of await api.workflows())
		if (name === EXAMPLE_NAME && !isArchived) await archive(api, id);
}

/** Its address and secret stay the same, so that a credential in n8n keeps working. */
async function startFixedService(stops: Stops, options: ServiceOptions = {}): Promise<Service> {
	const fixed = { ...options, port: PORT, signingSecret: 'demo-signing-secret' };
	return await openService(stops, fixed).catch((error: NodeJS.ErrnoException) => {
		if (error.code !== 'EADDRINUSE') throw error;
		throw new Error(`another program has port ${PORT}, perhaps another npm start: stop it first`);
	});
}

async function startServiceOnly(stops: Stops): Promise<void> {
	const service = await startFixedService(stops);
	say(`The phone       ${service.origin}/phone

${await credentialText(service)}

Ctrl-C stops the service; nothing is kept.`);
}

/** A credential with which n8n reaches the service. */
async function prepareCredential(
	api: N8nApi,
	service: Service,
	named?: RunningN8n,
): Promise<CredentialReference> {
	const { secret: signingSecret } = await service.control.webhook();
	const baseUrl = named?.serviceUrl ? named.serviceUrl + API_PATH : service.baseUrl;
	const data = { baseUrl, apiKey: service.apiKey, signingSecret };
	const credential = await storeCredential(api, data);
	if (named) await expectServiceReached(api, credential, data, service);
	return credential;
}

const CREDENTIAL = 'Messaging Channel (npm start)';

/** An n8n that is used again has the credential of the last time. */
async function storeCredential(api: N8nApi, data: Record<string, string>): Promise<CredentialReference> {
	const stored = (await api.credentials()).find(({ name }) => name === CREDENTIAL);
	if (!stored) return await api.createCredential('messagingChannelApi', CREDENTIAL, data);
	const { id, name, type } = stored;
	await api.updateCredential(stored, data);
	return { id, name, type };
}

async function createExample(api: N8nApi, credential: CredentialReference): Promise<string> {
	const example = JSON.parse(await readFile(EXAMPLE, 'utf8')) as WorkflowDefinition;
	// With the paths of the file, n8n would not publish it beside an example that the user imported.
	const nodes = example.nodes.map((node) => (node.webhookId ? { ...node, webhookId: randomUUID() } : node));
	const own = { ...example, name: EXAMPLE_NAME, nodes };
	const { id } = await api.createWorkflow(withCredentialChosen(own, credential));
	return id;
}

/** An incoming message, the answer to it, and what becomes of the answer, each told as it happens. */
async function showMainJob(api: N8nApi, { control }: Service, workflowId: string): Promise<void> {
	const text = 'Hi, are you open today?';
	const { eventId } = await control.incomingMessage({ ...CUSTOMER, body: text });
	say(`1. ${CUSTOMER.chatName} writes: "${text}"`);

	await until('n8n did not take the event', async () => {
		const [delivery] = await control.deliveries({ eventId });
		const attempt = delivery?.attempts.at(-1);
		if (!delivery || !attempt || delivery.delivered) return delivery?.delivered;
		throw new Error(unreachedN8n(delivery.url, attempt.error ?? `HTTP ${attempt.status}`));
	});
	say('2. The trigger verified the signature and n8n took the event');

	const answer = await until('the workflow did not answer', async () => {
		const [execution] = await api.executions(workflowId);
		if (execution?.status === 'error') throw new Error((await api.execution(execution.id)).error?.message);
		const [message] = (await control.accepted()).filter(({ operationId }) => operationId === 'template.send');
		return message;
	});
	say(`3. The workflow answered ${answer.to}: "${answer.body}" (queued as ${answer.jobId})`);

	for (const event of ['message.sent', 'message.delivered', 'message.read']) {
		await until(`n8n did not get ${event}`, async () => {
			const [delivery] = await control.deliveries({ event });
			return delivery?.delivered;
		});
		say(`4. The answer's status reached the workflow: ${event}`);
	}
	const executions = await api.waitForExecutions(workflowId, 4);
	const failed = executions.find(({ status }) => status !== 'success');
	if (failed)
		throw new Error(`execution ${failed.id} ended with '${failed.status}': ${failed.error?.message}`);
	say(`Done: ${executions.length} executions, all successful`);
}

const until = async <Found>(
	failure: string,
	look: () => Promise<Found | undefined | false>,
): Promise<Found> => await poll(look, { timeoutMs: TIMEOUT_MS, failure });

main().catch((error: unknown) => {
	console.error(`Stopped: ${error instanceof Error ? error.message : String(error)}`);
	process.exit(1);
});
