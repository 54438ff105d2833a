import { hash } from 'crypto';
import omit from 'lodash/omit';
import type { IDataObject } from 'n8n-workflow';

import type { Parameters } from '../../api/apiRequest';
import { idOf, isRecord } from '../../api/values';
import type { ActionRun } from '../../n8n/actionRun';
import { CREDENTIAL } from '../../n8n/connect';
import { compareRecipients, isHiddenId, phoneIn, recipientKey } from '../../recipients/recipient';
import type { Send } from './send';

/** The state of one send. n8n stores it with the execution, so its property names must not change. */
export interface SendEntry {
	/** The recipient or the changed record; see `Task.partitionKey`. */
	partitionKey: string;
	/** A unique ID that all tries of the send share. */
	id: string;
	/** Unix time of the latest attempt, in milliseconds; until there is one, of its begin. */
	attemptedAt: number;
	/** The digest of the first try's text, because an expression can change the text on a retry. Set only for texts. */
	textDigest?: string;
	/** The texts of all parts of a text that is sent as several messages. Set only for its first one. */
	parts?: readonly string[];
	/** The records of the response; undefined while the send is unconfirmed. */
	answer?: IDataObject[];
}

/**
 * The sends of one run of the node. Retry On Fail and "Retry execution" run the node again for all items, with the same
 * log. Each iteration of a loop has its own log. An agent's tool has one log per execution, because n8n counts every try
 * of a tool as a run and can give parallel calls the same run index.
 */
export interface SendLog {
	/** Whether an earlier try of the run, or another call of the tool, may have begun something. */
	hasEarlier: boolean;
	/** The entry of an earlier try of the send. */
	find(send: Send): SendEntry | undefined;
	/** Records an entry, and returns it as it is kept. */
	record(send: Send, entry: SendEntry): SendEntry;
	/** Removes a send that may be made again. */
	forget(send: Send): void;
	/** Removes all sends of a finished run. In an execution, a tool keeps its sends, because a later call can repeat one. */
	clear(): void;
}

/** The node's context data, which n8n stores with the execution. */
interface NodeContext {
	/** By run key and send key. */
	sends?: Record<string, Record<string, SendEntry>>;
}

/** The run key of all calls of a tool. */
const TOOL_RUN = 'tool';

/** The maximum number of sends that a tool keeps per execution. */
const MAX_TOOL_SENDS = 1000;

/** The keys of a run of the node, and of a send within it. */
export function sendKeysOf({ isTool, runIndex }: Pick<ActionRun, 'isTool' | 'runIndex'>): {
	runKey: string;
	keyOf: (send: Send) => string;
} {
	return {
		runKey: isTool ? TOOL_RUN : String(runIndex),
		keyOf: (send) =>
			isTool ? `${contentKeyOf(send)}${send.partitionKey}` : `${send.itemIndex}${partKeyOf(send)}`,
	};
}

/** How long a send without an execution that may have been made is remembered, in milliseconds. */
const UNFINISHED_MS = 3_600_000;

/** The sends of runs without an execution that have not succeeded, in this process, by credential. */
const unfinishedSends = new Map<string, NodeContext>();

/** When these were recorded, by `clock.elapsed`. */
const recordedAt = new WeakMap<SendEntry, number>();

function unfinishedSendsOf({ node }: Pick<ActionRun, 'node'>, now: number): NodeContext {
	const key = String(node.credentials?.[CREDENTIAL]?.id);
	const stored = unfinishedSends.get(key) ?? {};
	unfinishedSends.set(key, stored);
	const runEntries = stored.sends?.[TOOL_RUN] ?? {};
	for (const [send, entry] of Object.entries(runEntries))
		if (now - (recordedAt.get(entry) ?? now) >= UNFINISHED_MS) delete runEntries[send];
	return stored;
}

/** What the log needs of a run. */
type SendLogRun = Pick<ActionRun, 'isTool' | 'runIndex' | 'nodeData' | 'node'>;

/**
 * The send log of this run, kept in the data of the execution. Without one, this process remembers only the sends of runs that
 * failed: nothing tells the sessions of an Agent apart, and another one can have the same message to send.
 *
 * @param now that of `clock.elapsed`
 */
