/**
 * The whole product at work: a real n8n with this package, a service for it to talk to, and a workflow that answers an
 * incoming message. `--once` ends when the message is answered; without it, n8n stays up to be tried out. With
 * `--service-only` there is only the service, for an n8n that runs already.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ensureN8n } from '../test/support/n8n/install';
import { startN8n, type N8n } from '../test/support/n8n/instance';
import { makeWay } from '../test/support/n8n/makeWay';
import { owner } from '../test/support/n8n/owner';
import { repository } from '../test/support/n8n/paths';
import { withCredentialChosen, type WorkflowDefinition } from '../test/support/n8n/workflow';
import { poll } from '../test/support/poll';
import { startService, type Service } from '../test/support/service/service';

const CUSTOMER = { from: '905551112233', chatName: 'Ada' };
const EXAMPLE = join(repository, 'examples', 'answer-with-template.json');
const TIMEOUT_MS = 30_000;

const say = (text: string) => console.log(text);

async function main(): Promise<void> {
	const once = process.argv.includes('--once');
	const run = process.argv.includes('--service-only') ? startServiceOnly : start;
	const stops: Array<() => Promise<void>> = [];
	const stopAll = async () => {
		for (const stop of stops.splice(0).reverse()) await stop();
	};
	const stopped = new Promise<void>((resolve) => {
		for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
	});
	try {
		await Promise.race([stopped, run(stops, once)]);
		if (!once) await stopped;
	} finally {
		await stopAll();
	}
}

async function start(stops: Array<() => Promise<void>>, once: boolean): Promise<void> {
	await ensureN8n({ log: say });

	const service = await startService();
	stops.push(async () => await service.stop());
	say(`The service answers at ${service.baseUrl}`);

	say('Starting n8n with the package installed');
	const n8n = await startN8n({ editor: true });
	stops.push(async () => await n8n.stop());
	const names = (await n8n.api.nodeTypes()).map(({ name }) => name);
	say(`n8n offers ${names.filter((name) => name.startsWith('n8n-nodes-messaging-channel.')).join(', ')}`);

	const workflowId = await prepareWorkflow(n8n, service);
	await showMainJob(n8n, service, workflowId);
	if (once) return;

	say(`
The editor   ${n8n.url}/workflow/${workflowId}
E-mail       ${owner.email}
Password     ${owner.password}
The phone    ${service.origin}/phone
On the phone, you write as a customer, and see what the workflow answers.
Ctrl-C stops n8n and the service; nothing is kept.`);

	const stopped = new AbortController();
	stops.push(async () => stopped.abort());
	const other = await makeWay(n8n.api, workflowId, stopped.signal);
	if (other) say(`'${other}' is published, so the example was unpublished: your workflow alone answers now`);
}

/** Stays the same, so that a credential in n8n keeps working. */
const SERVICE_PORT = 8700;

async function startServiceOnly(stops: Array<() => Promise<void>>): Promise<void> {
	const service = await startService({ port: SERVICE_PORT, signingSecret: 'demo-signing-secret' });
	stops.push(async () => await service.stop());
	const { secret } = await service.control.webhook();
	say(`For the credential in your n8n:
Base URL        ${service.baseUrl}
API Key         ${service.apiKey}
Signing Secret  ${secret}

The phone       ${service.origin}/phone
Ctrl-C stops the service; nothing is kept.`);
}

/** The example workflow with a credential in it, active. */
async function prepareWorkflow({ api }: N8n, service: Service): Promise<string> {
	const { secret: signingSecret } = await service.control.webhook();
	const credential = await api.createCredential('messagingChannelApi', 'Messaging Channel', {
		baseUrl: service.baseUrl,
		apiKey: service.apiKey,
		signingSecret,
	});
	await service.control.seed({
		templates: [{ name: 'welcome', content: 'Hello {{name}}, how can we help?' }],
	});
	const { id, name } = await api.createWorkflow(withCredentialChosen(await example(), credential));
	await api.activate(id);
	say(`The workflow '${name}' is active, and the account's webhook points to it`);
	return id;
}

async function example(): Promise<WorkflowDefinition> {
	return JSON.parse(await readFile(EXAMPLE, 'utf8')) as WorkflowDefinition;
}

/** An incoming message, the answer to it, and what becomes of the answer, each told as it happens. */
async function showMainJob({ api }: N8n, { control }: Service, workflowId: string): Promise<void> {
	const text = 'Hi, are you open today?';
	const { eventId } = await control.incomingMessage({ ...CUSTOMER, body: text });
	say(`1. ${CUSTOMER.chatName} writes: "${text}"`);

	await until('n8n did not take the event', async () => {
		const [delivery] = await control.deliveries({ eventId });
		return delivery?.delivered;
	});
	say('2. The trigger verified the signature and n8n took the event');

	const answer = await until('the workflow did not answer', async () => {
		const [execution] = await api.executions(workflowId).then((all) => all.slice(-1));
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
	process.exitCode = 1;
});
