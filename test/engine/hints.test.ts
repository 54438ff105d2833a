import { person, toEach, useEngine } from '../support/engine/engine';

const engine = useEngine();

const same = (count: number) => toEach(count).map(({ to }) => ({ to, message: 'Sale today' }));

test('more than 50 sends of one text get the advice to use a broadcast', async () => {
	const { hints } = await engine.run({ items: same(51) });

	expect(hints).toEqual([
		{
			type: 'info',
			location: 'outputPane',
			message:
				'51 messages with the same text were sent one by one. Use Broadcast > Create to pace them and protect your number from being blocked.',
		},
	]);
});

test('50 sends of one text, and many of different texts, get no hint', async () => {
	expect((await engine.run({ items: same(50) })).hints).toEqual([]);
	expect((await engine.run({ items: toEach(60) })).hints).toEqual([]);
});

test('two broadcasts to one recipient each get the advice to create one', async () => {
	const broadcasts = async (count: number) =>
		await engine.run({
			operation: 'broadcast:create',
			items: toEach(count),
			parameters: { name: 'Sale', recipients: '={{ [$json.to] }}', message: 'Sale today' },
		});

	expect((await broadcasts(1)).hints).toEqual([]);
	expect((await broadcasts(2)).hints).toMatchObject([
		{ type: 'warning', message: expect.stringMatching(/^2 broadcasts were created with one recipient each/) },
	]);
});

test('skipped recipients are counted, and do not count as sent', async () => {
	const items = same(60);
	await engine.service.control.seed({
		tags: [{ name: 'unsubscribed' }],
		contacts: items.slice(0, 10).map(({ to }) => ({ phone: to, tags: ['unsubscribed'] })),
	});
	const options = { skipTags: ['unsubscribed'] };

	const { hints } = await engine.run({ items, options });
	expect(hints.map(({ message }) => message)).toEqual([
		'Skipped recipients: 10. Their items in the output say why.',
	]);
});

test('a wait for the rate limit is told, and a short one is not', async () => {
	await engine.service.control.setRateLimit({ limit: 10, windowSeconds: 60 });
	const { hints, clock } = await engine.run({ items: toEach(25) });

	expect(hints).toHaveLength(1);
	const [, seconds] = /^The node waited (\d+) seconds for the rate limit/.exec(hints[0]?.message ?? '') ?? [];
	expect(Math.abs(Number(seconds) * 1000 - clock.passedMs)).toBeLessThan(2000);

	await engine.reset();
	await engine.service.control.setRateLimit({ limit: 10, windowSeconds: 2 });
	expect((await engine.run({ items: toEach(15) })).hints).toEqual([]);
});

test('reads get no hint', async () => {
	const items = Array.from({ length: 60 }, () => ({}));
	const phone = { __rl: true, mode: 'phone', value: person(1) };

	const { hints } = await engine.run({ operation: 'contact:check', items, parameters: { phone } });

	expect(hints).toEqual([]);
});
