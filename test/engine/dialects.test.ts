import { useEngine, person, CONTINUES } from '../support/engine/engine';
import { remembered } from '../support/engine/memory';
import { textsOf, useTrigger } from '../support/engine/trigger';
import { ago, useTriggerClock } from '../support/engine/triggerClock';
import { eventually } from '../support/poll';
import { callerOf } from '../support/service/testing';
import type { Dialect } from '../support/service/core/dialects';

/** What the service can write in other forms. The rest of what it writes is as its API says. */
const READABLE: Dialect[] = ['documented', 'numbers', 'texts', 'database', 'pages'];

const CHATS = '+90 555 111 22 33, 905554445566';

describe('a trigger', () => {
	const place = useTrigger();
	const control = () => place.service.control;
	const INTERVAL_MS = 15_000;
	const PAUSES = [INTERVAL_MS, 30_000, 150_000];
	const clock = useTriggerClock({ betweenTestsMs: 7_200_000, isPause: (ms) => PAUSES.includes(ms) });
	const ends: Array<() => Promise<void>> = [];
	afterEach(async () => {
		for (const end of ends.splice(0)) await end();
	});

	const options = { chats: CHATS, chatType: 'individual' };
	const write = async (body: string, message: object = {}) => {
		await control().incomingMessage({ from: '905551112233', body, ...message });
		await control().idle();
	};
	const start = async (listen: 'webhook' | 'poll') => {
		const parameters = { listen, events: ['message.received'], options };
		const trigger = await place.trigger({ parameters });
		await trigger.activate();
		const before = clock.pausing;
		ends.push(await trigger.watch('trigger', 'activate'));
		await clock.untilPausing(before + 1);
		return trigger;
	};
	const writeToAll = async () => {
		await write('Hello');
		await write('own', { fromMe: true });
		await write('other', { from: '905554445566' });
		await write('elsewhere', { from: '905557778899' });
	};

	test.each(READABLE)('that events are delivered to understands: %s', async (dialect) => {
		await control().configure({ dialect });
		const trigger = await start('webhook');

		await writeToAll();

		expect(textsOf(trigger.taken)).toEqual(['Hello', 'other']);
		expect(trigger.failed).toEqual([]);
	});

	test.each(READABLE)('that polls understands: %s', async (dialect) => {
		await control().configure({ dialect });
		const trigger = await start('poll');
		await writeToAll();

		await clock.advance(1, INTERVAL_MS);
		await eventually(
			() => textsOf(trigger.started.flat()),
			(texts) => texts.length >= 2,
		);
		await clock.advance(2, INTERVAL_MS);

		expect(textsOf(trigger.started.flat())).toEqual(['Hello', 'other']);
		expect(trigger.log).toEqual([]);
	});

	test.each(READABLE)('that catches up understands: %s', async (dialect) => {
		await control().configure({ dialect });
		const trigger = await start('webhook');
		const messages = ['905551112233', '905554445566'].map((phone) => ({
			chatId: `${phone}@c.us`,
			body: phone,
			timestamp: ago(0),
		}));
		await control().seed({ messages });

		await clock.advance(2, 150_000);
		await eventually(
			() => textsOf(trigger.started.flat()),
			(texts) => texts.length >= 2,
		);

		expect(textsOf(trigger.started.flat()).sort()).toEqual(['905551112233', '905554445566']);
	});

	test('is told at once of what nobody can read, when it is to poll', async () => {
		await write('Hello');
		await control().configure({ dialect: 'unreadable' });

		await expect(start('poll')).rejects.toThrow(
			"The service sends 'chat.last_message_at' in a form that is not understood: a text like '99.99.9999'",
		);
	});

	test('does not take a delivered message as received or sent that may be either, and tells it', async () => {
		const trigger = await start('webhook');
		await control().configure({ dialect: 'unreadable' });

		await write('Hello');
		await write('again');

		const taken = await eventually(
			() => trigger.taken,
			({ length }) => length > 0,
		);
		await expect(trigger.execute(taken)).rejects.toThrow(
			"The service sends 'message.from_me' in a form that is not understood: null",
		);
		expect(trigger.taken).toHaveLength(1);
	});
});

describe('a chat', () => {
	const engine = useEngine();
	const to = person(1);

	test.each(READABLE)('is remembered, and shows what was sent: %s', async (dialect) => {
		const control = engine.service.control;
		await control.incomingMessage({ from: to, body: 'Hello' });
		await control.incomingMessage({ from: to, body: 'Hi, this is Tom', fromMe: true });
		await control.configure({ dialect });
		await engine.spoilSend({ kind: 'status', status: 504, when: 'after' });

		const memory = await engine.memory([{ chat: { id: `${to}@c.us` } }]);
		expect(await remembered(memory)).toEqual(['user: Hello', 'assistant: Hi, this is Tom']);

		const send = async (message: string) =>
			await engine.run({ items: [{ to, message }], options: { findMessageId: true }, node: CONTINUES });
		const unconfirmed = await send('One');
		const confirmed = await send('Two');
		const { body } = await callerOf(() => engine.service)('GET', `/chats/${to}@c.us/messages`);
		const [newest] = body.data as Array<{ id: unknown }>;
		expect(unconfirmed.output[0]?.json.verified).toBe(true);
		expect(newest?.id).toBeDefined();
		expect(confirmed.output[0]?.json.message_id).toBe(newest?.id);
	});

	test.each(READABLE)('is left out by its tag, and held back by the queue: %s', async (dialect) => {
		await engine.service.control.seed({ contacts: [{ phone: to, tags: ['off'] }] });
		await engine.service.control.configure({ dialect });

		const { output } = await engine.run({
			items: [to, person(2)].map((each) => ({ to: each, message: 'Hello' })),
			options: { skipTags: 'off', pauseWhenQueueAbove: 5 },
		});

		expect(output.map(({ json }) => json.outcome)).toEqual(['skipped', 'queued']);
	});
});
