import type { INodeParameters, WorkflowActivateMode } from 'n8n-workflow';

import { ran, runs, useFetching } from '../../support/engine/fetching';
import { messageBody, textsOf, type Trigger } from '../../support/engine/trigger';
import { ago } from '../../support/engine/triggerClock';

/** The pauses of the loop: before a pass that goes on, if many messages wait and if not, before the first, and between two. */
const PAUSES = [1_000, 10_000, 30_000, 150_000];
const { place, clock, ends, operations, control } = useFetching(PAUSES, 7_200_000);

const start = async (trigger: Trigger, activation: WorkflowActivateMode) =>
	ends.push(await trigger.watch('trigger', activation));
/** A workflow that is published now. */
const publish = async (options: INodeParameters = {}, events = ['message.received']) => {
	const trigger = await place.trigger({ parameters: { events, options } });
	await trigger.activate();
	await start(trigger, 'activate');
	await control().clearRequests();
	return trigger;
};
/** A workflow that was published an hour and a half ago, in a process that has just started. */
const restart = async (options: INodeParameters = {}) => {
	const trigger = await place.trigger({ parameters: { events: ['message.received'], options } });
	await trigger.activate();
	trigger.kept.listeningSince = Date.now() - 5_400_000;
	await trigger.activate('init');
	await start(trigger, 'init');
	await control().clearRequests();
	return trigger;
};

/** Lets so many passes happen. */
const advance = async (passes = 1) => await clock.advance(passes, 150_000);
/** A message of which no event comes. */
const miss = async (body: string, seconds = 0, more: object = {}) => {
	const message = { chatId: '905551112233@c.us', body, timestamp: ago(seconds), ...more };
	const [missed] = (await control().seed({ messages: [message] })).messages;
	return missed?.id ?? '';
};
const write = async (body: string, message: object = {}) => {
	const { messageId } = await control().incomingMessage({ from: '905551112233', body, ...message });
	await control().idle();
	return messageId;
};
describe('while n8n runs', () => {
	test('a message that was not delivered runs, after a while and once', async () => {
		const trigger = await publish();
		const messageId = await miss('missed');

		await advance();
		expect([trigger.emitted, ran(trigger)]).toEqual([1, []]);
		await advance();
		await runs(trigger);
		await advance(4);
		expect(trigger.emitted).toBe(3);

		expect(ran(trigger)).toEqual(['missed']);
		expect(trigger.started[0]?.[0]?.json).toMatchObject({
			event: 'message.received',
			account_id: 'account-1',
			event_id: `message ${messageId}`,
			fetched: true,
		});
	});

	test.each(['for the first time', 'again'])(
		'a trigger that n8n could not publish, %s, catches up nothing',
		async (time) => {
			const trigger = await place.trigger({ parameters: { events: ['message.received'] } });
			if (time === 'again') {
				await trigger.activate();
				await trigger.deactivate();
			}
			const { signingSecret } = trigger.credential;
			trigger.credential.signingSecret = '';
			await expect(trigger.activate()).rejects.toThrow("no 'Signing Secret'");
			// n8n calls both, and starts the loops side by side with the activation.
			await trigger.deactivate();
			await start(trigger, 'activate');
			await miss('missed');
			await advance(4);
			expect([trigger.emitted, ran(trigger)]).toEqual([0, []]);

			trigger.credential.signingSecret = signingSecret;
			await trigger.activate();
			await start(trigger, 'activate');
			await miss('missed later');
			await advance(2);
			await runs(trigger);
			expect(ran(trigger)).toEqual(['missed later']);
		},
	);

	test('a trigger that was published, and could not be published with a change, goes on', async () => {
		const trigger = await publish();
		trigger.credential.signingSecret = '';
		await expect(trigger.activate('update')).rejects.toThrow("no 'Signing Secret'");

		await miss('missed');
		await advance(2);
		await runs(trigger);

		expect(ran(trigger)).toEqual(['missed']);
	});

	test('a message that was delivered is left alone, with no look-up in this process', async () => {
		const trigger = await publish();
		await write('delivered');
		await trigger.execute(trigger.taken);

		await advance(6);

		expect(trigger.emitted).toBe(0);
		expect((await operations()).filter((each) => each === 'chat.getMessages').length).toBeLessThanOrEqual(2);
	});

	test('a copy of n8n at another URL, which n8n starts although its webhook cannot be set, leaves the messages of the original alone', async () => {
		const original = await publish();
		await write('delivered');
		await original.execute(original.taken);
		const copy = await place.trigger({
			parameters: original.node.parameters,
			node: { webhookId: original.node.webhookId },
			n8nUrl: 'http://copy.example.com',
		});
		Object.assign(copy.kept, original.kept);
		await expect(copy.activate('init')).rejects.toThrow('already points to');
		await copy.deactivate();
		await start(copy, 'init');

		await advance(6);

		expect([copy.emitted > 0, ran(copy)]).toEqual([true, []]);
		expect((await place.config())?.url).toBe(original.kept.webhookUrl);
	});

	test.each<[string, INodeParameters, string[]]>([
		['is turned off', { catchUp: 0 }, ['message.received']],
		['does not want messages', {}, ['message.status']],
	])('nothing is asked for a trigger that %s, and nothing is recorded', async (_, options, events) => {
		const trigger = await publish(options, events);
		await write('delivered');
		await trigger.execute([{ json: JSON.parse(messageBody()) as never }]);

		expect(clock.pausing).toBe(0);
		expect(trigger.workflowRow.calls > 0).toBe(events.includes('message.status'));
	});

	test('a key that may not read the chats is in the log once, and the webhook works', async () => {
		const trigger = await publish();
		const { apiKey } = await control().createKey({ permissions: ['messages:send'] });
		trigger.credential.apiKey = apiKey;
		await miss('missed');

		await advance(4);
		await write('delivered');

		expect(textsOf(trigger.taken)).toEqual(['delivered']);
		expect(trigger.log).toEqual([
			"Listens: missed messages could not be looked for: The API key lacks the permission 'chats:read'",
		]);
	});
});

