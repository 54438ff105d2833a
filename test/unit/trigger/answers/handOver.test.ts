import {
	handOver,
	UncertainAnswer,
	type HandOverDependencies,
} from '../../../../nodes/MessagingChannel/trigger/answers/handOver';
import type { PageReply } from '../../../../nodes/MessagingChannel/trigger/answers/askPage';

const ACCEPTS: PageReply = { isOpen: true, accepts: true };
const REJECTS: PageReply = { isOpen: true };
const CLOSED: PageReply = { isOpen: false };
const TAKEN: PageReply = { isOpen: false, taken: true };
const REPLY = { messageId: 'm', chat: 'c', text: 'Approve' };

/** A page that gives these replies, the last one again and again. */
const page = (check: PageReply[], take: PageReply[] = [TAKEN]) => ({ check: [...check], take: [...take] });

/** What became of a reply that was handed to questions with these pages. */
async function handing(
	pages: Array<ReturnType<typeof page>>,
	{ begun = new Set<string>(), askedAt = 100, unknownMs = 0 } = {},
) {
	let now = 0;
	let unknown = 0;
	const asked: string[] = [];
	const steps = new Set<string>();
	const dependencies: HandOverDependencies = {
		ask: async (link, phase, reply) => {
			expect(reply).toEqual({ ...REPLY, sendersSince: ['ada'] });
			asked.push(`${phase} ${link}`);
			steps.add(phase);
			const replies = pages[Number(link)]?.[phase] ?? [];
			const result = (replies.length > 1 ? replies.shift() : replies[0]) as PageReply;
			if (result === 'unknown') now += unknownMs;
			return await Promise.resolve(result);
		},
		records: {
			begin: async (name) => await Promise.resolve(void (begun.add(name), steps.add('begin'))),
			cancel: async (name) => await Promise.resolve(void (begun.delete(name) && steps.add('cancel'))),
			begun: async (names) => {
				// The database is not asked for nothing.
				expect(names).not.toEqual([]);
				return await Promise.resolve(names.filter((name) => begun.has(name)));
			},
		},
		clock: { elapsed: () => now, sleep: async (ms) => await Promise.resolve(void (now += ms)) },
		onUnknown: () => void unknown++,
	};
	const questions = pages.map((_, link) => ({ link: `${link}`, askedAt, sendersSince: ['ada'] }));
	const wasTaken = await handOver(questions, REPLY, 110, dependencies).catch((error: unknown) => {
		expect(error).toBeInstanceOf(UncertainAnswer);
		return 'uncertain' as const;
	});
	return { wasTaken, steps: [...steps].join(' '), asked, begun, unknown, waited: now };
}

const TAKES = 'check begin take';
const CANCELS = 'check begin take cancel';

/** What the page replies to the request to take it, what becomes of the reply by which steps, and how long that takes. */
type Row = [string, PageReply[], boolean | 'uncertain' | undefined, string, number];
const NOT_WAITING: PageReply[] = [CLOSED, 'closed', 'running'];

test.each<Row>([
	['takes it, which is recorded before', [TAKEN], true, TAKES, 0],
	...[...NOT_WAITING, REJECTS].map((reply): Row => [
		'has another answer meanwhile, does not take it, and nothing stays recorded',
		[reply],
		false,
		CANCELS,
		0,
	]),
	...[...NOT_WAITING, TAKEN].map((reply): Row => [
		'does not respond, and is closed then, has taken it',
		['unknown', reply],
		true,
		TAKES,
		500,
	]),
	['does not respond, and is open then, takes it later', ['unknown', 'unknown', TAKEN], true, TAKES, 1_000],
	['never responds leaves it uncertain, and recorded', ['unknown'], 'uncertain', TAKES, 5_000],
	...NOT_WAITING.map((reply): Row => [
		'cannot be reached, and is closed then, has not taken it',
		['refused', reply],
		false,
		CANCELS,
		500,
	]),
	['cannot be reached, and is open then, takes it later', ['refused', TAKEN], true, TAKES, 500],
	['can never be reached lets the message go on, which is told', ['refused'], undefined, CANCELS, 5_000],
	['cannot be reached any more leaves it uncertain', ['unknown', 'refused'], 'uncertain', TAKES, 5_000],
])('a question that accepts a reply and %s: %j', async (_, take, wasTaken, steps, waited) => {
	const unknown = wasTaken === undefined ? 1 : 0;
	expect(await handing([page([ACCEPTS], take)])).toMatchObject({ wasTaken, steps, waited, unknown });
});

