import type { INodeParameters } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';

import { FINE, hintFor, UNTOLD } from '../support/checkSetup';
import type { Execution } from '../support/n8n/execution';
import { freePort } from '../support/n8n/ports';
import {
	manualTrigger,
	messagingChannel,
	messagingChannelTrigger,
	workflow,
	type CredentialReference,
} from '../support/n8n/workflow';
import { close, createHttpServer, listen, passOn } from '../support/localServer';
import { permissions } from '../support/service/core/records';
import { OPERATION } from '../support/world/operationRun';
import { removeTrigger } from '../support/world/triggerWorld';
import { startWorld, type World } from '../support/world/world';

let world: World;
/** What stands before n8n. */
let front: string;
const ends: Array<() => Promise<unknown>> = [];

beforeAll(async () => {
	const port = await freePort();
	const before = createHttpServer((incoming, response) => {
		incoming.headers['x-forwarded-for'] = '203.0.113.7';
		passOn(port)(incoming, response);
	});
	front = await listen(before);
	const env = {
		WEBHOOK_URL: front,
		N8N_EDITOR_BASE_URL: `http://localhost:${port}`,
		N8N_PROXY_HOPS: '1',
	};
	ends.push(async () => await close(before));
	world = await startWorld({ port, env });
});
afterAll(async () => {
	await world?.stop();
	for (const end of ends) await end();
});

const control = () => world.service.control;
/** With a key of its own for each test: n8n remembers what was delivered for one. */
let secrets: World['secrets'];
let credential: CredentialReference;
const workflows: string[] = [];

beforeEach(async () => {
	secrets = { ...world.secrets, ...(await control().createKey({ permissions: [...permissions] })) };
	credential = await world.n8n.api.createCredential('messagingChannelApi', 'Own', secrets);
});
afterEach(async () => {
	for (const id of workflows.splice(0)) await removeTrigger(world, id);
	if (world) await control().reset();
});

/** A published workflow that an event has reached, in an account with a chat. */
const whole = async (): Promise<string> => {
	const trigger = messagingChannelTrigger({ events: ['message.received'] }, credential);
	const { id } = await world.n8n.api.createWorkflow(workflow('Support', [trigger]));
	workflows.push(id);
	await world.n8n.api.activate(id);
	await control().incomingMessage({ from: '905551112233', body: 'Hello' });
	await control().idle();
	return id;
};

interface Given {
	options?: INodeParameters;
	/** Undefined takes n8n's own. */
	timezone?: string;
}

async function check(given: Given = {}): Promise<Execution> {
	const { options, timezone } = { timezone: 'Europe/Istanbul', ...given };
	const parameters = {
		resource: 'account',
		operation: 'checkSetup',
		options: { maxAttempts: 1, ...options },
	};
	const node = messagingChannel(OPERATION, parameters, credential);
	const definition = workflow('Checks', [manualTrigger(), node]);
	const settings = { ...definition.settings, ...(timezone && { timezone }) };
	const { id } = await world.n8n.api.createWorkflow({ ...definition, settings });
	return await world.n8n.api.run(id);
}

const rowsOf = (execution: Execution) => execution.items(OPERATION).map(({ json }) => json);
const statusesOf = (execution: Execution) =>
	Object.fromEntries(rowsOf(execution).map(({ check: name, status }) => [name, status]));
const rowOf = (execution: Execution, name: string) => rowsOf(execution).find((row) => row.check === name);
const hintsOf = ({ raw }: Execution) => raw.resultData.runData[OPERATION]?.at(-1)?.hints;

test('a whole setup is fine, and what is between is told', async () => {
	await whole();

	const execution = await check();

	expect(rowsOf(execution).map(({ check: name, status }) => [name, status])).toEqual(Object.entries(FINE));
	expect(hintsOf(execution)).toEqual([
		{ type: 'info', location: 'outputPane', message: 'All checks are fine.' },
	]);
	expect(rowOf(execution, 'n8n Address')?.detail).toMatch(
		new RegExp(`^The trigger answered at ${front}/webhook/\\S+, through a proxy\\.$`),
	);
	expect(rowOf(execution, 'Test URLs')?.detail).toBe(
		`Test URLs may be at http://localhost:${new URL(world.n8n.url).port}, those of published workflows at ${front}.`,
	);
	expect(rowOf(execution, 'Deliveries')?.detail).toMatch(/: 1 verified\.$/);
});

interface Break {
	name: string;
	breaks: (id: string) => Promise<Given | void>;
	/** The rows that turn: that of the check, and those that can no longer be known. */
	turns: Record<string, string>;
	/** What the first of them says. */
	says: RegExp;
}

// Everything else that turns a row is shown in the engine.
const BREAKS: Break[] = [
	{
		name: 'the webhook has stayed when its workflow was unpublished',
		breaks: async (id) => {
			const { config } = await control().webhook();
			await world.n8n.api.deactivate(id);
			await control().setWebhook({ config });
		},
		turns: { 'n8n Address': 'problem', Receivers: 'warning', ...UNTOLD },
		says: /Nothing listens at .* \(HTTP 404\)/,
	},
	{
		name: 'the secret was mistyped since, as the sample shows',
		breaks: async () => {
			await world.n8n.api.updateCredential(credential, { ...secrets, signingSecret: randomUUID() });
			return { options: { sendTestEvent: true } };
		},
		turns: { 'Signing Secret': 'problem' },
		says: /its signature does not match/,
	},
	{
		name: "the workflow has n8n's time zone, and the account is Turkish",
		breaks: async () => await Promise.resolve({ timezone: undefined }),
		turns: { 'Time Zone': 'warning' },
		says: /America\/New_York.*not American/,
	},
];

test.each(BREAKS)('shows that $name, and nothing else', async ({ breaks, turns, says }) => {
	const id = await whole();
	const given = (await breaks(id)) ?? {};

	const execution = await check(given);

	expect(statusesOf(execution)).toEqual({ ...FINE, ...turns });
	const [first = ''] = Object.keys(turns);
	const { detail, advice } = rowOf(execution, first) ?? {};
	expect(detail).toMatch(says);
	expect(advice).toMatch(/\."?$/);
	expect(hintsOf(execution)).toMatchObject([{ message: expect.stringMatching(hintFor(turns)) as string }]);
});
