import type { INodeParameters } from 'n8n-workflow';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { itemsNode, manualTrigger, messagingChannel, workflow } from '../support/n8n/workflow';
import { eventually } from '../support/poll';
import { ASK, ask, askNode, links, open, outcome, submit, texts } from '../support/world/asking';
import { runSql } from '../support/world/database';
import { describeWhere } from '../support/world/describeWhere';
import { activateTrigger, receivedTexts, removeTrigger } from '../support/world/triggerWorld';
import { startWorld, type World } from '../support/world/world';

let world: World;

beforeAll(async () => {
	world = await startWorld();
});
beforeEach(async () => {
	await world.service.control.reset();
	await world.service.control.setSendDelay({ minMs: 0, maxMs: 0 });
});
afterEach(async () => expect((await world?.service.control.defects()) ?? []).toEqual([]));
afterAll(async () => await world?.stop());

const BOTH = { approvalOptions: { values: { approvalType: 'double' } } };
const answeredAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const statusOf = async (id: string) => (await world.n8n.api.execution(id)).status;
const sends = async () => await world.service.control.requests({ operationId: 'message.send' });

describe('an approval', () => {
	test.each([
		['Approve', true],
		['Decline', false],
	])('%s: a signed link, whose button continues the workflow', async (label, approved) => {
		const execution = await ask(world, BOTH);
		expect(execution.status).toBe('waiting');
		const [text, ...others] = await texts(world);
		expect(others).toEqual([]);
		const link = `${world.n8n.url}/webhook-waiting/\\d+/[\\da-f-]{36}`;
		expect(text).toMatch(
			new RegExp(
				`^Ship order 7\\?\\n\\nApprove: ${link}\\?approved=true&run=0&signature=[\\da-f]{64}\\n\\n` +
					`Decline: ${link}\\?approved=false&run=0&signature=[\\da-f]{64}$`,
			),
		);
		const chosen = (await links(world))[label];
		expect((await open(chosen)).page).toContain(`<button type="submit">${label}</button>`);

		const { status, page } = await submit(chosen);

		expect([status, page]).toEqual([200, expect.stringContaining('Thank you')]);
		expect(await outcome(world, execution)).toEqual({
			status: 'success',
			items: [{ json: { data: { approved, respondedAt: answeredAt } }, pairedItem: { item: 0 } }],
		});
	});
});

describe('a link', () => {
	test.each([
		['that says something else', (url: URL) => url.searchParams.set('approved', 'true')],
		['to another question', (url: URL) => url.searchParams.set('run', '1')],
		['without a signature', (url: URL) => url.searchParams.delete('signature')],
	])('%s is refused', async (_, change) => {
		const execution = await ask(world, BOTH);
		const url = new URL((await links(world)).Decline ?? '');
		change(url);

		expect([(await open(url.href)).status, (await submit(url.href)).status]).toEqual([401, 401]);

		expect(await statusOf(execution.id)).toBe('waiting');
	});

	test('that was used says that there is nothing left to do, and changes nothing', async () => {
		const execution = await ask(world, BOTH);
		const { Approve, Decline } = await links(world);
		await submit(Approve);
		await outcome(world, execution);

		for (const link of [Approve, Decline]) {
			expect((await open(link)).page).toContain('No action required');
			expect((await submit(link)).page).toContain('No action required');
		}

		expect((await outcome(world, execution)).items[0]?.json).toMatchObject({ data: { approved: true } });
	});

	test('used several times at once is taken once', async () => {
		const execution = await ask(world, BOTH);
		const { Approve, Decline } = await links(world);

		const answers = await Promise.all([Approve, Decline, Approve, Decline].map((link) => submit(link)));

		expect(answers.filter(({ page }) => page.includes('Thank you'))).toHaveLength(1);
		const { status, items } = await outcome(world, execution);
		expect([status, items.length]).toEqual(['success', 1]);
	});

	describe('whose answer n8n could not store', () => {
		const declineAfterLostApproval = async () => {
			const execution = await ask(world, BOTH);
			const { Approve, Decline } = await links(world);
			await runSql(
				world.n8n,
				"CREATE TRIGGER locked BEFORE UPDATE ON execution_entity BEGIN SELECT RAISE(ABORT, 'locked'); END",
			);
			const lost = await submit(Approve);
			await runSql(world.n8n, 'DROP TRIGGER locked');
			return { execution, lost, decline: async () => await submit(Decline) };
		};
		const declined = {
			status: 'success',
			items: [{ json: { data: { approved: false, respondedAt: answeredAt } }, pairedItem: { item: 0 } }],
		};

		describeWhere(
			'storingBeforeAnswering',
			() => {
				test('takes it at the next click', async () => {
					const { execution, lost, decline } = await declineAfterLostApproval();
					expect(lost.status).toBe(500);

					const { status, page } = await decline();

					expect([status, page]).toEqual([200, expect.stringContaining('Thank you')]);
					expect(await outcome(world, execution)).toEqual(declined);
				});
			},
			() => {
				test('takes it some seconds later, after n8n had said thanks for nothing', async () => {
					const { execution, lost, decline } = await declineAfterLostApproval();
					expect(lost).toMatchObject({ status: 200, page: expect.stringContaining('Thank you') });

					for (let tries = 0; tries < 400 && (await decline()).status === 410; tries += 1) {
						await new Promise((resolve) => setTimeout(resolve, 500));
					}

					expect(await outcome(world, execution)).toEqual(declined);
				});
			},
		);
	});
});

