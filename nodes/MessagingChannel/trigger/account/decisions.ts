import type { Subscriber } from '../../webhook/subscribers';

/*
 * What a trigger does about the webhook of its account, in which situation. Each function is a table, which
 * test/unit/trigger/account/decisions.test.ts lists. The hub is the trigger that the service calls.
 */

/** What to do if the webhook points elsewhere. */
export type IfWebhookExists = 'fail' | 'replace' | 'share';

/**
 * What the hub responds to a trigger that is to join:
 * - `reached`: it can forward events to the trigger, and both have the same secret
 * - `unproven`: the same, but the service has not shown yet that this secret is right
 * - `unreachable`: it cannot call the URL of the trigger
 * - `otherSecret`: its secret is a different one
 * - `dead`: no workflow listens there, as n8n itself says
 * - `absent`: it responds 404, which another system can do, too
 * - `noTrigger`: something else is there
 * - `noResponse`: nothing responds
 */
export type ProbeResult =
	'reached' | 'unproven' | 'unreachable' | 'otherSecret' | 'dead' | 'absent' | 'noTrigger' | 'noResponse';

/** The webhook belongs to somebody else: another system, or another n8n. */
export function withForeignWebhook(choice: IfWebhookExists): 'share' | 'replace' | 'refuse' {
	return choice === 'fail' ? 'refuse' : choice;
}

/** Who has the webhook when a trigger is published or tested. */
export interface PublicationSituation {
	choice: IfWebhookExists;
	/** Whether there is a hub of this n8n, of another one, or none. */
	hub: 'own' | 'foreign' | 'none';
	/** Whether other triggers of this n8n are on the list. */
	hasSiblings: boolean;
	/** Whether another system is on the list or has the webhook. */
	hasOtherSystem: boolean;
	/** Whether this n8n made the list, or somebody with the same secret. */
	isTrusted: boolean;
	isSigned: boolean;
	isTest: boolean;
}

/** A trigger is published or tested: it joins the receivers, asks the hub before, or meets a foreign webhook. */
export function atPublication(situation: PublicationSituation): 'join' | 'askHub' | 'foreign' {
	const { choice, hub, hasSiblings, hasOtherSystem, isTrusted, isSigned, isTest } = situation;
	if (hub === 'none') return hasOtherSystem && !isTrusted ? 'foreign' : 'join';
	const isShared = choice === 'share' || (choice === 'fail' && hasSiblings);
	if (hub === 'foreign' && !isShared) return 'foreign';
	// What a test responds decides nothing, so it need not be reached.
	return isTest && isSigned ? 'join' : 'askHub';
}

/** What is known of a hub besides its response. */
export interface HubSituation {
	/** Whether its URL is that of a trigger of this n8n. */
	isOwn: boolean;
	/** Whether the URL of the webhook holds a list, which only triggers put there. */
	isList: boolean;
	isSigned: boolean;
	/** Whether its URL looks like one of n8n. */
	looksLikeN8n: boolean;
}

/** The hub was asked to reach a trigger that is to join. */
export function afterProbe(
	result: ProbeResult,
	{ isOwn, isList, isSigned, looksLikeN8n }: HubSituation,
): 'join' | 'refuse' | 'leaveOutHub' | 'hubIsOtherSystem' {
	if (result === 'reached' || result === 'unproven') return 'join';
	if (result === 'unreachable' || result === 'otherSecret') return 'refuse';
	const isAbsent = result === 'absent' || result === 'dead';
	// Without a list, another system may be there, which is down.
	if (isAbsent && (isList || (isOwn && result === 'dead'))) return 'leaveOutHub';
	// It is a trigger all the same: a proxy responds, or an n8n that starts. Another n8n may be down.
	const isTrigger = (isOwn && !isAbsent) || isSigned || (result === 'noResponse' && looksLikeN8n);
	return isTrigger ? 'refuse' : 'hubIsOtherSystem';
}

/** What n8n finds when it starts. */
export interface StartupSituation {
	choice: IfWebhookExists;
	/** Undefined if the account has no webhook. */
	hubKind: Subscriber['kind'] | undefined;
	isListed: boolean;
	hasSiblings: boolean;
	isSigned: boolean;
	/** Whether the hub is a trigger that this process has just started, and registered alone. */
	hasJustStarted: boolean;
}

/** n8n starts. Others may not respond yet, so none is asked; `wait` leaves it to the repair. */
export function atStartup(situation: StartupSituation): 'join' | 'wait' | 'refuse' {
	const { choice, hubKind, isListed, hasSiblings, isSigned, hasJustStarted } = situation;
	if (hubKind === undefined || isListed) return 'join';
	if (!hasSiblings && choice !== 'share') return 'refuse';
	// To join a trigger that registered alone cannot wait: the others would miss events.
	return isSigned || hubKind === 'external' || hasJustStarted ? 'join' : 'wait';
}

/** What a check of the webhook has shown. */
export interface CheckSituation {
	isHub: boolean;
	isSigned: boolean;
	/** Whether another trigger has another secret, and this one has verified no event lately. */
	isInDoubt: boolean;
	isReceiverGone: boolean;
	isHubSilent: boolean;
	/** Whether the trigger is on the list as it should be, and the service has what all receivers need. */
	isInOrder: boolean;
}

/** A published trigger checks the webhook. */
export function atCheck(situation: CheckSituation): 'leave' | 'repair' {
	const { isHub, isSigned, isInDoubt, isReceiverGone, isHubSilent, isInOrder } = situation;
	// Two triggers with different secrets would sign the list in turns.
	if (isInDoubt && isHub && !isSigned) return 'leave';
	return isReceiverGone || isHubSilent || !isInOrder ? 'repair' : 'leave';
}

/** What a repair finds, without the receivers that are gone. */
export interface RepairSituation {
	choice: IfWebhookExists;
	/** Whether n8n has ended the trigger meanwhile. */
	isEnded: boolean;
	isListed: boolean;
	isHubSilent: boolean;
}

/** A published trigger repairs the webhook. `join` is that of a publication, and never replaces anything. */
export function atRepair(situation: RepairSituation): 'giveUp' | 'becomeHub' | 'keepList' | 'join' {
	const { choice, isEnded, isListed, isHubSilent } = situation;
	if (isEnded) return 'giveUp';
	// Without a hub that responds, nobody gets events.
	if (isHubSilent && (isListed || choice === 'share')) return 'becomeHub';
	return isListed ? 'keepList' : 'join';
}

/** What a trigger leaves behind when it ends or its publication fails. */
export interface EndSituation {
	/** Whether it is among the receivers. */
	isListed: boolean;
	/** Whether a webhook is known that its activation replaced, and all others that are left were on it. */
	canRestore: boolean;
}

/** A trigger ends, or its publication fails. */
export function atEnd({ isListed, canRestore }: EndSituation): 'leave' | 'restore' | 'removeItself' {
	if (!isListed) return 'leave';
	return canRestore ? 'restore' : 'removeItself';
}
