import type { INodeParameters } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';

import { countByEvent, settledRuns, type QueueWorld } from '../support/cluster/queueWorld';
import { sampled } from '../support/nightly';
import { eventually } from '../support/poll';
import { atATime, events, shuffled } from '../support/world/load';
import { activateTrigger, deliver, messageBody, removeTrigger, TRIGGER } from '../support/world/triggerWorld';

const EVENTS = sampled(200, 5_000);
const SHARED_EVENTS = Math.min(Math.floor(EVENTS / 2), 1_000);
const COMBINED_EVENTS = Math.min(EVENTS, 500);

/** What n8n does with events that several processes receive. */
export function deliveries(world: () => QueueWorld): void {
	const ids: string[] = [];

	afterEach(async () => {
		for (const id of ids.splice(0)) await removeTrigger(world(), id);
	});

	/** Publishes a trigger until the end of the test. A busy n8n may take long to answer what is delivered only once. */
	async function publish(options: INodeParameters = {}): Promise<string> {
		const id = await activateTrigger(world(), { options: { timeoutSeconds: 110, ...options } });
		ids.push(id);
		return id;
	}

	test('each event runs once, however often and however close together it is delivered', async () => {
		const id = await publish();
		const started = Date.now();
		const statuses = new Map<number | null, number>();
		await atATime(50, shuffled(events('event', EVENTS), 3), async (event) => {
			const { status } = await deliver(world(), event);
			statuses.set(status, (statuses.get(status) ?? 0) + 1);
		});
		const seconds = (Date.now() - started) / 1000;
		const runs = await settledRuns(world(), id, 'event');
		console.log(
			`${3 * EVENTS} deliveries in ${seconds.toFixed(0)} s, ${((3 * EVENTS) / seconds).toFixed(0)} per second; ` +
				`all ran after ${((Date.now() - started) / 1000).toFixed(0)} s`,
		);
		expect([...statuses]).toEqual([[200, 3 * EVENTS]]);
		expect(countByEvent(runs).size).toBe(EVENTS);
		expect(runs).toHaveLength(EVENTS);
		expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['success']));
	});

	test('three workflows that share the webhook run each event once, whichever process receives it', async () => {
		const workflows = [await publish(), await publish(), await publish()];
		const { control } = world().service;
		await control.setRedelivery({ maxAttempts: 13, backoffMs: 80 });
		const started = Date.now();
		await atATime(50, shuffled(events('shared', SHARED_EVENTS), 2), async ({ eventId, body }) => {
			await control.emitEvent({ event: 'message.received', eventId, body: JSON.parse(body) as unknown });
		});
		await control.idle({ timeoutMs: 600_000 });
		const deliveries = (await control.deliveries()).filter(({ eventId }) => eventId.startsWith('shared-'));
		expect(deliveries.filter(({ delivered }) => !delivered)).toEqual([]);

		for (const id of workflows) {
			const runs = await settledRuns(world(), id, 'shared');
			const ran = runs.filter(({ eventId }) => eventId !== null);
			expect(countByEvent(ran).size).toBe(SHARED_EVENTS);
			expect(ran).toHaveLength(SHARED_EVENTS);
			expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['success']));
		}
		console.log(`${3 * SHARED_EVENTS} runs after ${((Date.now() - started) / 1000).toFixed(0)} s`);
	});

	test('a message that one of two webhook processors refused while the workflow was published runs, whoever had the sample', async () => {
		const { control } = world().service;
		const url = async () => (await control.webhook()).config?.url ?? '';
		await control.addFault({ operationId: 'webhook.test', kind: 'hold', when: 'after' });
		const publishing = publish();
		const check = await eventually(
			async () => {
				await sleep(5);
				return await url();
			},
			(now) => now.includes('?check='),
		);
		// One of them gets the sample from nginx; each gets a message of its own.
		const messages = world().cluster.webhookProcessors.map(({ port }, index) => {
			const to = (address: string) => Object.assign(new URL(address), { port: String(port) }).href;
			return { to, event: { eventId: `message-${index}`, body: messageBody() } };
		});

		const first = await Promise.all(
			messages.map(async ({ to, event }) => await deliver(world(), { ...event, url: to(check) })),
		);
		await control.clearFaults();
		const id = await publishing;
		const address = await url();
		const again = await Promise.all(
			messages.map(async ({ to, event }) => await deliver(world(), { ...event, url: to(address) })),
		);

		expect(first.map(({ status }) => status)).toEqual([503, 503]);
		expect(again.map(({ status }) => status)).toEqual([200, 200]);
		const runs = await settledRuns(world(), id, 'message');
		expect(runs.map(({ eventId }) => eventId).sort()).toEqual(['message-0', 'message-1']);
	});

	describe('with all events of an account at one webhook processor', () => {
		beforeAll(async () => await world().cluster.nginx.choosePer('account'));

		/** What the trigger put out in all executions of a workflow, one list for each. */
		async function outputs(id: string) {
			const runs = await settledRuns(world(), id, 'none');
			expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['success']));
			const executions = await Promise.all(
				runs.map(async (run) => await world().n8n.api.execution(String(run.id))),
			);
			return executions.map((execution) => execution.items(TRIGGER).map(({ json }) => json));
		}

		test('with Per Chat, the lines of each person meet, although two processors take events', async () => {
			const id = await publish({ combineEvents: 'perChat', silence: 10 });
			const people = Array.from({ length: 10 }, (_, person) => `90555111${1000 + person}@c.us`);
			const timestamp = Math.floor(Date.now() / 1000);
			const lines = people.flatMap((chat) =>
				[0, 1, 2, 3, 4].map((line) =>
					messageBody(
						{ from: chat, body: `${chat} ${line}`, timestamp: timestamp + line },
						{ chat: { id: chat, name: chat, phone: null, type: 'individual' } },
					),
				),
			);

			const attempts = await Promise.all(lines.map(async (body) => await deliver(world(), { body })));

			expect(new Set(attempts.map(({ status }) => status))).toEqual(new Set([200]));
			const texts = (await outputs(id)).map(([item, ...others]) => {
				expect(others).toEqual([]);
				return item?.text;
			});
			expect(texts.sort()).toEqual(
				people.map((chat) => [0, 1, 2, 3, 4].map((line) => `${chat} ${line}`).join('\n')),
			);
		});

		test(`with When Busy, ${COMBINED_EVENTS} events that are delivered three times run once each, in few executions`, async () => {
			const id = await publish({ combineEvents: 'whenBusy' });
			const all = events('busy', COMBINED_EVENTS);
			const statuses = new Set<number | null>();

			await atATime(50, shuffled(all, 3), async (event) => {
				statuses.add((await deliver(world(), event)).status);
			});

			expect([...statuses]).toEqual([200]);
			const runs = await outputs(id);
			const ran = runs.flat().map((json) => json.event_id);
			expect(ran.sort()).toEqual(all.map(({ eventId }) => eventId).sort());
			console.log(`${all.length} events, three times each, made ${runs.length} executions`);
			expect(runs.length).toBeLessThan(all.length / 2);
		});
	});
}
