import { CONTINUES, toEach, useEngine } from '../support/engine/engine';
import { newKeyRow } from '../support/engine/keyRow';

const engine = useEngine();

test('a wait for the rate limit is told', async () => {
	await engine.service.control.setRateLimit({ limit: 10, windowSeconds: 60 });
	const { hints, clock } = await engine.run({ items: toEach(25) });

	expect(hints).toHaveLength(1);
	const [, seconds] = /^The node waited (\d+) seconds for the rate limit/.exec(hints[0]?.message ?? '') ?? [];
	expect(Math.abs(Number(seconds) * 1000 - clock.passedMs)).toBeLessThan(2000);
});

test('a run that failed whole says so first, with the reasons', async () => {
	const { hints } = await engine.run({
		items: toEach(3),
		options: { skipTags: ['unsubscribed'] },
		node: CONTINUES,
	});

	expect(hints).toEqual([
		{
			type: 'warning',
			location: 'outputPane',
			message:
				"None of 3 was sent: The message was not sent, because there is no tag 'unsubscribed' in this account.",
		},
	]);
});

describe('a row that is full', () => {
	const keysOf = (count: number) => Array.from({ length: count }, (_, index) => `known ${index}`);
	const sent = async () => await engine.service.control.requests({ operationId: 'message.send' });
	const today = () => Math.floor(Date.now() / 86_400_000);
	const run = async (keys: string[]) => {
		const row = { ...newKeyRow(), keys };
		const items = toEach(120);
		const options = { requestId: '={{ $json.to }}' };
		const { output, hints } = await engine.run({ items, options, row, node: CONTINUES });
		return { row, items: output.map(({ json }) => json), told: hints.map(({ message }) => message) };
	};

	test('of sends of today: what does not fit is not sent, and the item says what to do', async () => {
		const { items, told } = await run([`day ${today()} 0`, ...keysOf(40_950)]);

		const refused = items.filter(({ error }) => error !== undefined);
		expect(items).toHaveLength(120);
		expect(await sent()).toHaveLength(120 - refused.length);
		// A batch is sent or refused as a whole.
		expect(refused.length).toBeGreaterThanOrEqual(60);
		expect(refused[0]).toMatchObject({
			error: 'This node remembers at most 40000 sends of yesterday and today',
			code: 'no_room',
			description:
				'The item was not sent, because the node has no room to remember it. Send the rest with a copy of this node, which remembers its own sends, or the day after tomorrow.',
		});
		expect(refused.every(({ outcome }) => outcome === 'not_sent')).toBe(true);
		expect(told).toEqual([expect.stringContaining('This node remembers at most 40000 sends')]);
	});

	test('of older sends: all are sent, and a hint tells how many are forgotten', async () => {
		const { row, told } = await run(keysOf(42_000));

		expect(await sent()).toHaveLength(120);
		expect(told.at(-1)).toMatch(
			/^Forgotten: 2\d\d\d older sends\. A node remembers about 40000\. If an execution asks for a forgotten one again, it is sent again\. Use another node for the next campaign\.$/,
		);
		expect(row.keys.length).toBeLessThan(40_100);
	});
});
