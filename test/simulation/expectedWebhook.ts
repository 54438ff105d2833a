import type { Death } from './deployment';
import { productionUrl, testUrl, type HookCall, type TriggerVersion } from './triggerDatabase';
import { FOREIGN_URL, type ForeignChange, type Webhook } from './webhooks';

/** What the account's webhook may be set to; undefined for none. */
type Holder =
	| undefined
	| {
			url: string;
			/** Undefined for another system's. */
			version?: TriggerVersion;
			/** What a test has to restore. */
			over?: Holder;
			/** What a publication that fails has to restore. */
			replaced?: Holder;
			/** Whether an unfinished change may have left it with other settings or a query. */
			isUnfinished?: boolean;
	  };

/** How long a request of a dead process may still be on its way. */
const LATE_MS = 12_000;

const FOREIGN: Holder = { url: FOREIGN_URL };

/**
 * What the account's webhook may be set to in the end: what n8n did, and what another system did, each applied to what
 * was there before, as docs/trigger.md says.
 */
export function possibleWebhooks(
	calls: readonly HookCall[],
	foreignChanges: readonly ForeignChange[],
	deaths: readonly Death[],
): Holder[] {
	const left = [...foreignChanges];
	const takeUntil = (at: number) => left.splice(0, left.filter((change) => change.at <= at).length);
	let holders: Holder[] = [undefined];
	for (const call of inOrder(calls)) {
		holders = withForeign(holders, takeUntil(call.firstRequestAt));
		const death = deaths.find(({ at }) => at >= call.startedAt);
		const meanwhile = takeUntil(call.endedAt ?? (death?.at ?? Infinity) + LATE_MS);
		// The trigger reads the webhook and then sets it, and the service has no way to do both at once.
		const results: Holder[] = [];
		for (let read = 0; read <= meanwhile.length; read++) {
			const after = withForeign(holders, meanwhile.slice(0, read)).flatMap((holder) => changed(call, holder));
			for (let write = read; write <= meanwhile.length; write++)
				results.push(...withForeign(after, meanwhile.slice(write)));
		}
		holders = unique(results);
	}
	return withForeign(holders, left);
}

/** The calls that did something. A process makes one at a time. */
function inOrder(calls: readonly HookCall[]): Array<HookCall & { firstRequestAt: number }> {
	return calls
		.filter((call): call is HookCall & { firstRequestAt: number } => call.firstRequestAt !== undefined)
		.sort((one, other) => one.firstRequestAt - other.firstRequestAt);
}

/** Whether the webhook is set to this, with all its settings. */
export function isHolder(webhook: Webhook | undefined, holder: Holder): boolean {
	if (!webhook || !holder) return !webhook && !holder;
	const [url, query = ''] = webhook.url.split('?');
	if (url !== holder.url) return false;
	const { version, over, isUnfinished } = holder;
	if (isUnfinished || !version) return true;
	const isSame =
		webhook.timeoutSeconds === version.timeoutSeconds && webhook.events.join() === version.events.join();
	return isSame && (over ? (snapshotIn(query)?.[0] as string).split('?')[0] === over.url : query === '');
}

function snapshotIn(query: string): unknown[] | undefined {
	const encoded = new URLSearchParams(query).get('lent') ?? '';
	return JSON.parse(Buffer.from(encoded, 'base64url').toString() || '[""]') as unknown[];
}

function withForeign(holders: Holder[], changes: readonly ForeignChange[]): Holder[] {
	const last = changes.at(-1);
	return last ? [last.does === 'sets' ? FOREIGN : undefined] : holders;
}

function unique(holders: Holder[]): Holder[] {
	return [...new Map(holders.map((holder) => [JSON.stringify(holder), holder])).values()];
}

/** What one call may make of the webhook; nothing when it should have failed. */
function changed(call: HookCall, holder: Holder): Holder[] {
	return call.hook === 'create' ? created(call, holder) : deleted(call, holder);
}

function created({ url, workflow, version, isStart, succeeded }: HookCall, holder: Holder): Holder[] {
	const isTest = url === testUrl(workflow);
	const isOurs =
		!holder || [holder.url, holder.over?.url].some((own) => own === url) || isSibling(holder.url);
	const kept = isTest ? (isTestUrl(holder?.url) ? holder?.over : holder) : undefined;
	const done: Holder = { url, version, ...(kept && { over: plain(kept) }) };

	function isSibling(other: string): boolean {
		return [productionUrl(workflow), testUrl(workflow)].includes(other);
	}

	// A start replaces nothing, and an unreachable service changes nothing.
	if (isStart)
		return isOurs && succeeded !== false ? [done, holder, { ...done, isUnfinished: true }] : [holder];
	const isTaken = !isOurs && version.ifWebhookExists === 'fail';
	if (isTaken) return succeeded ? [] : [holder];
	if (succeeded) return [done];
	const replaced = isOurs || isTest ? undefined : plain(holder?.over ?? holder);
	const unfinished: Holder = { ...done, isUnfinished: true, ...(replaced && { replaced }) };
	return [
		holder,
		unfinished,
		isOurs && !isTest ? undefined : holder,
		replaced ?? kept,
		...(succeeded === undefined ? [done] : []),
	];
}

function deleted({ url, succeeded }: HookCall, holder: Holder): Holder[] {
	const result =
		holder?.url === url
			? (holder.replaced ?? holder.over)
			: holder?.over?.url === url
				? { ...holder, over: undefined }
				: holder;
	return succeeded ? [result] : [holder, result];
}

const isTestUrl = (url: string | undefined) => url?.includes('/webhook-test/') === true;

/** Without what no longer counts once it is restored. */
function plain(holder: Holder): Holder {
	if (!holder) return undefined;
	const { url, version, isUnfinished } = holder;
	return { url, ...(version && { version }), ...(isUnfinished && { isUnfinished }) };
}
