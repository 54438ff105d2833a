import type { INodeParameters } from 'n8n-workflow';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { itemsNode, manualTrigger, messagingChannel, node, workflow } from '../support/n8n/workflow';
import { sampled } from '../support/nightly';
import { byPhone } from '../support/operations/parameters';
import { createRandom } from '../support/service/core/random';
import { createAuthority } from '../support/tls/certificates';
import { startTlsFront } from '../support/tls/servers';
import {
	answerLate,
	campaignNodes,
	campaignRows,
	count,
	expectTrueReport,
	reported,
	timesSent,
	untilSent,
} from '../support/world/campaign';
import { OPERATION, runOperation } from '../support/world/operationRun';
import { startWorld, type World } from '../support/world/world';

let world: World;

beforeAll(async () => {
	world = await startWorld();
});
beforeEach(async () => {
	await world.service.control.reset();
	await world.service.control.setSendDelay({ minMs: 0, maxMs: 0 });
});
afterAll(async () => await world?.stop());

const SEND = 'Send';

/** What was sent to somebody a moment ago is not told from the same text, so each test has its own. */
const texts = (count: number, what: string) =>
	Array.from({ length: count }, (_, row) => ({ to: `9055522${10_000 + row}`, message: `${what} ${row}` }));

/** A workflow that sends the items. */
const sending = (items: ReturnType<typeof texts>, options: INodeParameters) => {
	const to = { __rl: true, mode: 'phone', value: '={{ $json.to }}' };
	const send = messagingChannel(
		SEND,
		{ resource: 'message', operation: 'send', to, message: '={{ $json.message }}', options },
		world.credential,
	);
	const after = node('After', 'n8n-nodes-base.noOp');
	return workflow('Sending', [manualTrigger(), ...itemsNode(items), send, after]);
};

const acceptedTexts = async () => (await world.service.control.accepted()).map(({ body }) => body);

test('"Retry execution" with the saved workflow sends only what was not sent', async () => {
	const items = texts(20, 'Offer');
	const refused = { operationId: 'message.send', bodyHas: { message: 'Offer 7' } };
	await world.service.control.addFault({ kind: 'status', status: 400, ...refused });
	const { id } = await world.n8n.api.createWorkflow(sending(items, { maxConcurrency: 4 }));
	const failed = await world.n8n.api.run(id);
	expect(failed.status).toBe('error');
	const before = await acceptedTexts();
	expect(before.length).toBeGreaterThan(0);

	const retried = await world.n8n.api.retryExecution(failed.id);

	expect(retried.status).toBe('success');
	expect((await acceptedTexts()).sort()).toEqual(items.map(({ message }) => message).sort());
	const output = retried.items(SEND).map(({ json }) => json);
	expect(output).toHaveLength(20);
	expect(output.filter(({ already_sent }) => already_sent)).toHaveLength(before.length);
});

/** Time enough for a busy n8n to begin the send, and less than the service holds an answer back. */
const TIME_LIMIT_S = 20;

test('a time limit fails the node, and a retry with the current workflow sends what is missing', async () => {
	const { n8n, service } = world;
	const textsUpTo = (count: number) => texts(count, 'Reminder').map(({ message }) => message);
	await service.control.addFault({ kind: 'hold', operationId: 'message.send', when: 'after', skip: 3 });
	const definition = sending(texts(8, 'Reminder'), { maxConcurrency: 1 });
	const { settings } = definition;
	const limited = { ...settings, executionTimeout: TIME_LIMIT_S };
	const { id } = await n8n.api.createWorkflow({ ...definition, settings: limited });

	const stopped = await n8n.api.run(id);

	expect(stopped.status).toBe('canceled');
	expect(stopped.error).toMatchObject({
		message: 'The execution was stopped or reached its time limit',
		description: expect.stringContaining('may have been sent'),
	});
	expect(stopped.items('After')).toEqual([]);
	expect(await acceptedTexts()).toEqual(textsUpTo(4));

	await service.control.clearFaults();
	await n8n.api.updateWorkflow(id, { settings });
	const retried = await n8n.api.retryExecution(stopped.id, { withCurrentWorkflow: true });

	expect(retried.status).toBe('success');
	expect(retried.items('After').map(({ json }) => json.outcome)).toEqual([
		...Array<string>(3).fill('already_sent'),
		'verified',
		...Array<string>(4).fill('queued'),
	]);
	expect(await acceptedTexts()).toEqual(textsUpTo(8));
});

