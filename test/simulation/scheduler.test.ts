import { createScheduler } from './scheduler';

test('a loop that waits for ever is noticed', async () => {
	const scheduler = createScheduler(0);
	const loop = () => scheduler.after(10, loop);
	loop();

	await expect(scheduler.run()).rejects.toThrow('does not come to an end');
});

test('a loop of promises that never waits is noticed, even when it catches errors', async () => {
	const scheduler = createScheduler(0);
	const ask = async () => await Promise.resolve(scheduler.now());
	let failures = 0;
	scheduler.after(10, () => {
		void (async () => {
			while (failures < 2) await ask().catch(() => failures++);
		})();
	});

	await expect(scheduler.run()).rejects.toThrow('does not come to an end');
});

test('what is fenced off does not move the time', async () => {
	const scheduler = createScheduler(0);
	scheduler.after(
		1_000,
		() => {},
		() => true,
	);

	await scheduler.run();

	expect(scheduler.now()).toBe(0);
});
