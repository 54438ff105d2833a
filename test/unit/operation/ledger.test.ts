import type { IDataObject } from 'n8n-workflow';

import { ledgerOf } from '../../../nodes/MessagingChannel/operation/ledger';
import { contextOf } from './context';

/** n8n's context for a run of a node, with the data that its execution keeps for it. */
const runOf = (kept: IDataObject, runIndex = 0, inLoop = false) =>
	ledgerOf(
		contextOf({
			getContext: () => kept,
			getWorkflowDataProxy: () => ({ $runIndex: runIndex }),
			getNode: () => ({ name: 'Send' }),
			getParentNodes: () => [{ name: 'Start' }, ...(inLoop ? [{ name: 'Loop' }] : [])],
			getChildNodes: () => [{ name: 'End' }, ...(inLoop ? [{ name: 'Loop' }] : [])],
		}),
	);

const entry = { lane: 'Ada', attemptedAt: 1, answer: [{ id: '1' }] };

test('an entry is recalled by a later try of the same run', () => {
	const kept: IDataObject = {};
	runOf(kept).record(3, entry);
	const stored = JSON.parse(JSON.stringify(kept)) as IDataObject;
	expect(runOf(stored).recall(3, 'Ada')).toEqual(entry);
});

test.each([
	['another item', 4, 'Ada', 0],
	['the same item about somebody else', 3, 'Bob', 0],
	['another pass of a loop', 3, 'Ada', 1],
])('but not for %s', (_, itemIndex, lane, runIndex) => {
	const kept: IDataObject = {};
	runOf(kept).record(3, entry);
	expect(runOf(kept, runIndex).recall(itemIndex, lane)).toBeUndefined();
});

test('a later entry for the item takes the place of the earlier', () => {
	const kept: IDataObject = {};
	runOf(kept).record(3, { lane: 'Ada', attemptedAt: 1 });
	runOf(kept).record(3, entry);
	expect(runOf(kept).recall(3, 'Ada')).toEqual(entry);
});

test('cleared, it forgets its own run alone', () => {
	const kept: IDataObject = {};
	runOf(kept, 0).record(3, entry);
	runOf(kept, 1).record(3, entry);
	runOf(kept, 1).clear();
	expect(runOf(kept, 0).recall(3, 'Ada')).toEqual(entry);
	expect(runOf(kept, 1).recall(3, 'Ada')).toBeUndefined();
});

test('cleared, it forgets the texts, unless another pass of a loop may need them', () => {
	for (const inLoop of [false, true]) {
		const kept: IDataObject = {};
		const ledger = runOf(kept, 0, inLoop);
		ledger.texts.hello = { since: 1, confirmed: 1, claimed: [] };
		ledger.clear();
		expect('hello' in runOf(kept, 1, inLoop).texts).toBe(inLoop);
	}
});
