import type { IExecuteFunctions } from 'n8n-workflow';

import { sendStoreOf } from '../../../../nodes/MessagingChannel/execution/sending/sendStore';

/** The store of a node whose calls to n8n's database take until they are ended, one after the other. */
function storeOf(node: string) {
	const calls: Array<{ keys: string[]; end: () => void }> = [];
	const call = async (keys: string[]) =>
		await new Promise<{ processed: string[] }>((resolve) => {
			calls.push({ keys, end: () => resolve({ processed: [] }) });
		});
	const context = {
		getWorkflow: () => ({ id: 'workflow' }),
		getNode: () => ({ id: node }),
		helpers: { checkProcessedAndRecord: call, removeProcessed: call },
	} as unknown as IExecuteFunctions;
	return { calls, store: sendStoreOf(context), sameStore: sendStoreOf(context) };
}

const settle = async () => await new Promise((resolve) => setImmediate(resolve));

test('calls to the row of one node do not overlap, and those of another node go on', async () => {
	const { calls, store, sameStore } = storeOf('first');
	const other = storeOf('other');
	const results = [store.record(['a']), sameStore.remove(['b'])];
	const otherResult = other.store.record(['c']);
	await settle();
	expect(calls.map(({ keys }) => keys)).toEqual([['a']]);
	expect(other.calls.map(({ keys }) => keys)).toEqual([['c']]);
	other.calls[0]?.end();
	expect(await otherResult).toEqual([]);
	calls[0]?.end();
	await settle();
	expect(calls.map(({ keys }) => keys)).toEqual([['a'], ['b']]);
	calls[1]?.end();
	await Promise.all(results);
});
