import {
	repeat,
	startInBackground,
	type PassResult,
} from '../../../nodes/MessagingChannel/n8n/backgroundLoop';

/** Makes these passes; returns the pauses after the first one, and what was logged. */
async function repeated(passes: Array<PassResult | Error>, firstPauseMs = 10) {
	const stop = new AbortController();
	const pauses: number[] = [];
	const logged: string[] = [];
	const trigger = { node: { name: 'Listens' }, logger: { warn: (line: string) => void logged.push(line) } };
	const loop = {
		clock: {
			sleep: async (ms: number, stopped?: AbortSignal) => {
				await Promise.resolve();
				stopped?.throwIfAborted();
				pauses.push(ms);
			},
		},
		firstPauseMs,
		failurePauseMs: 99,
		failure: 'it failed:',
		pass: async () => {
			const [next = new Error('stopped')] = passes.splice(0, 1);
			if (passes.length === 0) stop.abort();
			return next instanceof Error ? await Promise.reject(next) : await Promise.resolve(next);
		},
	};
	await expect(repeat(trigger, loop, stop.signal)).rejects.toThrow('abort');
	return { pauses, logged };
}

const last: PassResult = { pauseMs: 0, problem: 'after the end' };

test('a pass decides on the pause after it, and one that throws has its own', async () => {
	expect((await repeated([{ pauseMs: 1 }, new Error('no'), { pauseMs: 2 }, last])).pauses).toEqual([
		10, 1, 99, 2,
	]);
	expect((await repeated([{ pauseMs: 1 }, last], 0)).pauses).toEqual([1]);
});

test('a problem is logged when it is another one than before, and not after the end', async () => {
	const problems = ['one', 'one', 'two', undefined, 'two'];
	const passes = problems.map((problem) => ({ pauseMs: 1, problem }));
	expect((await repeated([...passes, new Error('two'), new Error('three'), last])).logged).toEqual([
		'Listens: it failed: one',
		'Listens: it failed: two',
		'Listens: it failed: two',
		'Listens: it failed: three',
	]);
});

/** Starts work that has no end of its own. */
const start = (purpose = 'repair', key = 'trigger') => {
	const signals: AbortSignal[] = [];
	const end = startInBackground({ key }, purpose, async (signal) => {
		signals.push(signal);
		await new Promise(() => {});
	});
	return { end, isEnded: () => signals[0]?.aborted };
};

test('work ends when its trigger starts it again, also if n8n has ended the start before it late', () => {
	const first = start();
	const second = start();
	expect(first.isEnded()).toBe(true);

	first.end();
	expect(second.isEnded()).toBe(false);
	const third = start();
	expect(second.isEnded()).toBe(true);

	third.end();
	expect(third.isEnded()).toBe(true);
});

test('work for another purpose or of another trigger goes on', () => {
	const works = [start(), start('fetch'), start('repair', 'another')];
	expect(works.map(({ isEnded }) => isEnded())).toEqual([false, false, false]);
	for (const { end } of works) end();
});