describe('an execution that did not end well', () => {
	test('goes on with the answer when it is retried after a killed n8n had accepted one', async () => {
		const { control } = world.service;
		await control.addFault({ operationId: 'account.getHealth', kind: 'hold' });
		const health = { resource: 'account', operation: 'getHealth' };
		const pause = messagingChannel('Pause', health, world.credential);
		const steps = [manualTrigger(), ...itemsNode([{}]), askNode(world, BOTH), pause];
		const { id } = await world.n8n.api.createWorkflow(workflow('Asking', steps));
		const execution = await world.n8n.api.run(id);
		const { Approve, Decline } = await links(world);
		expect((await submit(Decline)).page).toContain('Thank you');
		// n8n 1.x says thanks before it stores the answer, and keeps the links of a crash that is not in its own log.
		await eventually(
			async () => await readFile(join(world.n8n.userFolder, '.n8n', 'n8nEventLog.log'), 'utf8'),
			(log) =>
				log
					.split('\n')
					.some((line) =>
						['n8n.node.started', '"Pause"', `"${execution.id}"`].every((part) => line.includes(part)),
					),
		);
		await world.n8n.kill();
		await world.n8n.restart();
		expect((await submit(Approve)).page).not.toContain('Thank you');
		expect(await statusOf(execution.id)).toBe('crashed');
		await control.clearFaults();

		const retried = await world.n8n.api.retryExecution(execution.id);

		expect([retried.status, (await sends()).length]).toEqual(['success', 1]);
		expect(retried.items(ASK)[0]?.json).toEqual({ data: { approved: false, respondedAt: answeredAt } });
	});

	test('goes on without an answer when it is retried after it was stopped while it waited', async () => {
		const execution = await ask(world, BOTH);
		await world.n8n.api.stopExecution(execution.id);

		const retried = await world.n8n.api.retryExecution(execution.id);

		expect([retried.status, (await sends()).length]).toEqual(['success', 1]);
		expect(retried.items(ASK)[0]?.json).toEqual({ data: { approved: false, timedOut: true } });
	});
});

test('the page of a question has the headers that protect it, and not the API key', async () => {
	await ask(world, { responseType: 'freeText', message: '<script>alert(1)</script>' });

	const { page, headers } = await open((await links(world)).Respond);

	expect(headers.get('content-security-policy')).toMatch(/^sandbox allow-forms; default-src 'none';/);
	expect(headers.get('referrer-policy')).toBe('no-referrer');
	expect(page).not.toContain(world.secrets.apiKey);
});

describe('in the chat', () => {
	const ids: string[] = [];
	afterEach(async () => {
		for (const id of ids.splice(0)) await removeTrigger(world, id);
	});

	const CUSTOMER = '905551234567';

	const takingAnswers = async (more: INodeParameters = {}) => {
		const options = { takeAnswers: true };
		const id = await activateTrigger(world, { events: ['message.received'], options, ...more });
		ids.push(id);
		return id;
	};
	const askInChat = async () => {
		const execution = await ask(world, { ...BOTH, options: { answerInChat: true } });
		expect(execution.status).toBe('waiting');
		await world.service.control.idle();
		return execution;
	};
	const write = async (body: string) => {
		const written = await world.service.control.incomingMessage({ from: CUSTOMER, body });
		await world.service.control.idle();
		return written;
	};
	const approvedInChat = {
		status: 'success',
		items: [
			{
				json: { data: { approved: true, respondedAt: answeredAt, respondedBy: `${CUSTOMER}@c.us` } },
				pairedItem: { item: 0 },
			},
		],
	};

	test('after a restart, a question is answered in the chat, once, and one whose time is over goes on without an answer', async () => {
		const listens = await takingAnswers();
		const limitWaitTime = {
			values: { limitType: 'afterTimeInterval', resumeAmount: 0.25, resumeUnit: 'minutes' },
		};
		const earlier = { data: { approved: true, respondedAt: '2026-01-01T00:00:00.000Z' } };
		const silent = await ask(world, { options: { limitWaitTime } }, { items: [earlier] });
		expect(silent.status).toBe('waiting');
		const { Approve } = await links(world);
		const execution = await askInChat();

		// n8n looks for executions to resume once a minute, and when it starts.
		await world.n8n.restart();

		await write('Is it heavy?');
		await write('approve!');

		expect(await outcome(world, execution)).toEqual(approvedInChat);
		await write('Approve');
		expect(await receivedTexts(world, listens, 3)).toEqual(
			expect.arrayContaining(['Is it heavy?', 'Approve']),
		);
		expect(await receivedTexts(world, listens, 3)).toHaveLength(2);
		// An earlier approval does not count.
		expect(await outcome(world, silent)).toEqual({
			status: 'success',
			items: [{ json: { data: { approved: false, timedOut: true } }, pairedItem: { item: 0 } }],
		});
		expect((await submit(Approve)).page).toContain('No action required');
	});

	test('a trigger that polls takes answers, too', async () => {
		const listens = await takingAnswers({ listen: 'poll', pollInterval: 5 });
		const execution = await askInChat();
		await new Promise((resolve) => setTimeout(resolve, 1_100));

		await write('Approve');

		expect(await outcome(world, execution)).toEqual(approvedInChat);
		expect(await receivedTexts(world, listens, 1)).toEqual([]);
	});
});
