import { FINE, hintFor, UNTOLD } from '../support/checkSetup';
import type { Execution } from '../support/n8n/execution';
import { freePort } from '../support/n8n/ports';
import { manualTrigger, messagingChannel, messagingChannelTrigger, workflow } from '../support/n8n/workflow';
import { close, createHttpServer, listen, passOn } from '../support/localServer';
import { OPERATION } from '../support/world/operationRun';
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

/** A published workflow that an event has reached, in an account with a chat. */
const whole = async (): Promise<string> => {
	const trigger = messagingChannelTrigger({ events: ['message.received'] }, world.credential);
	const { id } = await world.n8n.api.createWorkflow(workflow('Support', [trigger]));
	await world.n8n.api.activate(id);
	await world.service.control.incomingMessage({ from: '905551112233', body: 'Hello' });
	await world.service.control.idle();
	return id;
};

/** Without a time zone of the workflow, that of n8n counts. */
async function check(timezone?: string): Promise<Execution> {
	const parameters = { resource: 'account', operation: 'checkSetup', options: { maxAttempts: 1 } };
	const definition = workflow('Checks', [
		manualTrigger(),
		messagingChannel(OPERATION, parameters, world.credential),
	]);
	const settings = { ...definition.settings, ...(timezone && { timezone }) };
	const { id } = await world.n8n.api.createWorkflow({ ...definition, settings });
	return await world.n8n.api.run(id);
}

const rowsOf = (execution: Execution) => execution.items(OPERATION).map(({ json }) => json);
const detailOf = (execution: Execution, name: string) =>
	rowsOf(execution).find((row) => row.check === name)?.detail;
const hintsOf = ({ raw }: Execution) => raw.resultData.runData[OPERATION]?.at(-1)?.hints;

// Everything else that turns a row is shown in the engine.
test('a whole setup is fine, and what is between is told; then n8n has another time zone, and nothing listens', async () => {
	const id = await whole();

	const fine = await check('Europe/Istanbul');

	expect(rowsOf(fine).map(({ check: name, status }) => [name, status])).toEqual(Object.entries(FINE));
	expect(hintsOf(fine)).toEqual([{ type: 'info', location: 'outputPane', message: 'All checks are fine.' }]);
	expect(detailOf(fine, 'n8n Address')).toMatch(
		new RegExp(`^The trigger answered at ${front}/webhook/\\S+, through a proxy\\.$`),
	);
	expect(detailOf(fine, 'Test URLs')).toBe(
		`Test URLs may be at http://localhost:${new URL(world.n8n.url).port}, those of published workflows at ${front}.`,
	);
	expect(detailOf(fine, 'Deliveries')).toMatch(/: 1 verified\.$/);

	const { config } = await world.service.control.webhook();
	await world.n8n.api.deactivate(id);
	await world.service.control.setWebhook({ config });

	const broken = await check();

	const turns = { 'n8n Address': 'problem', Receivers: 'warning', 'Time Zone': 'warning', ...UNTOLD };
	const statuses = rowsOf(broken).map(({ check: name, status }) => [name, status] as const);
	expect(Object.fromEntries(statuses)).toEqual({ ...FINE, ...turns });
	expect(detailOf(broken, 'n8n Address')).toMatch(/Nothing listens at .* \(HTTP 404\)/);
	expect(detailOf(broken, 'Time Zone')).toMatch(/America\/New_York.*not American/);
	expect(hintsOf(broken)).toMatchObject([{ message: expect.stringMatching(hintFor(turns)) as string }]);
});