export function sendLogOf(run: SendLogRun, now: number): SendLog {
	const { isTool, nodeData } = run;
	const stored: NodeContext = nodeData ?? unfinishedSendsOf(run, now);
	const recorded = new Set<string>();
	const { runKey, keyOf } = sendKeysOf(run);
	const entries = (): Record<string, SendEntry> => ((stored.sends ??= {})[runKey] ??= {});

	/** The key of a send. An item that named somebody else in an earlier try has one for each, in whatever notation. */
	const placeOf = (send: Send): string => {
		const key = keyOf(send);
		const isOther = (entry?: SendEntry) => entry && !isForSameRecipient(entry, send);
		let place = key;
		for (let next = 2; isOther(stored.sends?.[runKey]?.[place]); next++) place = `${key} to ${next}`;
		return place;
	};

	// n8n never repeats an earlier iteration of a loop.
	const storedRuns = stored.sends ?? {};
	for (const storedRun of Object.keys(storedRuns)) {
		if (Number(storedRun) < Number(runKey)) delete storedRuns[storedRun];
	}

	return {
		hasEarlier: isTool || stored.sends?.[runKey] !== undefined,
		find(send) {
			const runEntries = stored.sends?.[runKey] ?? {};
			// The key of a tool's send contains the recipient, whom a model may write in another way.
			const content = isTool && contentKeyOf(send);
			const alike = content ? Object.keys(runEntries).filter((key) => key.startsWith(content)) : [];
			return [placeOf(send), ...alike]
				.map((key) => runEntries[key])
				.find((entry) => entry && isForSameRecipient(entry, send));
		},

		record(send, entry) {
			const runEntries = entries();
			const key = placeOf(send);
			runEntries[key] = entry;
			recorded.add(key);
			recordedAt.set(entry, now);
			if (isTool)
				for (const oldest of Object.keys(runEntries).slice(0, -MAX_TOOL_SENDS)) delete runEntries[oldest];
			return runEntries[key] as SendEntry;
		},

		forget(send) {
			delete entries()[placeOf(send)];
		},

		clear() {
			if (!isTool) delete stored.sends?.[runKey];
			else if (!nodeData) for (const key of recorded) delete entries()[key];
		},
	};
}

/** Whether an entry has the recipient of a send, also in another notation, such as the one in the service's answer. */
function isForSameRecipient({ partitionKey, answer }: SendEntry, send: Send): boolean {
	if (partitionKey === send.partitionKey) return true;
	const answered = recipientKey(String(idOf(answer?.[0]?.to)));
	if (answered === send.partitionKey) return true;
	return mayBeSame(phoneIn(answered) === undefined ? partitionKey : answered, send.partitionKey);
}

/**
 * Whether two partition keys can be of one recipient: no message is sent twice. The key of a question has its execution, too.
 */
function mayBeSame(one: string, other: string): boolean {
	const [first, second] = [recipientIn(one), recipientIn(other)] as const;
	if (one.slice(first.length) !== other.slice(second.length)) return false;
	// An ID that hides the number may be anybody's, and most are somebody else's.
	return compareRecipients(first, second) !== 'different' && ![first, second].some(isHiddenId);
}

const recipientIn = (partitionKey: string): string => partitionKey.replace(/ .*/, '');

/** The first part has the key of the whole text, so that a retry finds it even if it splits the text in another way. */
function partKeyOf({ part }: Send): string {
	return part && part.index > 0 ? ` part ${part.index}` : '';
}

/** How a message is sent. The same message sent in another way is still the same. */
const DELIVERY_SETTINGS = ['priority', 'sync'];

/** What two calls with the same message to the same recipient have in common, beside the recipient. */
function contentKeyOf(send: Send): string {
	const { endpoint, parameters, bodyFields, file } = send.part?.whole ?? send.request;
	const content = JSON.stringify([
		endpoint.method,
		endpoint.path,
		canonicalParameters(omit(parameters, 'to', DELIVERY_SETTINGS)),
		bodyFields,
		file?.filename,
		file && [file.mimetype, file.source],
	]);
	return `${hash('sha256', content)}${partKeyOf(send)}: `;
}

/** The parameters in their canonical form. A model may write the same recipients or variables in another order or notation. */
function canonicalParameters({ recipients, variables, ...others }: Parameters): Parameters {
	return {
		...others,
		...(Array.isArray(recipients) && { recipients: recipients.map(String).map(recipientKey).sort() }),
		...(isRecord(variables) && { variables: Object.fromEntries(Object.entries(variables).sort()) }),
	};
}
