import type { INodeParameters } from 'n8n-workflow';

import { withLegacyExpressions } from '../support/n8n/environment';
import { poll } from '../support/poll';
import { atATime, events, shuffled } from '../support/world/load';
import {
	activateTrigger,
	deliver,
	executionsAfterPause,
	messageBody,
	removeTrigger,
	TRIGGER,
} from '../support/world/triggerWorld';
import { startWorld, type World } from '../support/world/world';

let world: World;
const ids: string[] = [];

beforeAll(async () => {
	world = await startWorld({ env: withLegacyExpressions });
});
afterAll(async () => await world?.stop());
afterEach(async () => {
	for (const id of ids.splice(0)) await removeTrigger(world, id);
});

const publish = async (options: INodeParameters) => {
	const id = await activateTrigger(world, { options });
	ids.push(id);
	return id;
};

/** The items that n8n put out, once each execution has ended. */
const itemsOf = async (id: string, executions: number) => {
	const ended = await world.n8n.api.waitForExecutions(id, executions);
	expect(ended.map(({ status }) => status)).toEqual(ended.map(() => 'success'));
	return ended.flatMap((execution) => execution.items(TRIGGER).map(({ json }) => json));
};

const MODES: Array<[name: string, options: INodeParameters, most: number]> = [
	['Never', {}, 60],
	['When Busy', { combineEvents: 'whenBusy' }, 30],
	['Per Chat', { combineEvents: 'perChat', silence: 1 }, 20],
];

test.each(MODES)(
	'60 events, each delivered twice at once, run once each with %s',
	async (_, options, most) => {
		const workflows = [await publish(options), await publish(options)];
		const all = events('copies', 60);
		const statuses = new Set<number | null>();

		await atATime(40, shuffled(all, 2), async (event) => {
			statuses.add((await deliver(world, event)).status);
		});

		expect([...statuses]).toEqual([200]);
		for (const id of workflows) {
			const executions = await executionsAfterPause(world, id);
			expect(executions.length).toBeLessThanOrEqual(most);
			const items = await itemsOf(id, executions.length);
			const eventIds = items.flatMap((json) => (json.event_ids as string[] | undefined) ?? [json.event_id]);
			expect(eventIds.sort()).toEqual(all.map(({ eventId }) => eventId).sort());
		}
	},
);

test('with Per Chat, messages that wait start their execution when the workflow is unpublished', async () => {
	const silence = 10;
	/** Whether it was before the silence was over, for which a busy machine may need another try. */
	const isStartedEarly = async () => {
		const id = await publish({ combineEvents: 'perChat', silence });
		const begunAt = performance.now();
		const waiting = deliver(world, { body: messageBody({ body: 'Hello' }) });
		const earlier = await executionsAfterPause(world, id);

		await world.n8n.api.deactivate(id);

		expect(await waiting).toMatchObject({ status: 200 });
		const isEarly = performance.now() - begunAt < (silence - 1) * 1000;
		expect((await itemsOf(id, 1)).map(({ text }) => text)).toEqual(['Hello']);
		return isEarly && earlier.length === 0;
	};
	await poll(isStartedEarly, {
		timeoutMs: 300_000,
		failure: 'the execution started only when the silence was over',
	});
});
