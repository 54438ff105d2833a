import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { TwinsByText } from '../api/sentMessages';

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
	/** The texts that were sent, to tell identical ones apart: those of all passes when the node is in a loop. */
	readonly texts: TwinsByText;
	/** Forgets all that no later run can need, when nothing is left to run again. */
	clear(): void;
}

/** What is kept in the data of the execution. */
interface Store {
	/** The ledgers of the node's runs. */
	sends?: Record<string, Record<string, Entry>>;
	texts?: TwinsByText;
}

export function ledgerOf(context: IExecuteFunctions): Ledger {
	const store = context.getContext('node') as Store;
	const run = String(context.getWorkflowDataProxy(0).$runIndex);
	const entries = (): Record<string, Entry> => ((store.sends ??= {})[run] ??= {});
	return {
		recall(itemIndex, lane) {
			const entry = store.sends?.[run]?.[itemIndex];
			return entry?.lane === lane ? entry : undefined;
		},
		record(itemIndex, entry) {
			entries()[itemIndex] = entry;
		},
		texts: (store.texts ??= {}),
		clear() {
			delete store.sends?.[run];
			if (!isInLoop(context)) delete store.texts;
		},
	};
}

/** Whether what the node puts out can come back to it. */
function isInLoop(context: IExecuteFunctions): boolean {
	const { name } = context.getNode();
	const before = new Set(context.getParentNodes(name).map((node) => node.name));
	return context.getChildNodes(name).some((node) => before.has(node.name));
}
