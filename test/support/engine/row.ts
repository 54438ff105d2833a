/** The row of keys that n8n keeps for a node. Like n8n's, it is read and written as a whole. */
export interface Row {
	keys: string[];
	/** Whether n8n's database fails. */
	isBroken: boolean;
}

export const newRow = (): Row => ({ keys: [], isBroken: false });

/** n8n's helpers for the row: two calls at once would lose keys. */
export function rowHelpers(row: Row) {
	let isBusy = false;
	const use = async <T>(change: (keys: string[]) => { keys: string[]; result: T }): Promise<T> => {
		if (row.isBroken) throw new Error('database is locked');
		if (isBusy) throw new Error('two at once');
		isBusy = true;
		const { keys, result } = change(row.keys);
		await new Promise(setImmediate);
		row.keys = keys;
		isBusy = false;
		return result;
	};
	return {
		checkProcessedAndRecord: async (
			asked: string[],
			_scope: 'node',
			{ maxEntries }: { maxEntries: number },
		) =>
			await use((keys) => {
				const processed = asked.filter((key) => keys.includes(key));
				const added = asked.filter((key) => !keys.includes(key));
				return { keys: [...keys, ...added].slice(-maxEntries), result: { new: added, processed } };
			}),
		removeProcessed: async (removed: string[]) =>
			await use((keys) => ({ keys: keys.filter((key) => !removed.includes(key)), result: undefined })),
	};
}
