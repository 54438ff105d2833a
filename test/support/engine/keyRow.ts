import type { IExecuteFunctions } from 'n8n-workflow';

import { rowOf, type Row } from '../../../nodes/MessagingChannel/n8n/journal/row';

/** The row of keys that n8n keeps for a node. Like n8n's, it is read and written as a whole. */
export interface KeyRow {
	keys: string[];
	/** How often it was read and written. */
	calls: number;
	/** Whether n8n's database fails. */
	isBroken: boolean;
}

export const newKeyRow = (): KeyRow => ({ keys: [], calls: 0, isBroken: false });

/** A new row, and the node's access to it. */
export function newKeyStore(): { row: KeyRow; store: Row } {
	const row = newKeyRow();
	const helpers = keyRowHelpers(row) as IExecuteFunctions['helpers'];
	return { row, store: rowOf({ helpers }, 'node') };
}

/**
 * n8n's helpers for the row of a node, and for that which the nodes of a workflow share: two calls at once would lose keys.
 */
export function keyRowHelpers(row: KeyRow, sharedRow?: KeyRow) {
	const rows: Record<string, KeyRow | undefined> = { node: row, workflow: sharedRow };
	const busy = new Set<KeyRow>();
	const use = async <T>(
		scope: string,
		{ mode }: { mode: string },
		change: (keys: string[]) => { keys: string[]; result: T },
	): Promise<T> => {
		const used = rows[scope];
		if (!used || mode !== 'entries') throw new Error('That is another row');
		if (used.isBroken) throw new Error('database is locked');
		if (busy.has(used)) throw new Error('two at once');
		busy.add(used);
		used.calls++;
		const { keys, result } = change(used.keys);
		await new Promise(setImmediate);
		used.keys = keys;
		busy.delete(used);
		return result;
	};
	return {
		checkProcessedAndRecord: async (
			asked: string[],
			scope: string,
			options: { mode: string; maxEntries: number },
		) =>
			await use(scope, options, (keys) => {
				const stored = new Set(keys);
				const processed = asked.filter((key) => stored.has(key));
				const added = asked.filter((key) => !stored.has(key));
				return { keys: [...keys, ...added].slice(-options.maxEntries), result: { new: added, processed } };
			}),
		getProcessedDataCount: async (scope: string, options: { mode: string }) =>
			await use(scope, options, (keys) => ({ keys, result: keys.length })),
		removeProcessed: async (removed: string[], scope: string, options: { mode: string }) =>
			await use(scope, options, (keys) => {
				const unwanted = new Set(removed);
				return { keys: keys.filter((key) => !unwanted.has(key)), result: undefined };
			}),
	};
}
