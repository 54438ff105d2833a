import { createMemory, MEMORY_MS } from '../../../nodes/MessagingChannel/trigger/memory';
import { ranBefore } from '../../../nodes/MessagingChannel/trigger/ranBefore';
import { createRecall } from '../../../nodes/MessagingChannel/trigger/recall';
import { row } from './row';

/** A process of n8n that runs events; its waits end at once. */
function startProcess(store: ReturnType<typeof row>['store']) {
	const memory = createMemory();
	const recall = createRecall(
		async () => await Promise.resolve(),
		() => {},
	);
	const run = async (eventId: string, executionId: string, processStarted = Date.now()) =>
		await ranBefore({ eventId, executionId, processStarted }, { memory, recall }, store);
	return { memory, run };
}

/** Long enough for what is remembered to be written. */
const written = async () => {
	for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
};

describe('an event that another process took', () => {
	test('runs once on a worker, however many executions it has', async () => {
		const worker = startProcess(row().store);
		expect(await worker.run('1', 'first')).toBe(false);
		expect(await worker.run('1', 'second')).toBe(true);
		expect(await worker.run('2', 'third')).toBe(false);
	});

	test('is known by the other workers as soon as it is written', async () => {
		const { store } = row();
		const [one, other] = [startProcess(store), startProcess(store)];
		expect(await one.run('1', 'first')).toBe(false);
		await written();
		expect(await other.run('1', 'second')).toBe(true);
	});

	test('runs again in the same execution, as when the node is retried', async () => {
		const worker = startProcess(row().store);
		expect(await worker.run('1', 'first')).toBe(false);
		await written();
		expect(await worker.run('1', 'first')).toBe(false);
	});

	test('runs when the store fails', async () => {
		const { state, store } = row();
		state.isBroken = true;
		expect(await startProcess(store).run('1', 'first')).toBe(false);
	});
});

describe('an event that this process took', () => {
	const taken = (process: ReturnType<typeof startProcess>, eventId: string) => {
		const begun = process.memory.begin([`id ${eventId}`], Date.now());
		if (begun.isNew) begun.settle(true);
	};

	test('ran before when the last process was done with it', async () => {
		const { store } = row();
		const [last, current] = [startProcess(store), startProcess(store)];
		taken(last, '1');
		expect(await last.run('1', 'first')).toBe(false);
		await written();
		taken(current, '1');
		expect(await current.run('1', 'second')).toBe(true);
	});

	test('waits for nothing once the process knows all there is to know', async () => {
		const { state, store } = row();
		const process = startProcess(store);
		taken(process, '1');
		expect(await process.run('1', 'first', Date.now() - MEMORY_MS - 1)).toBe(false);
		expect(state.calls).toBe(0);
	});
});
