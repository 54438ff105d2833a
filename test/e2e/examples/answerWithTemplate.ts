import { makeWay } from '../../support/n8n/makeWay';
import { activateTrigger, removeTrigger } from '../../support/world/triggerWorld';
import type { World } from '../../support/world/world';
import { installExample, whileActive } from './example';

/** The example that everybody meets first: `npm start` runs it. */
export function answerWithTemplate(world: () => World): void {
	test('answers a message and shows what became of the answer', async () => {
		const { n8n, service } = world();
		await service.control.seed({ templates: [{ name: 'welcome', content: 'Hello {{name}}!' }] });
		const id = await installExample(world(), 'answer-with-template');
		await whileActive(world(), [id], async () => {
			await service.control.incomingMessage({ from: '905551112231', chatName: 'Ada' });
			const [answer, ...reports] = await n8n.api.waitForExecutions(id, 4);
			expect(answer?.items('Answer').map(({ json }) => json.to)).toEqual(['905551112231@c.us']);
			const reported = reports.map((execution) => execution.items('Delivery report')[0]?.json.report);
			expect(reported.sort()).toEqual(['delivered', 'read', 'sent']);
		});
		expect((await service.control.accepted()).map(({ to, body }) => `${to} ${body}`)).toEqual([
			'905551112231@c.us Hello Ada!',
		]);
	});

	test('is unpublished when the newcomer publishes a workflow that listens', async () => {
		const { n8n, service } = world();
		const example = await installExample(world(), 'answer-with-template');
		const stop = new AbortController();
		await whileActive(world(), [example], async () => {
			const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(240_000)]);
			const otherName = makeWay(n8n.api, example, signal);
			const own = await activateTrigger(world());
			expect(await otherName).toBe((await n8n.api.workflow(own)).name);
			await service.control.incomingMessage({ from: '905551112231', chatName: 'Ada' });
			await n8n.api.waitForExecutions(own, 1);
			await removeTrigger(world(), own);
		}).finally(() => stop.abort());
		expect(await n8n.api.executions(example)).toEqual([]);
		expect(await service.control.accepted()).toEqual([]);
	});
}
