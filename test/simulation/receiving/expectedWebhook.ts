import type { Death } from './deployment';
import {
	productionUrl,
	testUrl,
	type HookCall,
	type TriggerDatabase,
	type TriggerVersion,
	type TriggerWorkflow,
} from '../n8n/triggerDatabase';
import type { Webhook } from '../service/events';
import { N8N_URL } from '../n8n/network';
import {
	FOREIGN_EVENTS,
	FOREIGN_TIMEOUT_SECONDS,
	FOREIGN_URL,
	type ForeignChange,
	type WebhookChange,
} from '../service/webhooks';

/** One receiver in the list of a webhook URL. */
export interface Receiver {
	url: string;
	kind: string;
	events: string[];
	timeoutSeconds: number;
	/** When a test ends at the latest, in Unix seconds. */
	expiresAt?: number | null;
}

/** The events of the API, in the order of the bits in a list. */
const EVENTS = [
	'message.received',
	'message.sent',
	'message.status',
	'connection.connected',
	'connection.disconnected',
];

/** Reads a webhook URL, without the code under test. A URL without a list has one receiver, whose events it does not tell. */
export function receiversIn(url: string): Receiver[] {
	const [hub, query = ''] = url.split('?') as [string, string?];
	const list = /(?:^|&)subscribers=([^&]*)/.exec(query)?.[1];
	if (list === undefined) return [{ url: hub, kind: 'workflow', events: [], timeoutSeconds: 0 }];
	return list
		.split('~')
		.slice(0, -1)
		.map((entry) => {
			if (entry.startsWith('_')) {
				const decoded = Buffer.from(entry.slice(1), 'base64url').toString();
				const [own, kind, events, timeoutSeconds, expiresAt] = JSON.parse(decoded) as [
					string,
					string,
					string[],
					number,
					number?,
				];
				return { url: own, kind, events, timeoutSeconds, expiresAt };
			}
			const [id, mask, seconds] = entry.split('.') as [string, string, string];
			return {
				url: id === '' ? hub : hub.replace(/[^/]+(\/[^/]*)$/, `${id}$1`),
				kind: 'workflow',
				events: EVENTS.filter((_, bit) => (parseInt(mask, 36) >> bit) & 1),
				timeoutSeconds: Number(seconds),
			};
		});
}

/** What decides who must receive the events in the end. */
interface End {
	database: TriggerDatabase;
	webhooks: {
		current: Webhook | undefined;
		foreignChanges: readonly ForeignChange[];
		changes: readonly WebhookChange[];
	};
	deaths: readonly Death[];
}

/** A change of the webhook that has read what was there before another system changed it may still arrive. */
const LATE_MS = 400_000;

/** Whom the webhook must name in the end: exactly the published workflows, and the other system that shares it. */
export function brokenByWebhook({ database, webhooks, deaths }: End): string[] {
	const { current, foreignChanges, changes } = webhooks;
	const { workflows, hookCalls } = database;
	const receivers = current ? receiversIn(current.url) : [];
	const says = (problem: string) => [`the webhook is ${JSON.stringify(current)}: ${problem}`];
	const required = workflows.filter(({ active, settled }) => active && settled.at(-1)?.until === Infinity);
	const lastForeign = foreignChanges.at(-1);
	const versionOf = ({ settled }: (typeof workflows)[number]) => settled.at(-1)?.version;

	if (current?.url === FOREIGN_URL) {
		const mayShare = required.some((workflow) => versionOf(workflow)?.ifWebhookExists === 'share');
		if (mayShare) return says('a workflow that shares it is missing');
		return isForeignPossible(lastForeign, hookCalls) ? [] : says('nobody has set it like this');
	}
	const lastLate = changes.findLast((change) => isLate(change, deaths))?.at ?? -Infinity;
	/** Whether nobody is left who could remove a receiver that n8n could not remove. */
	const isLeftOver = (url: string): boolean => {
		if (required.length > 0) return false;
		const last = hookCalls.findLast((call) => call.url === url);
		if (!last) return false;
		const { isDeath } = endOf(last, deaths);
		// n8n tries three times, usually within half a minute. Then the webhook still points at n8n, as it does when n8n publishes
		// once more what it has just unpublished. A change that the service makes late undoes what was set since.
		const isPublishedAgain = last.hook === 'create';
		return isDeath || last.succeeded === false || isPublishedAgain || lastLate > last.startedAt;
	};

	const broken: string[] = [];
	for (const workflow of required)
		if (
			!receivers.some(({ url }) => url === productionUrl(workflow)) &&
			!mayStayMissing(workflow, versionOf(workflow) ?? workflow.draft, receivers)
		)
			broken.push(...says(`${workflow.id} is missing`));
	const [hub] = receivers;
	const isHubRequired = required.some((each) => productionUrl(each) === hub?.url);
	for (const { url, expiresAt } of receivers) {
		const workflow = workflows.find((each) => productionUrl(each) === url);
		const isTest = workflows.some((each) => testUrl(each) === url);
		if (workflow && !required.includes(workflow) && !workflow.hasRoute && !isLeftOver(url))
			broken.push(...says(`${workflow.id} is not published`));
		// A test that n8n could not remove, because it was killed, ends after ten minutes. Only the hub's repair takes it
		// off the list, and n8n may keep a hub that it could not unpublish.
		if (isTest && !isLeftOver(url) && (isHubRequired || !expiresAt)) broken.push(...says('the test is over'));
		if (!workflow && !isTest && url !== FOREIGN_URL) broken.push(...says(`${url} is unknown`));
	}
	const isForeignNamed = receivers.some(({ url }) => url === FOREIGN_URL);
	// A change that the service makes late undoes what was set since.
	const mayBeUndone = lastForeign !== undefined && lastLate >= lastForeign.at;
	if (isForeignNamed && !mayBeUndone && !isForeignPossible(lastForeign, hookCalls))
		broken.push(...says('the other system has gone'));
	const mayBeGone = lastForeign && (mayBeReplaced(lastForeign, hookCalls) || mayBeUndone);
	if (!isForeignNamed && lastForeign?.does === 'sets' && !mayBeGone)
		broken.push(...says('the other system is missing'));
	if (broken.length > 0 || !current) return broken;

	// n8n may keep a route of what it could not publish.
	if (
		receivers.some(({ url }) => url !== FOREIGN_URL && !required.some((each) => productionUrl(each) === url))
	)
		return [];
	const versions = required.map((each) => versionOf(each) ?? each.draft);
	const events = [
		...versions.flatMap((version) => version.events),
		...(isForeignNamed ? FOREIGN_EVENTS : []),
	];
	const seconds = [
		...versions.map(({ timeoutSeconds }) => timeoutSeconds),
		...(isForeignNamed ? [FOREIGN_TIMEOUT_SECONDS] : []),
	];
	if ([...new Set(events)].sort().join() !== [...current.events].sort().join())
		return says(`its events must be ${events.join()}`);
	return current.timeoutSeconds === Math.max(...seconds)
		? []
		: says(`its timeout must be ${Math.max(...seconds)}`);
}

