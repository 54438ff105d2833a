import {
	handOver,
	UncertainAnswer,
	type HandOverDependencies,
} from '../../../../nodes/MessagingChannel/trigger/answers/handOver';
import type { PageReply } from '../../../../nodes/MessagingChannel/trigger/answers/askPage';

type Phase = 'check' | 'take';
const ACCEPTS: PageReply = { isOpen: true, accepts: true };
const REJECTS: PageReply = { isOpen: true };
const CLOSED: PageReply = { isOpen: false };
const TAKEN: PageReply = { isOpen: false, taken: true };
const REPLY = { messageId: 'm', chat: 'c', text: 'Approve' };

/** A page that gives these replies, the last one again and again. */
const page = (check: PageReply[], take: PageReply[] = [TAKEN]) => ({ check: [...check], take: [...take] });

/** Hands a reply to questions with these pages. */
function handing(
	pages: Array<ReturnType<typeof page>>,
	{ begun = new Set<string>(), askedAt = 100, unknownMs = 0 } = {},
) {
	let now = 0;
	const asked: string[] = [];
	const unknown: string[] = [];
	const events: string[] = [];
	const dependencies: HandOverDependencies = {
		ask: async (link: string, phase: Phase, reply) => {
			expect(reply).toEqual({ ...REPLY, sendersSince: ['ada'] });
			asked.push(`${phase} ${link}`);
			events.push(phase);
			const replies = pages[Number(link)]?.[phase] ?? [];
			const result = (replies.length > 1 ? replies.shift() : replies[0]) as PageReply;
			if (result === 'unknown') now += unknownMs;
			return await Promise.resolve(result);
		},
		records: {
			begin: async (name) => await Promise.resolve(void (begun.add(name), events.push('begin'))),
			cancel: async (name) => await Promise.resolve(void (begun.delete(name), events.push('cancel'))),
			begun: async (names) => {
				// The database is not asked for nothing.
				expect(names).not.toEqual([]);
				return await Promise.resolve(names.filter((name) => begun.has(name)));
			},
		},
		clock: { elapsed: () => now, sleep: async (ms) => await Promise.resolve(void (now += ms)) },
		onUnknown: () => void unknown.push('told'),
	};
	const questions = pages.map((_, link) => ({ link: `${link}`, askedAt, sendersSince: ['ada'] }));
	const run = async () => await handOver(questions, REPLY, 110, dependencies);
	return { run, asked, events, begun, unknown, waited: () => now };
}

test('the only question that accepts a reply takes it, and is recorded before', async () => {
	const { run, events, begun, unknown } = handing([page([ACCEPTS])]);
	expect(await run()).toBe(true);
	expect(unknown).toEqual([]);
	expect(events).toEqual(['check', 'begin', 'take']);
	expect(begun.size).toBe(1);
});

test.each<[string, PageReply[], number | undefined]>([
	['accepts it with another that does not', [REJECTS, ACCEPTS], 1],
	['is open, where another one is closed', [CLOSED, ACCEPTS, 'closed'], 1],
])('the question that %s takes it', async (_, results, taker) => {
	const { run, asked } = handing(results.map((result) => page([result])));
	expect(await run()).toBe(true);
	expect(asked.filter((each) => each.startsWith('take'))).toEqual([`take ${taker}`]);
});

test.each<[string, PageReply[]]>([
	['no question accepts', [REJECTS, CLOSED, 'closed']],
	['two questions accept', [ACCEPTS, ACCEPTS]],
	['a question accepts, and another one does not respond', [ACCEPTS, 'unknown']],
	['a question accepts, and another one cannot be reached', [ACCEPTS, 'refused']],
	['a question accepts, and another one does not wait yet', [ACCEPTS, 'running']],
	['no question responds to', ['unknown']],
])('what %s goes on, and may be an answer if that is not known', async (_, results) => {
	const { run, events, begun } = handing(results.map((result) => page([result])));
	const isKnown = results.every((result) => [REJECTS, CLOSED, 'closed'].includes(result));
	expect(await run()).toBe(isKnown ? false : undefined);
	expect(events).not.toContain('take');
	expect(begun.size).toBe(0);
});

test('a page that does not respond is told of', async () => {
	const { run, unknown } = handing([page(['unknown'])]);
	await run();
	expect(unknown).toEqual(['told']);
});

