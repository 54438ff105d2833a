import sumBy from 'lodash/sumBy';

import type { SendingOutcome } from './sending';
import type { ItemReport, StoredExecution } from './executions';
import { isSame, reportsIn, slotOf, titleOf, type Family, type Group } from './families';
import type { ShownMessage, SimulatedService } from '../service/service';

/** Two seconds cover that chats show whole seconds, and that the service's clock is known to about a second. */
const CLOCK_TOLERANCE_MS = 2_000;

/**
 * "Or two workers' clocks differ, or the service's, which does not report its time." If its clock is set back meanwhile, an older
 * message can count. They differ by up to 180 seconds here. */
const UNKNOWN_CLOCK_MS = 180_000;

/**
 * A message that was found in the chat must be one of those that were sent. Identical messages, also of several executions, are only
 * counted: nobody can tell which one is missing. The node "can mistake a message with the same text that appears in the same chat in that period for its own: one
 * that another n8n process sent …, one that somebody wrote on the phone, or one that the service delivered twice."
 */
export function falseVerifications({ history, service }: SendingOutcome, families: Family[]): string[] {
	const groups = families.flatMap((family) => family.groups.filter(({ kind }) => kind === 'text'));
	const broken: string[] = [];
	const counts: Array<{ group: Group; missing: number; isVerified: boolean }> = [];
	/** By the ID of the message: the items that it was taken for. */
	const claimed = new Map<string, string>();
	const { hasDate, steps, deployment } = history;
	const isClockSteady = hasDate && deployment.clockStepMs === 0 && !steps.some((step) => step.do === 'clock');
	if (isClockSteady) broken.push(...falseIds(service, groups));
	const tolerance = CLOCK_TOLERANCE_MS + (isClockSteady ? 0 : UNKNOWN_CLOCK_MS);
	for (const group of groups) {
		const startedAt = (group.family[0] as StoredExecution).startedAt - tolerance;
		const latest = new Map<string, { report: ItemReport; execution: StoredExecution }>();
		/** A retry knows that an item was sent from an earlier one that verified it, also if it could not be asked in between. */
		const verified = new Map(latest);
		const reports = group.family
			.flatMap((execution) => reportsIn(execution, group).map((report) => ({ report, execution })))
			.sort((one, other) => one.report.at - other.report.at);
		for (const { report, execution } of reports) {
			const slot = slotOf(execution.settings, report);
			// A later try repeats what the one before it has verified.
			const isRepeated = verified.get(slot)?.report.verifiedId === report.verifiedId;
			if (report.verifiedId !== undefined && !isRepeated) verified.set(slot, { report, execution });
			const known = report.says === 'sent' ? verified.get(slot) : undefined;
			latest.set(slot, known ?? { report, execution });
		}
		let sent = 0;
		for (const [slot, { report, execution }] of latest) {
			const { says, verifiedId, at } = report;
			if (says === 'sent') sent++;
			if (verifiedId === undefined) continue;
			const item = `${titleOf(group)}, item ${slot}`;
			const message = service.shown.find(({ id }) => id === verifiedId);
			if (!message || !isSame(message, group))
				broken.push(`${item} was verified as ${verifiedId}, another message`);
			const isForeign = (one: ShownMessage) => isSame(one, group) && !isKnownTo(execution, one);
			const isInPeriod = (one: ShownMessage) => one.at >= startedAt && one.at <= at;
			const isOwn = message?.taken !== undefined && group.taken.includes(message.taken);
			const isMistaken = !isOwn && message !== undefined && isForeign(message) && !isInPeriod(message);
			if (isMistaken) broken.push(`${item} was verified as ${verifiedId}, which is not from that time`);
			// "… or waited at the service while somebody wrote the same text"
			const hasWaited = service.shown.some(
				(one) => isSame(one, group) && isInPeriod(one) && Number(one.taken?.from?.sentAt) < startedAt,
			);
			const isMistakable = (one: ShownMessage) => isInPeriod(one) || (hasWaited && one.at <= at);
			if (service.shown.some((one) => isForeign(one) && isMistakable(one))) {
				sent--;
				continue;
			}
			const other = claimed.get(verifiedId);
			if (other !== undefined && other !== item)
				broken.push(`${verifiedId} is taken for ${item} and for ${other}`);
			claimed.set(verifiedId, item);
		}
		counts.push({ group, missing: sent - group.taken.length, isVerified: verified.size > 0 });
	}
	for (const { group, missing, isVerified } of counts) {
		const identical = counts.filter((one) => (isVerified ? isSame(one.group, group) : one.group === group));
		if (missing > 0 && sumBy(identical, 'missing') > 0)
			broken.push(`${titleOf(group)}: ${missing} more are reported as sent, but were not taken`);
	}
	return broken;
}

/** "With _Find Message ID_, … `message_id` if exactly one message can be its own." The exceptions are those of `verified`. */
function falseIds(service: SimulatedService, groups: readonly Group[]): string[] {
	return groups.flatMap((group) => {
		const reports = group.family.flatMap((execution) =>
			reportsIn(execution, group).map((report) => ({ ...report, execution })),
		);
		return reports.flatMap(({ messageId, verifiedId, at, execution }) => {
			// Which message a verified text may have is judged with `verified`.
			if (messageId === undefined || messageId === verifiedId) return [];
			const { taken } = service.shown.find(({ id }) => id === messageId) ?? {};
			const isForeign = (one: ShownMessage) =>
				isSame(one, group) && one.at <= at && !isKnownTo(execution, one);
			if ((taken && group.taken.includes(taken)) || service.shown.some(isForeign)) return [];
			return [`${titleOf(group)} has the ID ${messageId}, of another message`];
		});
	});
}

/** Whether an execution can know for whom a message was sent: its process sent it. */
function isKnownTo({ process }: StoredExecution, { taken }: ShownMessage): boolean {
	return taken?.from !== undefined && taken.from.process === process;
}