/** Whether another system may be among the receivers. */
function isForeignPossible(last: ForeignChange | undefined, calls: readonly HookCall[]): boolean {
	if (!last) return false;
	return last.does === 'sets' || calls.some((call) => isAround(call, last.at));
}

/** Whether a workflow may have replaced another system. */
function mayBeReplaced({ at }: ForeignChange, calls: readonly HookCall[]): boolean {
	const creates = calls.filter(({ hook, startedAt }) => hook === 'create' && startedAt >= at - LATE_MS);
	return calls.some(
		(call) =>
			isAround(call, at) ||
			(call.startedAt >= at &&
				call.hook === 'create' &&
				call.version.ifWebhookExists === 'replace' &&
				// If publishing fails then, the previous webhook is restored, unless another workflow has joined meanwhile.
				(call.succeeded !== false ||
					!isRestored(call, calls) ||
					creates.some((other) => isJoining(other, call)))),
	);
}

/** "… and the service or n8n's database goes on failing for half a minute: the other system's webhook is not restored." */
const RESTORING_MS = 30_000;

/** Whether what a workflow had replaced is restored after its publication failed, then or when n8n removes it. */
function isRestored(failed: HookCall, calls: readonly HookCall[]): boolean {
	const removal = calls.findLast(
		({ hook, url, startedAt }) => hook === 'delete' && url === failed.url && startedAt >= failed.startedAt,
	);
	const { startedAt, endedAt = Infinity } = failed;
	return removal ? removal.succeeded !== false : endedAt - startedAt < RESTORING_MS;
}

/** Whether another workflow may have joined one whose publication failed. */
function isJoining(other: HookCall, failed: HookCall): boolean {
	const { startedAt, endedAt = startedAt + LATE_MS } = failed;
	return (
		other.workflow !== failed.workflow &&
		other.startedAt <= endedAt + LATE_MS &&
		(other.endedAt ?? Infinity) >= startedAt
	);
}

/** Whether a change of the webhook was under way at a moment. */
function isAround({ startedAt, endedAt = startedAt + LATE_MS }: HookCall, at: number): boolean {
	return startedAt <= at && at <= endedAt;
}

/** When a change of the webhook by n8n ended, and whether its process died in it. */
export function endOf(
	{ process, startedAt, endedAt }: HookCall,
	deaths: readonly Death[],
): { at: number; isDeath: boolean } {
	if (endedAt !== undefined) return { at: endedAt, isDeath: false };
	const death = deaths.find(({ name, at }) => name === process && at >= startedAt);
	return { at: death?.at ?? Infinity, isDeath: death !== undefined };
}

/** Whether the service made a change of the webhook when the process that asked for it had given up or was dead. */
export function isLate({ at, from }: WebhookChange, deaths: readonly Death[]): boolean {
	if (!from) return false;
	return (
		(from.endedAt ?? Infinity) < at || deaths.some((death) => death.name === from.process && death.at <= at)
	);
}

/**
 * Whether the repair need not add a workflow: another n8n counts as another system, whose webhook it changes only with
 * _Share_, but a second workflow joins the first and the system that it shares with.
 */
export function mayStayMissing(
	{ n8nUrl = N8N_URL }: TriggerWorkflow,
	{ ifWebhookExists }: TriggerVersion,
	receivers: readonly Receiver[],
): boolean {
	const isOwn = ({ url }: Receiver) => url.startsWith(`${n8nUrl}/`);
	const [hub] = receivers;
	if (!hub || isOwn(hub) || ifWebhookExists === 'share') return false;
	return ifWebhookExists === 'replace' || !receivers.some(isOwn);
}
