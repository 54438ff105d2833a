import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/** What became of a request that must not be made twice. */
export interface Entry {
	/** Whom or what the request was about. */
	lane: string;
	/** Unix time in milliseconds. */
	attemptedAt: number;
	/** The records that came of it; none when nobody confirmed it. */
	answer?: IDataObject[];
}

/**
 * Remembers what a run of the node has sent. n8n runs a node again for all its items, on Retry On Fail at once and on
 * "Retry execution" later; both bring this along. A run of a loop has a ledger of its own.
 */
export interface Ledger {
	/** What became of an item's request in an earlier try, if it was about the same. */
	recall(itemIndex: number, lane: string): Entry | undefined;
	record(itemIndex: number, entry: Entry): void;
	/** Forgets all, when nothing is left to run again. */
	clear(): void;
}

/** Where the ledgers of all the node's runs are kept, in the data of the execution. */
const STORE = 'sends';

export function ledgerOf(context: IExecuteFunctions): Ledger {
	const node = context.getContext('node') as Record<string, Record<string, Record<string, Entry>>>;
	const run = String(context.getWorkflowDataProxy(0).$runIndex);
	const entries = (): Record<string, Entry> => ((node[STORE] ??= {})[run] ??= {});
	return {
		recall(itemIndex, lane) {
			const entry = node[STORE]?.[run]?.[itemIndex];
			return entry?.lane === lane ? entry : undefined;
		},
		record(itemIndex, entry) {
			entries()[itemIndex] = entry;
		},
		clear() {
			delete node[STORE]?.[run];
		},
	};
}
