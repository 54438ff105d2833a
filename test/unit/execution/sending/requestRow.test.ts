import {
	createRequestRow,
	type SharedRow,
} from '../../../../nodes/MessagingChannel/execution/sending/requestIds/requestRow';
import { createSerialQueue } from '../../../../nodes/MessagingChannel/n8n/serialQueue';
import { virtualClock } from '../../../support/engine/clock';

/** A row of n8n's database, whose calls are noted, and fail with this error if there is one. */
function rowOf(shared: Partial<SharedRow>, error?: Error) {
	const clock = virtualClock();
	const calls: Array<[method: string, keys: string[]]> = [];
	const failures: unknown[] = [];
	const call = async (method: string, keys: string[]) => {
		calls.push([method, keys]);
		await (error && Promise.reject(error));
	};
	const store = {
		record: async (keys: string[]) => await call('record', keys).then(() => []),
		remove: async (keys: string[]) => await call('remove', keys),
	};
	const node = {
		confirmed: new Set<string>(),
		unneededKeys: new Set<string>(),
		recordedAt: clock.now(),
		inSeries: createSerialQueue(),
		...shared,
	};
	const row = createRequestRow(node, store, clock, new AbortController().signal, (failure) => {
		failures.push(failure);
	});
	/** Afterwards, what happens at that time has happened, too. */
	const pass = async (ms: number) => {
		await clock.sleep(ms);
		await clock.yield();
	};
	return { row, node, clock, pass, calls, failures };
}

const RECORDED = ['record', ['id a', 'made a']];

test('what was confirmed is stored within seconds, also when the clock is set back by hours', async () => {
	const { row, clock, pass, calls } = rowOf({ confirmed: new Set(['a']) });
	row.flushLater();
	const { now } = clock;
	clock.now = () => now() - 2 * 60 * 60 * 1000;

	await pass(5000);

	expect(calls).toEqual([RECORDED]);
});

test('what was confirmed is stored a second after the last call, as each call stores it, too', async () => {
	const { row, node, clock, pass, calls } = rowOf({ confirmed: new Set(['a']) });
	row.flushLater();
	await pass(500);
	node.recordedAt = clock.now();

	await pass(999);
	expect(calls).toEqual([]);

	await pass(1);
	expect(calls).toEqual([RECORDED]);
});

test('what is confirmed later is stored later', async () => {
	const { row, node, pass, calls } = rowOf({ confirmed: new Set(['a']) });
	row.flushLater();
	await pass(1000);

	node.confirmed.add('b');
	row.flushLater();
	await pass(1000);

	expect(calls).toEqual([RECORDED, ['record', ['id b', 'made b']]]);
});

test('many confirmations that cannot be stored give one warning', async () => {
	const full = new Error('The database is full');
	const { row, pass, failures } = rowOf({ confirmed: new Set(['a', 'b']) }, full);
	row.flushLater();
	row.flushLater();

	await pass(1000);

	expect(failures).toEqual([full]);
});

test('keys that are not needed are removed once, and nothing to do makes no call', async () => {
	const { row, calls } = rowOf({ unneededKeys: new Set(['id a', 'text a']) });

	await row.flush();
	await row.flush();

	expect(calls).toEqual([['remove', ['id a', 'text a']]]);
});
