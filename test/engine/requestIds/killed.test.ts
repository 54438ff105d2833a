import { CONTINUES, useEngine } from '../../support/engine/engine';
import { newKeyRow } from '../../support/engine/keyRow';
import { images, killedWhenSending, rows, startedAnew } from '../../support/engine/requestIds';
import { jsonOf } from '../../support/engine/run';

const engine = useEngine();
const runAnew = startedAnew(engine);
const killedAt = killedWhenSending(engine);

describe('after n8n was killed', () => {
	const items = rows(4);

	test('a text that the service has is not sent again, and the rest is', async () => {
		const left = await killedAt('m 1', 'after', newKeyRow(), { items });

		const second = await runAnew(left, { items });

		expect(jsonOf(second)).toEqual([
			expect.objectContaining({ already_sent: true, request_id: '0-march' }),
			expect.objectContaining({ already_sent: true, request_id: '1-march', verified: true, body: 'm 1' }),
			expect.objectContaining({ queued: true }),
			expect.objectContaining({ queued: true }),
		]);
		// The third knows how the second ended, and sends what is new.
		const third = await runAnew(left, { items: rows(60) });
		expect(jsonOf(third).filter(({ already_sent, verified }) => already_sent && !verified)).toHaveLength(4);
		expect((await engine.accepted()).sort()).toEqual(
			rows(60)
				.map(({ message }) => message)
				.sort(),
		);
	});

	test('a text stays uncertain while the queue of the service is not empty', async () => {
		await engine.service.control.holdQueue();
		const left = await killedAt('m 1', 'after', newKeyRow(), { items });

		const second = await runAnew(left, { items, node: CONTINUES });

		expect(jsonOf(second).slice(1)).toEqual(
			items.slice(1).map(() => expect.objectContaining({ ambiguous: true, code: 'send_timeout' })),
		);
		await engine.service.control.releaseQueue();
		await engine.service.control.idle();
		const third = await runAnew(left, { items });
		expect(third.error).toBeUndefined();
		expect((await engine.accepted()).sort()).toEqual(['m 0', 'm 1', 'm 2', 'm 3']);
	});

	test('a text stays uncertain while another process is alive, which may be about to send it', async () => {
		const left = await killedAt('m 1', 'before', newKeyRow(), { items });
		const step = Math.floor(engine.now() / 15_000);
		// It has another name, whatever that of the next process is.
		const beats = [0, 1, 2, 3, 4].flatMap((later) => [0, 1].map((bit) => `alive ${step + later} 0 ${bit}`));
		left.keys = [...left.keys, ...beats];

		const { output } = await runAnew(left, { items, node: CONTINUES });

		expect(output.map(({ json }) => [json.already_sent, json.ambiguous])).toEqual([
			[true, undefined],
			[undefined, true],
			[undefined, true],
			[undefined, true],
		]);
		expect(await engine.accepted()).toEqual(['m 0']);
	});

	test('a text is not sent when a proxy responds 404 for the chat', async () => {
		const left = await killedAt('m 1', 'after', newKeyRow(), { items: rows(2) });
		const notFound = { kind: 'html', status: 404, times: 'always' } as const;
		await engine.service.control.addFault({ operationId: 'chat.resolve', ...notFound });

		const { output } = await runAnew(left, { items: rows(2), node: CONTINUES });

		expect(output[1]?.json).toMatchObject({ ambiguous: true });
		expect(await engine.accepted()).toEqual(['m 0', 'm 1']);
	});

	test('a text that has changed since is not sent', async () => {
		const left = await killedAt('m 1', 'after', newKeyRow(), { items });
		const changed = items.map((item) => ({ ...item, message: `Dear customer, ${item.message}` }));

		for (let run = 0; run < 2; run++) {
			const { output } = await runAnew(left, { items: changed, node: CONTINUES });
			expect(output.map(({ json }) => json.ambiguous)).toEqual([true, true, true, true]);
		}
		expect(await engine.accepted()).toEqual(['m 0', 'm 1']);
	});

	test('media are reported as uncertain, and not sent', async () => {
		const left = await killedAt('m 0', 'after', newKeyRow(), images(rows(2)));

		const second = await runAnew(left, { ...images(rows(2)), node: CONTINUES });

		expect(jsonOf(second)).toEqual([
			expect.objectContaining({
				ambiguous: true,
				error: "The request with the ID '0-march' may have been made before",
			}),
			expect.objectContaining({ ambiguous: true }),
		]);
		// Nobody waits for what the chat could not show.
		expect(second.clock.skippedMs).toBeLessThan(15_000);
		expect(await engine.requests('media.sendImage')).toHaveLength(1);
	});
});
