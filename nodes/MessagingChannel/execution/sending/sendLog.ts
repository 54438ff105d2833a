import { createHash } from 'crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { ApiRequest } from '../../api/apiRequest';

/** A request that must not be made twice, and the item that asks for it. */
export interface Send {
	request: ApiRequest;
	itemIndex: number;
	/** Whom or what it is about. */
	partitionKey: string;
}

/** What became of a send. */
export interface SendEntry {
	partitionKey: string;
	/** The same for every try of the send, and unique among all others. */
	id: string;
	/** Unix time in milliseconds of the first try. */
	attemptedAt: number;
	/** The digest of the text of the first try, which another try may word anew; none when it was no text. */
	textDigest?: string;
	/** The records that came of it; none when nobody confirmed it. */
	answer?: IDataObject[];
}

/**
 * Remembers what a run of the node has sent. n8n runs a node again for all its items, on Retry On Fail at once and on
 * "Retry execution" later; both bring this along. Each pass of a loop has a log of its own. As an agent's tool the node
 * has one for the whole execution: n8n counts every try of a tool as a run, and gives two calls at once the same number.
 */
export interface SendLog {
	/** What became of the send in an earlier try. */
	find(send: Send): SendEntry | undefined;
	record(send: Send, entry: SendEntry): void;
	/** Forgets a send that certainly was not made. */
	forget(send: Send): void;
	/** Forgets all that no later run can need, when nothing is left to run again. */
	clear(): void;
}

/** Kept in the data of the execution, by run and send. */
interface Store {
	sends?: Record<string, Record<string, SendEntry>>;
}

/** The log of all calls of a tool. */
const TOOL_CALLS = 'tool';

/** More sends of one tool in one execution are not kept with it. */
const MOST_TOOL_CALLS = 1000;

/** What tells a send apart from the others of its execution: its run, and a key within that. */
export function placesOf(context: IExecuteFunctions): {
	isTool: boolean;
	run: string;
	keyOf: (send: Send) => string;
} {
	const isTool = isToolOf(context);
	return {
		isTool,
		run: isTool ? TOOL_CALLS : String(runIndexOf(context)),
		keyOf: (send) => (isTool ? contentOf(send) : String(send.itemIndex)),
	};
}

export function sendLogOf(context: IExecuteFunctions): SendLog {
	const store = context.getContext('node') as Store;
	const { isTool, run, keyOf } = placesOf(context);
	const entries = (): Record<string, SendEntry> => ((store.sends ??= {})[run] ??= {});

	// n8n never runs an earlier pass of a loop again.
	for (const earlier of Object.keys(store.sends ?? {})) {
		if (Number(earlier) < Number(run)) delete store.sends?.[earlier];
	}

	return {
		find(send) {
			const entry = store.sends?.[run]?.[keyOf(send)];
			return entry?.partitionKey === send.partitionKey ? entry : undefined;
		},

		record(send, entry) {
			const all = entries();
			all[keyOf(send)] = entry;
			const [oldest = ''] = Object.keys(all);
			if (isTool && Object.keys(all).length > MOST_TOOL_CALLS) delete all[oldest];
		},

		forget(send) {
			delete store.sends?.[run]?.[keyOf(send)];
		},

		clear() {
			if (!isTool) delete store.sends?.[run];
		},
	};
}

/** n8n names the type of a node that serves as a tool after it. */
function isToolOf(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
}

function runIndexOf(context: IExecuteFunctions): number {
	return Number(context.getWorkflowDataProxy(0).$runIndex);
}

/** What is sent and to whom, so that the same is recognised whichever call it comes from. */
function contentOf({ request }: Send): string {
	const { endpoint, parameters, bodyFields, file: { filename, mimetype } = {} } = request;
	const content = JSON.stringify([
		endpoint.method,
		endpoint.path,
		parameters,
		bodyFields,
		filename,
		mimetype,
	]);
	return createHash('sha256').update(content).digest('base64url');
}