/** How many rows the spreadsheet has, and how often n8n is killed. A long test has 5,000 and 5. */
const ROWS = Number(process.env.REQUEST_IDS_ROWS ?? sampled(100, 300));
const KILLS = Number(process.env.REQUEST_IDS_KILLS ?? sampled(1, 3));

/** Another one kills at other moments. */
const SEED = Number(process.env.SEED ?? 1);

/** Each wait ends, and says what did not happen. */
const STEP_MS = 180_000 + ROWS * 100;

jest.setTimeout((KILLS + 2) * 3 * STEP_MS);

test(`${ROWS} rows with n8n killed ${KILLS} times: none twice, none missing without a word`, async () => {
	const { n8n, service } = world;
	await service.control.setSendDelay({ minMs: 0, maxMs: 200 });
	await answerLate(service);
	const rows = campaignRows(ROWS);
	const { id } = await n8n.api.createWorkflow(
		workflow('Campaign', [manualTrigger(), ...campaignNodes(rows, world.credential)]),
	);
	const random = createRandom(SEED);
	for (let kill = 0; kill < KILLS; kill++) {
		const before = (await service.control.accepted()).length;
		const goal = Math.min(before + Math.ceil(random.next() * (ROWS / KILLS)), ROWS);
		const executionId = await n8n.api.start(id);
		await untilSent(service, n8n.api, executionId, goal, STEP_MS);
		await sleep(random.between(0, 50));
		await n8n.kill();
		await n8n.restart();
		expect(Math.max(...(await timesSent(service, rows)))).toBeLessThanOrEqual(1);
	}
	await service.control.clearFaults();
	await service.control.idle();

	const last = await n8n.api.run(id, undefined, STEP_MS);

	const times = await timesSent(service, rows);
	const report = reported(last);
	console.log(
		`${ROWS} rows, ${KILLS} kills: ${count(times, 1)} sent once, ${count(report, 'sent')} of them by the last run, ${count(report, 'uncertain')} uncertain`,
	);
	expectTrueReport(last, times, KILLS * 350);

	const again = await n8n.api.run(id, undefined, STEP_MS);

	expect(count(reported(again), 'sent')).toBe(0);
	expect(await timesSent(service, rows)).toEqual(times);
});

const UNKNOWN = 'The certificate of the service is not from a trusted authority';

test('what an unknown certificate has held back is sent once NODE_EXTRA_CA_CERTS names its authority', async () => {
	const { n8n, service } = world;
	const authority = createAuthority();
	const front = await startTlsFront(service.origin, authority.issue({ hosts: ['127.0.0.1'] }));
	const secrets = { ...world.secrets, baseUrl: front.origin };
	const credential = await n8n.api.createCredential('messagingChannelApi', 'Over TLS', secrets);
	const failed = await runOperation(
		{ n8n, credential },
		{ resource: 'message', operation: 'send' },
		{ to: byPhone('905551234567'), message: 'Hello' },
	);
	expect(failed.status).toBe('error');
	expect(failed.nodeError(OPERATION)).toMatchObject({
		message: UNKNOWN,
		description: expect.stringMatching(/NODE_EXTRA_CA_CERTS/) as string,
	});
	expect([await service.control.requests(), front.received()]).toEqual([[], '']);
	expect(await n8n.api.testCredential(credential, secrets)).toEqual({
		status: 'Error',
		message: expect.stringMatching(`^${UNKNOWN}\\. .*NODE_EXTRA_CA_CERTS`) as string,
	});

	const file = join(n8n.userFolder, 'authority.pem');
	await writeFile(file, authority.cert);
	await n8n.restart({ env: { NODE_EXTRA_CA_CERTS: file } });

	const retried = await n8n.api.retryExecution(failed.id);
	expect(retried.items(OPERATION)).toEqual([
		{ json: expect.objectContaining({ outcome: 'queued' }) as object, pairedItem: { item: 0 } },
	]);
	expect(await acceptedTexts()).toEqual(['Hello']);
	expect(await n8n.api.testCredential(credential, secrets)).toMatchObject({ status: 'OK' });
	await front.stop();
});
