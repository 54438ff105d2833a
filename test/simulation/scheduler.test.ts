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

test('what a step has begun goes on before the next step, at the same moment and in the same turn', async () => {
	const scheduler = createScheduler(0);
	const told: string[] = [];
	const begin = async (name: string): Promise<void> => {
		told.push(`${name} begins`);
		for (let waits = 0; waits < 10; waits++) await Promise.resolve();
		told.push(`${name} ends`);
	};
	const names = Array.from({ length: 200 }, (_, index) => `step ${index}`);
	for (const name of names) scheduler.after(10, () => void begin(name));

	await scheduler.run(10);

	expect(told).toEqual(names.flatMap((name) => [`${name} begins`, `${name} ends`]));
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