test('a page is asked again after its timeout, as n8n can hold it back until this run has ended', async () => {
	const { wasTaken } = await handing([page([ACCEPTS], ['unknown', TAKEN])], { unknownMs: 10_000 });
	expect(wasTaken).toBe(true);
});

test.each<[string, PageReply[], number]>([
	['accepts it with another that does not', [REJECTS, ACCEPTS], 1],
	['is open, where another one is closed', [CLOSED, ACCEPTS, 'closed'], 1],
])('the question that %s takes it', async (_, replies, taker) => {
	const { wasTaken, asked } = await handing(replies.map((reply) => page([reply])));
	expect(wasTaken).toBe(true);
	expect(asked.filter((each) => each.startsWith('take'))).toEqual([`take ${taker}`]);
});

test.each<[string, PageReply[], false | undefined, number]>([
	['no question accepts', [REJECTS, CLOSED, 'closed'], false, 0],
	['no question was asked for', [], false, 0],
	['two questions accept', [ACCEPTS, ACCEPTS], undefined, 0],
	['a question accepts, and another one does not respond, which is told', [ACCEPTS, 'unknown'], undefined, 1],
	['a question accepts, and another one cannot be reached', [ACCEPTS, 'refused'], undefined, 1],
	['a question accepts, and another one does not wait yet', [ACCEPTS, 'running'], undefined, 0],
	['no question responds to', ['unknown'], undefined, 1],
])('what %s goes on, and may be an answer if that is not known', async (_, replies, wasTaken, unknown) => {
	const handed = await handing(replies.map((reply) => page([reply])));
	expect(handed).toMatchObject({ wasTaken, steps: replies.map(() => 'check')[0] ?? '', unknown });
});

describe('an execution that does not wait yet', () => {
	test.each<[string, PageReply[], number, boolean | undefined, number]>([
		['is asked again', ['running', 'running', ACCEPTS], 100, true, 1_000],
		['is asked for five seconds, then the message goes on', ['running'], 100, undefined, 5_000],
		['may still begin to wait a minute after it asked', ['running'], 50, undefined, 5_000],
		['is asked once if it asked longer than a minute before', ['running'], 49, false, 0],
	])('%s', async (_, check, askedAt, wasTaken, waited) => {
		expect(await handing([page(check)], { askedAt })).toMatchObject({ wasTaken, waited });
	});

	test('leaves a reply to another question once it can have none any more', async () => {
		const { wasTaken, asked } = await handing([page([ACCEPTS]), page(['running'])], { askedAt: 49 });
		expect(wasTaken).toBe(true);
		expect(asked).toContain('take 0');
	});
});

test.each<[string, PageReply[], boolean | 'uncertain', string, PageReply?]>([
	['finds that a question that runs took it', ['running'], true, 'check'],
	['finds that a question that has ended took it', ['closed'], true, 'check'],
	['finds that a closed question took it', [CLOSED], true, 'check'],
	['finds that, although another question would accept it', [CLOSED, ACCEPTS], true, 'check'],
	['hands it over if the question is still open', [ACCEPTS], true, TAKES],
	['does not know it if the page does not respond', ['unknown'], 'uncertain', 'check'],
	['does not know it if the open page refuses every answer', [ACCEPTS], 'uncertain', TAKES, 'refused'],
	['finds that the question took it that closes meanwhile', [ACCEPTS], true, TAKES, CLOSED],
])('a run after one that was cut off %s', async (_, replies, wasTaken, steps, take = TAKEN) => {
	const { begun } = await handing([page([ACCEPTS], ['unknown'])]);
	const pages = replies.map((reply) => page([reply], [take]));
	expect(await handing(pages, { begun, askedAt: 0 })).toMatchObject({ wasTaken, steps });
});
