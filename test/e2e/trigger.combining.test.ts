import type { INodeParameters } from 'n8n-workflow';

import { withLegacyExpressions } from '../support/n8n/environment';
import { poll } from '../support/poll';
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
