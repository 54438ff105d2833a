import type { Choices } from './choices';
import type { SimulatedProcess } from './process';

const DATABASE_DELAYS_MS = [2, 30, 400] as const;

/** The row is read, and some time later written as a whole: two processes at once lose keys, as in n8n. */
export function rowHelpers({ sleep }: SimulatedProcess, choices: Choices, database: { row: string[] }) {
	const use = async <T>(change: (keys: string[]) => { keys: string[]; result: T }): Promise<T> => {
		const pause = async () => await sleep(choices.oneOf(DATABASE_DELAYS_MS));
		await pause();
		const { keys, result } = change(database.row);
		await pause();
		database.row = keys;
		await pause();
		return result;
	};
	return {
		checkProcessedAndRecord: async (
			asked: string[],
			_scope: string,
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
