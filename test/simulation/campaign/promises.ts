import { phoneOfChat } from '../../support/service/core/phone';
import { rowAt, type CampaignOutcome } from './campaign';
import type { Judge } from '../chance/histories';
import { overwritten } from '../judges';
import type { TakenRequest } from '../service/service';

/** The request ID in a text, a URL or a name. */
function idIn(text: string): string | undefined {
	return /row \d+/.exec(decodeURIComponent(text))?.[0];
}

/** What the service took for each ID, without the texts that its queue lost. */
function takenById({ service }: CampaignOutcome): Map<string, TakenRequest[]> {
	const taken = new Map<string, TakenRequest[]>();
	for (const one of service.taken) {
		const id = idIn(one.text);
		const isLost = one.kind === 'text' && !service.shown.some((message) => message.taken === one);
		if (id !== undefined && !isLost) taken.set(id, [...(taken.get(id) ?? []), one]);
	}
	return taken;
}

/** "A request whose ID was used before is not made again". */
function sentTwice(outcome: CampaignOutcome): string[] {
	return [...takenById(outcome)]
		.filter(([, { length }]) => length > 1)
		.map(([id, { length }]) => `${id} was taken ${length} times`);
}

/** Each row of the last execution says what became of it, and that is true. */
function falseReports(outcome: CampaignOutcome): string[] {
	const { last, history, service } = outcome;
	if (last.status !== 'success') return [`the last execution ended as ${last.status}`];
	const takenAtAll = new Set(service.taken.map(({ text }) => idIn(text)));
	const onPhone = history.steps.flatMap((step) => (step.do === 'phone' ? [rowAt(history, step.row)] : []));
	return history.rows.flatMap(({ requestId, to }, index) => {
		const reports = last.reports.filter(({ itemIndex }) => itemIndex === index);
		const [report] = reports;
		const name = `${requestId} of ${to}`;
		if (!report || reports.length > 1) return [`${name} has ${reports.length} reports`];
		const { says } = report;
		// "It can therefore be another message with the same text that somebody wrote in these minutes."
		if (says === 'sent' && !takenAtAll.has(requestId) && !onPhone.some((row) => row.requestId === requestId))
			return [`${name} is reported as sent, and was not taken`];
		if (says === 'not sent' || says === 'not known')
			return [`${name} is reported as ${says}, although all is quiet`];
		if (says === 'skipped' && !outcome.optedOut.has(to)) return [`${name} was skipped, and did not opt out`];
		return [];
	});
}

/** A row is uncertain only if something happened that can make it so. */
function unneededDoubts({
	last,
	history,
	executions,
	requestLog,
	hasLostRecords,
}: CampaignOutcome): string[] {
	const wasInterrupted = executions.some(
		({ status, stoppedAt }) => status === 'crashed' || stoppedAt !== undefined,
	);
	if (wasInterrupted || hasLostRecords) return [];
	return last.reports
		.filter(({ says }) => says === 'maybe sent')
		.map(({ itemIndex }) => history.rows[itemIndex]?.requestId as string)
		.filter(
			(id) =>
				!requestLog.some(({ request: { body, from } }) => {
					const isOwn = idIn(JSON.stringify(body)) === id;
					return (
						isOwn &&
						from.wasNeverReady !== true &&
						(from.status === undefined || from.status < 201 || from.status >= 300) &&
						(from.status ?? 500) !== 400 &&
						from.status !== 429
					);
				}),
		)
		.map((id) => `${id} is uncertain, and nothing happened to it`);
}

/**
 * "The node reads the tagged contacts when a run begins, and every five minutes. Who opts out in between, or while a message
 * waits for the rate limit or the queue, can still get it."
 */
function sentToOptedOut({ service, executions, optedOut, history }: CampaignOutcome): string[] {
	return service.taken.flatMap(({ to, from, kind }) => {
		const execution = executions.find(({ id }) => id === from?.execution);
		const since = optedOut.get(phoneOfChat(to));
		if (!execution || since === undefined || kind === 'tag') return [];
		const { settings, takenAt = 0 } = execution;
		const waitsForQueue = history.queueMs > 0 && settings.pauseWhenQueueAbove > 0;
		const isOld = !waitsForQueue && since + MAX_LIST_AGE_MS < (from?.sentAt ?? 0);
		const isKnown = since < takenAt || isOld;
		return settings.skipTags?.length && isKnown
			? [`${to} had opted out, and got a message of execution ${execution.id}`]
			: [];
	});
}

/** Five minutes, and the time that reading the list and waiting for the rate limit can take. A queue can take any time. */
const MAX_LIST_AGE_MS = 15 * 60 * 1000;

const overwrites: Judge<CampaignOutcome> = ({ row }) => overwritten([row]);

/** The promises of "Request IDs" and "Recipients who opted out" in docs/sending.md. */
export const CAMPAIGN_JUDGES = [sentTwice, falseReports, unneededDoubts, sentToOptedOut, overwrites];
