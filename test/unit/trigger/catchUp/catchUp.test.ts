import type { Subscriber } from '../../../../nodes/MessagingChannel/webhook/subscribers';
import { OWN_URL, webhookOf, workflow } from '../activation/triggerOf';
import { HOUR, MINUTE, SECOND, useLoops } from './loops';

const { clock, newTrigger } = useLoops();

describe('a trigger that messages are delivered to', () => {
	const LOOK_UP = 180;
	const NEXT = 330;

	test('looks for a message that was not delivered within minutes, also if the clock of the service is ahead', async () => {
		const { service, catchUp, executions, lookUps, log } = newTrigger({ aheadMs: HOUR });
		catchUp();
		const message = service.write(10 * SECOND);
		await clock.advance(10 * MINUTE);
		expect(lookUps).toEqual([
			[LOOK_UP, message],
			[NEXT, message],
		]);
		expect(executions).toEqual([[NEXT, message]]);
		expect(log).toEqual([]);
	});

	test('reads the webhook only if a message is missing', async () => {
		const { service, inN8n, catchUp } = newTrigger();
		inN8n.ran.add(service.write(10 * SECOND));
		catchUp();
		await clock.advance(4 * MINUTE);
		expect(service.requests).not.toContain('webhooks');
	});

	test('leaves messages alone whose delivery n8n holds back', async () => {
		const { service, catchUp, executions, lookUps, hold } = newTrigger();
		const [before, since] = [service.write(10 * SECOND), service.write(11 * SECOND)];
		hold(before);
		catchUp();
		await clock.advance(4 * MINUTE);
		hold(since);
		await clock.advance(10 * MINUTE);
		expect(lookUps).toEqual([[LOOK_UP, since]]);
		expect(executions).toEqual([]);
	});

	test('looks as far back as the panel says in a chat that is listed late', async () => {
		const { service, catchUp, ran } = newTrigger();
		catchUp();
		await clock.advance(40 * MINUTE);
		const message = service.write(10 * MINUTE);
		await clock.advance(10 * MINUTE);
		expect(ran()).toEqual([message]);
	});

	test('tells nobody that nothing can be read, as events are delivered', async () => {
		const { service, catchUp, items, log } = newTrigger();
		catchUp();
		for (const chat of ['a', 'b', 'c']) {
			service.write(5 * SECOND, chat);
			service.broken.set(chat, 500);
		}
		await clock.advance(HOUR);
		service.refusal = () => ({ statusCode: 503, body: {} });
		await clock.advance(HOUR);
		expect(items).toEqual([]);
		expect(log[0]).toContain('Listens: missed messages could not be looked for: ');
	});

	const external = (url: string): Subscriber => ({ ...workflow(url), kind: 'external' });
	const other = 'https://n8n.example.com/webhook/other/webhook';
	test.each([
		['nobody', [], true],
		['the trigger', [workflow(OWN_URL)], true],
		['another workflow of this n8n', [workflow(other)], true],
		['another n8n', [workflow('https://elsewhere.example.com/webhook/other/webhook')], false],
		['another system', [external('https://crm.example.com/hook')], false],
		['another system on the same host', [external('https://n8n.example.com/webhook/crm')], false],
		['this n8n and another system', [workflow(OWN_URL), external('https://crm.example.com/hook')], true],
	])('with a webhook that points to %s', async (_, subscribers, isWanted) => {
		const { service, catchUp, ran } = newTrigger();
		const [first] = subscribers;
		service.webhook = first ? webhookOf([first, ...subscribers.slice(1)]) : null;
		catchUp();
		const message = service.write(10 * SECOND);
		await clock.advance(5 * MINUTE);
		// What another system received is not missing when that has left.
		service.webhook = null;
		await clock.advance(10 * MINUTE);
		expect(ran()).toEqual(isWanted ? [message] : []);
	});

	test('leaves a missing message alone if another system has the webhook by the second look-up', async () => {
		const { service, catchUp, executions, lookUps } = newTrigger();
		const message = service.write(10 * SECOND);
		catchUp();
		await clock.advance(5 * MINUTE);
		service.webhook = webhookOf([external('https://crm.example.com/hook')]);
		await clock.advance(10 * MINUTE);
		expect(lookUps).toEqual([
			[LOOK_UP, message],
			[NEXT, message],
		]);
		expect(executions).toEqual([]);
	});
});
