import { madeKey, readingKey, textKeysOf, type IdentifiedSend } from './requestKeys';
import type { RequestRow, SharedRow } from './requestRow';

/** A send that an earlier execution began, and did not confirm. */
export interface UnconfirmedSend {
	send: IdentifiedSend;
	/** Whether its stored keys prove anything. */
	isProven: boolean;
	/** Whether it certainly had the same text. */
	hasSameText: boolean;
}

/** What earlier executions have stored about the sends that they began. */
export interface EarlierSends {
	confirmed: IdentifiedSend[];
	unconfirmed: UnconfirmedSend[];
}

/** What earlier executions have stored about one request. */
interface Trace extends Omit<UnconfirmedSend, 'send'> {
	/** Whether it was confirmed. */
	isMade: boolean;
	/** The keys that only this process has stored, to read them. */
	ownKeys: string[];
}

/**
 * Reads which of the sends that earlier executions began were confirmed.
 *
 * @param begun the sends
 * @param textsBefore the text keys that were stored before this execution stored its own; undefined if it has not
 * @throws what n8n's database throws
 */
export async function readEarlierSends(
	row: RequestRow,
	unneededKeys: SharedRow['unneededKeys'],
	begun: readonly IdentifiedSend[],
	textsBefore?: ReadonlySet<string>,
): Promise<EarlierSends> {
	const found: EarlierSends = { confirmed: [], unconfirmed: [] };
	if (begun.length === 0) return found;
	const before = await row.record(
		begun.flatMap((send) => [readingKey(send.requestKey), madeKey(send.requestKey), ...textKeysOf(send)]),
	);
	for (const send of begun) {
		const { isProven, isMade, hasSameText, ownKeys } = traceOf(send, before, textsBefore);
		for (const key of ownKeys) unneededKeys.add(key);
		if (isMade) found.confirmed.push(send);
		else found.unconfirmed.push({ send, isProven, hasSameText });
	}
	await row.removeUnneeded();
	return found;
}

/**
 * What earlier executions have stored about a request that they began.
 *
 * @param before which of its keys were stored before they were read
 * @param textsBefore see `readEarlierSends`
 */
function traceOf(
	send: IdentifiedSend,
	before: ReadonlySet<string>,
	textsBefore?: ReadonlySet<string>,
): Trace {
	const { requestKey } = send;
	const texts = textKeysOf(send);
	const isProven = !before.has(readingKey(requestKey));
	const isNew = (key: string) => !before.has(key);
	return {
		isProven,
		isMade: isProven && before.has(madeKey(requestKey)),
		hasSameText: texts.some((key) => (textsBefore ?? before).has(key)),
		ownKeys: [
			...(textsBefore ? texts.filter((key) => !textsBefore.has(key)) : []),
			...(isProven ? [readingKey(requestKey), ...[madeKey(requestKey), ...texts].filter(isNew)] : []),
		],
	};
}