describe('after a restart', () => {
	test('a message whose run n8n cut off runs again, and one that ended does not', async () => {
		const [ended, cutOff] = [await miss('ended', 1_200), await miss('cut off', 1_100)];
		const trigger = await restart();
		trigger.workflowRow.keys = ['began', `known node ${ended}`];
		// Both had begun.
		trigger.row.keys = [`known message ${ended}`, `known message ${cutOff}`];

		await advance(2);
		await runs(trigger);
		await advance(4);

		expect(ran(trigger)).toEqual(['cut off']);
	});

	test('what came in while a trigger was off is left alone, also if it cannot be started at first', async () => {
		const trigger = await place.trigger({ parameters: { events: ['message.received'] } });
		await trigger.activate();
		clock.skip(60_000);
		await trigger.deactivate();
		clock.skip(1_200_000);
		await miss('while it was off', 600);
		await control().addFault({ kind: 'status', status: 400, times: 1 });
		await expect(trigger.activate('activate')).rejects.toThrow();
		await trigger.deactivate();
		await trigger.activate('init');
		await start(trigger, 'init');
		await miss('since', -10);

		await advance(4);
		await runs(trigger);

		expect(ran(trigger)).toEqual(['since']);
	});

	test('what came in while n8n was down runs, in however many chats, and what it no longer knows of does not', async () => {
		for (let index = 0; index < 101; index++)
			await miss(`${index}`, 1_000 - index, { chatId: `90555${1_000_000 + index}@c.us` });
		await miss('before', 1_900, { chatId: '905551000100@c.us' });
		const trigger = await restart();
		// It ended 20 to 30 minutes ago.
		trigger.workflowRow.keys = [`ten minutes ${Math.floor(Date.now() / 600_000) - 3}`];

		await advance(7);
		await runs(trigger, 101);
		await advance(2);

		expect(ran(trigger).sort()).toEqual(Array.from({ length: 101 }, (_, index) => `${index}`).sort());
		expect(trigger.log.filter((line) => line.includes('left alone'))).toHaveLength(1);
	});
});