describe('an execution that does not wait yet', () => {
	test('is asked again', async () => {
		const { run, waited } = handing([page(['running', 'running', ACCEPTS])]);
		expect(await run()).toBe(true);
		expect(waited()).toBe(1_000);
	});

	test('is asked for five seconds, then the message goes on', async () => {
		const { run, waited } = handing([page(['running'])]);
		expect(await run()).toBe(undefined);
		expect(waited()).toBe(5_000);
	});

	test('leaves a reply to another question once it can have none any more', async () => {
		const { run, asked } = handing([page([ACCEPTS]), page(['running'])], { askedAt: 49 });
		expect(await run()).toBe(true);
		expect(asked).toContain('take 0');
	});

	test('may still begin to wait a minute after it asked', async () => {
		const { run, asked } = handing([page(['running'])], { askedAt: 50 });
		expect(await run()).toBe(undefined);
		expect(asked.length).toBeGreaterThan(1);
	});

	test('is asked once if it asked longer than a minute before', async () => {
		const { run, asked } = handing([page(['running'])], { askedAt: 49 });
		expect(await run()).toBe(false);
		expect(asked).toEqual(['check 0']);
	});
});

describe('a question that somebody else has answered in between', () => {
	test.each<[PageReply]>([[CLOSED], ['closed'], ['running'], [REJECTS]])(
		'does not take it, and nothing stays recorded: %j',
		async (result) => {
			const { run, events, begun } = handing([page([ACCEPTS], [result])]);
			expect(await run()).toBe(false);
			expect(events).toEqual(['check', 'begin', 'take', 'cancel']);
			expect(begun.size).toBe(0);
		},
	);
});

describe('a page that did not respond to a reply', () => {
	test.each<[PageReply]>([[TAKEN], [CLOSED], ['closed'], ['running']])(
		'has taken it if it is closed then: %j',
		async (result) => {
			const { run } = handing([page([ACCEPTS], ['unknown', result])]);
			expect(await run()).toBe(true);
		},
	);

	test('takes it later if it is open then', async () => {
		const { run, asked } = handing([page([ACCEPTS], ['unknown', 'unknown', TAKEN])]);
		expect(await run()).toBe(true);
		expect(asked).toHaveLength(4);
	});

	test('is asked again after its timeout, as n8n can hold it back until this run has ended', async () => {
		const { run } = handing([page([ACCEPTS], ['unknown', TAKEN])], { unknownMs: 10_000 });
		expect(await run()).toBe(true);
	});

	test('leaves it uncertain, and recorded', async () => {
		const { run, begun, waited } = handing([page([ACCEPTS], ['unknown'])]);
		await expect(run()).rejects.toThrow(UncertainAnswer);
		expect(begun.size).toBe(1);
		expect(waited()).toBe(5_000);
	});
});

describe('a page to which a reply certainly did not get', () => {
	test.each<[PageReply]>([[CLOSED], ['closed'], ['running']])(
		'has not taken it if it is closed then: %j',
		async (result) => {
			const { run, begun } = handing([page([ACCEPTS], ['refused', result])]);
			expect(await run()).toBe(false);
			expect(begun.size).toBe(0);
		},
	);

	test('takes it later if it is open then', async () => {
		const { run } = handing([page([ACCEPTS], ['refused', TAKEN])]);
		expect(await run()).toBe(true);
	});

	test('is asked for five seconds, then the message goes on', async () => {
		const { run, begun, waited } = handing([page([ACCEPTS], ['refused'])]);
		expect(await run()).toBe(undefined);
		expect(begun.size).toBe(0);
		expect(waited()).toBe(5_000);
	});

	test('leaves it uncertain if an earlier request may have got there', async () => {
		const { run, begun } = handing([page([ACCEPTS], ['unknown', 'refused'])]);
		await expect(run()).rejects.toThrow(UncertainAnswer);
		expect(begun.size).toBe(1);
	});
});

describe('a run after one that was cut off', () => {
	/** What the earlier run recorded before it was killed, with a second open question that accepts the text by now. */
	const begunBefore = async () => {
		const { run, begun } = handing([page([ACCEPTS], ['unknown'])]);
		await run().catch(() => undefined);
		return begun;
	};

	test('finds that the question took it', async () => {
		const begun = await begunBefore();
		const results: PageReply[] = ['running', 'closed', CLOSED];
		for (const result of results) {
			const { run, events } = handing([page([result])], { begun: new Set(begun), askedAt: 0 });
			expect(await run()).toBe(true);
			expect(events).toEqual(['check']);
		}
	});

	test('finds that, although another question would accept it', async () => {
		const { run, events } = handing([page([CLOSED]), page([ACCEPTS])], { begun: await begunBefore() });
		expect(await run()).toBe(true);
		expect(events).not.toContain('take');
	});

	test('hands it over if the question is still open', async () => {
		const { run, events } = handing([page([ACCEPTS])], { begun: await begunBefore() });
		expect(await run()).toBe(true);
		expect(events).toEqual(['check', 'begin', 'take']);
	});

	test('does not know it if the page does not respond', async () => {
		const { run } = handing([page(['unknown'])], { begun: await begunBefore() });
		await expect(run()).rejects.toThrow(UncertainAnswer);
	});
});
