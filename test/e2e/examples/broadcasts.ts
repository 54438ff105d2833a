import { eventually } from '../../support/poll';
import type { World } from '../../support/world/world';
import { installExample, type Change } from './example';

/** The ten seconds of the example are for broadcasts that take minutes. */
const quick: Change = { node: 'Wait a little', parameter: 'amount', value: 0.2 };

/** The examples that send a broadcast, watch it and cancel one. */
export function broadcasts(world: () => World): void {
	test('sends to everybody and ends with a summary', async () => {
		const { n8n, service } = world();
		await service.control.holdQueue();
		const id = await installExample(world(), 'broadcast-with-progress', [quick]);
		const started = await n8n.api.start(id, 'Start');
		await eventually(
			async () => await service.control.requests({ operationId: 'broadcast.getProgress' }),
			({ length }) => length > 0,
		);
		await service.control.releaseQueue();
		const execution = await n8n.api.waitForExecution(started);
		expect(execution.error).toBeUndefined();
		expect(execution.items('Summary').map(({ json }) => json.summary)).toEqual([
			'Spring sale: completed, 2 of 2 sent, 0 failed',
		]);
		expect(execution.items('Not finished yet')).toEqual([]);
		// It looked, waited and looked again.
		expect(execution.raw.resultData.runData['Get progress']?.length).toBeGreaterThan(1);
		expect(await service.control.accepted()).toMatchObject([
			{ to: '905551112233@c.us', body: 'Our spring sale starts today.' },
			{ to: '905551112244@c.us', body: 'Our spring sale starts today.' },
		]);
	});

	test('stops looking, and can then be cancelled by its name', async () => {
		const { n8n, service } = world();
		await service.control.holdQueue();
		const looks = { node: 'Broadcast', parameter: 'assignments.assignments.3.value', value: 3 };
		const id = await installExample(world(), 'broadcast-with-progress', [quick, looks]);
		const name = { node: 'Broadcast', parameter: 'assignments.assignments.0.value', value: 'Another' };
		const otherId = await installExample(world(), 'broadcast-with-progress', [quick, looks, name]);
		const execution = await n8n.api.run(id, 'Start');
		await n8n.api.run(otherId, 'Start');
		expect(execution.items('Not finished yet').map(({ json }) => json.summary)).toEqual([
			'Spring sale: still running, 0 of 2 sent so far',
		]);
		expect(execution.raw.resultData.runData['Get progress']).toHaveLength(3);

		const cancelId = await installExample(world(), 'broadcast-cancel');
		expect((await n8n.api.run(cancelId, 'Start')).error).toBeUndefined();
		expect(await service.control.broadcasts()).toMatchObject([
			{ name: 'Spring sale', status: 'cancelled' },
			{ name: 'Another', status: 'running' },
		]);
	});
}
