import type { RequestEvent } from './http';
import { API_KEY } from './network';
import { brokenRequestPromises } from './sendingRequestPromises';
import { lastOfEach, type SendingOutcome } from './sending';
import { takenAs, type ItemReport, type StoredExecution, type WantedSend } from './sendingProcess';
import { askedIn, type ShownMessage, type TakenRequest } from './service';

/**
 * What is wrong with the way in which a history ended; nothing when every promise of docs/sending.md was kept. The judge
 * reads the log of the service and what n8n shows to its user, and knows nothing of how the package works.
 */
export function brokenPromises(outcome: SendingOutcome): string[] {
	const families = familiesOf(outcome);
	return [
		...new Set([
			...families.flatMap(({ groups }) => groups.flatMap((group) => sentTwice(outcome, group))),
			...families.flatMap(({ groups }) => groups.flatMap((group) => falseReports(outcome, group))),
			...families.flatMap(({ groups }) => groups.flatMap((group) => falseDoubts(outcome, group))),
			...families.flatMap((family) => missingReports(family)),
			...falseVerifications(outcome, families),
			...outcome.executions.flatMap((execution) => wrongOrder(outcome, execution)),
			...brokenRequestPromises(outcome),
			...endless(outcome),
			...leakedKeys(outcome),
		]),
	];
}

/** An execution with all of its retries. */
interface Family {
	executions: StoredExecution[];
	groups: Group[];
}

/** The items of a family that ask for the same, which nobody can tell apart, and what the service took for them. */
interface Group {
	family: StoredExecution[];
	kind: TakenRequest['kind'];
	to: string;
	text: string;
	/** How often it is wanted. An agent gets each message once, however often it asks for it. */
	wanted: number;
	/** In the order in which they were sent. */
	taken: TakenRequest[];
}

function familiesOf({ executions, service }: SendingOutcome): Family[] {
	return [...new Set(executions.map(({ origin }) => origin))].map((origin) => {
		const family = executions.filter((execution) => execution.origin === origin);
		const [{ settings }] = family as [StoredExecution];
		const ids = new Set(family.map(({ id }) => id));
		const sent = service.taken
			.filter(({ from }) => ids.has(from?.execution ?? ''))
			.sort((one, other) => sentAtOf(one) - sentAtOf(other));
		const groups = new Map<string, Group>();
		/** The places of the items that ask for the same. The user may have corrected the recipients of a retry. */
		const places = new Set<string>();
		for (const items of new Set(family.map((execution) => execution.runs))) {
			for (const [place, item] of placed(items)) {
				const { to, text } = takenAs(settings.kind, item);
				const key = JSON.stringify([to, text]);
				const known = groups.get(key);
				if (known && !settings.isTool && !places.has(`${place} ${key}`)) known.wanted++;
				places.add(`${place} ${key}`);
				if (known) continue;
				const taken = sent.filter(({ kind, ...one }) => kind === settings.kind && isSame(one, { to, text }));
				groups.set(key, { family, kind: settings.kind, to, text, wanted: 1, taken });
			}
		}
		return { executions: family, groups: [...groups.values()] };
	});
}

const placed = (runs: StoredExecution['runs']) =>
	runs.flatMap((items, run) => items.map((item, index) => [`${run}.${index}`, item] as const));

const sentAtOf = ({ from }: TakenRequest) => from?.sentAt ?? 0;

const isSame = (one: WantedSend, other: WantedSend) => one.to === other.to && one.text === other.text;

const titleOf = ({ kind, to, text, family: [first] }: Group) =>
	`${kind} '${text}' to ${to} of execution ${first?.id}`;

function overlap(one: StoredExecution, other: StoredExecution): boolean {
	const endOf = ({ endedAt = Infinity }: StoredExecution) => endedAt;
	return one !== other && one.startedAt <= endOf(other) && other.startedAt <= endOf(one);
}

/**
 * "n8n is killed during a run that is not a retry. The execution's data of that run is lost." And: "n8n is killed during a
 * retry, before the check of its records, and another process has overwritten them."
 */
function wasCutOff(execution: StoredExecution, all: StoredExecution[]): boolean {
	const others = all.filter(({ mode, process }) => mode === 'retry' && process !== execution.process);
	const mayBeOverwritten = others.some((other) => overlap(execution, other));
	return execution.status === 'crashed' && (execution.mode === 'trigger' || mayBeOverwritten);
}

/** "Two retries of one execution run at the same time in two n8n processes. Each can miss or remove what the other has recorded." */
function areParallelRetries(one: StoredExecution, other: StoredExecution): boolean {
	const areRetries = one.mode === 'retry' && other.mode === 'retry';
	return areRetries && one.process !== other.process && overlap(one, other);
}

/** Whether later retries may not know of a request, because of two retries at the same time. */
const mayBeUnknown = (group: Group, taken: TakenRequest) =>
	group.family.some((retry) => areParallelRetries(retry, executionOf(group, taken)));

const executionOf = ({ family }: Group, { from }: TakenRequest) =>
	family.find(({ id }) => id === from?.execution) as StoredExecution;

function sentTwice({ executions }: SendingOutcome, group: Group): string[] {
	const { family, kind, taken, wanted } = group;
	const counted = taken.filter((_, index) => {
		const earlier = taken.slice(0, index);
		const isParallel = earlier.some((other) => mayBeUnknown(group, other));
		// "The creation of a record other than a message … was not confirmed. The next run creates it again."
		const isUnconfirmed = kind === 'tag' && earlier.some(({ from }) => from?.status !== 201);
		return !isParallel && !isUnconfirmed;
	});
	const isLost = (one: TakenRequest) => wasCutOff(executionOf(group, one), executions);
	const lost = family.map(({ id }) => counted.filter((one) => one.from?.execution === id && isLost(one)));
	return [...lost, counted.filter((one) => !isLost(one))]
		.filter(({ length }) => length > wanted)
		.map(({ length }) => `${titleOf(group)} was taken ${length} times, of ${family.length} executions`);
}

/** An item of the execution; all calls of a tool with one message are the same. */
function slotOf({ isTool }: StoredExecution['settings'], { run, itemIndex }: ItemReport): string {
	return isTool ? 'of the tool' : `${run}.${itemIndex}`;
}

/** The latest report about each item that asks for what the group wants. */
function reportsIn({ settings, runs, reports }: StoredExecution, { to, text }: Group): ItemReport[] {
	const bySlot = new Map<string, ItemReport>();
	for (const report of reports) {
		const item = runs[report.run]?.[report.itemIndex];
		if (!item || !isSame(takenAs(settings.kind, item), { to, text })) continue;
		bySlot.set(slotOf(settings, report), report);
	}
	return [...bySlot.values()];
}

function falseReports({ executions }: SendingOutcome, group: Group): string[] {
	const { family, kind, taken, wanted } = group;
	const verified = new Set(
		family.flatMap((execution) =>
			reportsIn(execution, group)
				.filter(({ verifiedId }) => verifiedId !== undefined)
				.map((report) => slotOf(execution.settings, report)),
		),
	);
	return family.flatMap((execution) => {
		const reports = reportsIn(execution, group);
		// What another execution sends meanwhile is not for this one to say.
		const parallel = executions.filter((other) => overlap(execution, other)).map(({ id }) => id);
		const failed = reports.filter(({ says }) => says === 'not sent');
		const wronglyFailed = failed.filter(({ at }) => {
			const sent = taken.filter(
				(one) =>
					sentAtOf(one) <= at &&
					!wasCutOff(executionOf(group, one), executions) &&
					!mayBeUnknown(group, one) &&
					!parallel.includes(one.from?.execution ?? ''),
			);
			// That a tag was created is not promised to be known.
			return kind !== 'tag' && sent.length > wanted - failed.filter((other) => other.at >= at).length;
		});
		// Whether the chat was read right is judged elsewhere; a later retry only says that it was sent.
		const isSent = reports.filter(
			(report) => report.says === 'sent' && !verified.has(slotOf(execution.settings, report)),
		);
		return [
			...wronglyFailed.map(
				() => `${titleOf(group)} was sent, but execution ${execution.id} says that it was not`,
			),
			...(Math.min(isSent.length, wanted) > taken.length
				? [
						`${titleOf(group)} is reported as sent by execution ${execution.id}, but was taken ${taken.length} times`,
					]
				: []),
		];
	});
}

/** An execution does not succeed before each item has its output, in this execution or an earlier one. */
function missingReports({ executions }: Family): string[] {
	const last = executions.at(-1) as StoredExecution;
	// An agent may leave a message out.
	if (last.status !== 'success' || last.settings.isTool) return [];
	const reported = new Set(
		executions.flatMap(({ reports }) => reports.map(({ run, itemIndex }) => `${run}.${itemIndex}`)),
	);
	return placed(last.runs)
		.filter(([place]) => !reported.has(place))
		.map(([place]) => `execution ${last.id} says nothing about item ${place}`);
}

/** "After a 5xx, or a timeout or break of a connection that was ready, the message may or may not have been sent." */
function mayBeTaken({ from }: RequestEvent['request'], at: number): boolean {
	const { endedAt = Infinity, status, wasNeverReady } = from;
	if (endedAt > at) return true;
	// A web page in the place of the response says nothing either.
	return status === undefined ? !wasNeverReady : status >= 500 || [200, 302, 303].includes(status);
}

/** A message is not called uncertain when it certainly was not sent: "a later attempt sends it". */
function falseDoubts({ requestLog, hasLostRecords, executions }: SendingOutcome, group: Group): string[] {
	const { family, kind, to, text } = group;
	return family.flatMap((execution) => {
		// An agent may ask for a message again before the first attempt.
		if (execution.settings.isTool) return [];
		const doubts = reportsIn(execution, group).filter(({ says }) => says === 'maybe sent');
		if (doubts.length === 0) return [];
		// "If the database did not store how a send of a retry ended, the next retry reports it as ambiguous."
		const mayBeLost =
			hasLostRecords ||
			family.some(({ status, mode, stoppedAt }) => status === 'crashed' || (mode === 'retry' && stoppedAt)) ||
			executions.some((other) => other.mode === 'retry' && overlap(execution, other));
		if (execution.mode === 'retry' && mayBeLost) return [];
		const ids = new Set(family.map(({ id }) => id));
		const attempts = requestLog
			.filter(({ event, request }) => event === 'sent' && ids.has(request.from.execution))
			.map(({ request }) => ({ request, asked: askedIn(request) }))
			.filter(({ asked }) => asked?.kind === kind && isSame(asked, { to, text }));
		return doubts
			.filter(({ at }) => !attempts.some(({ request }) => mayBeTaken(request, at)))
			.map(
				() => `${titleOf(group)} was certainly not sent, and execution ${execution.id} says that it may be`,
			);
	});
}

/** Two seconds cover that chats show whole seconds, and that the service's clock is known to about a second. */
const CLOCK_TOLERANCE_MS = 2_000;

/**
 * "If the service does not send a `Date` header, the clocks must agree. If its clock is set back meanwhile, an older message
 * can count." They differ by up to 180 seconds here. */
const UNKNOWN_CLOCK_MS = 180_000;

/**
 * A message that was found in the chat must be one of those that were sent. Identical messages of this process are only
 * counted. The node "can mistake a message with the same text that appears in the same chat in that period for its own: one
 * that another n8n process sent …, one that somebody wrote on the phone, or one that the service delivered twice."
 */
function falseVerifications({ history, service }: SendingOutcome, families: Family[]): string[] {
	const groups = families.flatMap((family) => family.groups.filter(({ kind }) => kind === 'text'));
	const broken: string[] = [];
	/** By the ID of the message: the items that it was taken for. */
	const claimed = new Map<string, string>();
	const isClockSteady = history.hasDate && !history.steps.some((step) => step.do === 'clock');
	const tolerance = CLOCK_TOLERANCE_MS + (isClockSteady ? 0 : UNKNOWN_CLOCK_MS);
	for (const group of groups) {
		const startedAt = (group.family[0] as StoredExecution).startedAt - tolerance;
		const latest = new Map<string, { report: ItemReport; execution: StoredExecution }>();
		for (const execution of group.family) {
			for (const report of reportsIn(execution, group)) {
				const slot = slotOf(execution.settings, report);
				const before = latest.get(slot);
				const isKnown = report.says === 'sent' && before?.report.verifiedId !== undefined;
				latest.set(slot, isKnown ? before : { report, execution });
			}
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
			const isForeign = (one: ShownMessage) => isSame(one, group) && !isKnownTo(group, execution, one);
			const isInPeriod = (one: ShownMessage) => one.at >= startedAt && one.at <= at;
			const isOwn = message?.taken !== undefined && group.taken.includes(message.taken);
			const isMistaken = !isOwn && message !== undefined && isForeign(message) && !isInPeriod(message);
			if (isMistaken) broken.push(`${item} was verified as ${verifiedId}, which is not from that time`);
			if (service.shown.some((one) => isForeign(one) && isInPeriod(one))) {
				sent--;
				continue;
			}
			const other = claimed.get(verifiedId);
			if (other !== undefined && other !== item)
				broken.push(`${verifiedId} is taken for ${item} and for ${other}`);
			claimed.set(verifiedId, item);
		}
		if (sent > group.taken.length)
			broken.push(`${titleOf(group)}: ${sent} are reported as sent, but ${group.taken.length} were taken`);
	}
	return broken;
}

/** Whether an execution can know for whom a message was sent: its process sent it, or its data tells. */
function isKnownTo(
	{ family }: Group,
	{ process, runs, retryOf }: StoredExecution,
	{ taken }: ShownMessage,
): boolean {
	if (taken?.from === undefined) return false;
	const { from } = taken;
	if (from.process === process) return true;
	const earlierThan = (last?: string) => family.find(({ id }) => id === last);
	let ancestor = earlierThan(retryOf);
	while (ancestor && ancestor.id !== from.execution) ancestor = earlierThan(ancestor.retryOf);
	// The data of a killed execution is lost, and that of an earlier pass of a loop is not kept.
	return ancestor !== undefined && ancestor.status !== 'crashed' && runs.length === 1;
}

/** "Requests to one recipient … run one after the other, in the order of the items." */
function wrongOrder({ service }: SendingOutcome, { id, runs, settings }: StoredExecution): string[] {
	if (settings.isTool) return [];
	const broken: string[] = [];
	const own = service.taken.filter(({ from }) => from?.execution === id);
	for (const to of new Set(own.map((one) => one.to))) {
		const sent = own.filter((one) => one.to === to).sort((one, other) => sentAtOf(one) - sentAtOf(other));
		const wanted = runs.flat().map((item) => takenAs(settings.kind, item));
		const places = sent.map((one) => wanted.findIndex((item) => isSame(item, one)));
		for (const [index, one] of sent.entries()) {
			const before = sent[index - 1];
			if (!before) continue;
			if ((before.from?.endedAt ?? Infinity) > sentAtOf(one)) {
				broken.push(`execution ${id} sent '${one.text}' before '${before.text}' was over`);
			}
			const isUnique = [one, before].every(
				(each) => wanted.filter((item) => isSame(item, each)).length === 1,
			);
			const isLater = (places[index] ?? 0) > (places[index - 1] ?? 0);
			// Another try of Retry On Fail begins with the first item again.
			if (isUnique && !isLater && settings.tries === 1) {
				broken.push(`execution ${id} sent '${one.text}' after '${before.text}'`);
			}
		}
	}
	return broken;
}

/** How long an execution may take to end after it was stopped: n8n's waits between tries, and its database. */
const STOP_MS = 60_000;

function endless({ executions, service }: SendingOutcome): string[] {
	const broken: string[] = [];
	for (const { id, status, stoppedAt = Infinity, endedAt, settings } of executions) {
		if (['queued', 'running'].includes(status)) broken.push(`execution ${id} never ends: ${status}`);
		const untilEnd = (endedAt ?? 0) - stoppedAt;
		if (untilEnd > STOP_MS + settings.tries * 1_000) {
			broken.push(`execution ${id} was stopped, and ended ${untilEnd} ms later`);
		}
		if (service.counted.some(({ from }) => from?.execution === id && from.sentAt > stoppedAt)) {
			broken.push(`execution ${id} made a request after it was stopped`);
		}
	}
	for (const { id, status, settings, reports, runs, nextRun } of lastOfEach(executions)) {
		const isUncertain = reports.some(({ says }) => says === 'maybe sent');
		// An agent may fail whatever the node does, and without enough time an item may fail because of other processes.
		const isJudged = !settings.isTool && settings.maxRateLimitWait === 300;
		const hasFailed = isJudged && status !== 'success' && !isUncertain;
		if (hasFailed)
			broken.push(
				`execution ${id} does not succeed when all is quiet: ${status}, run ${nextRun} of ${runs.length}`,
			);
	}
	return broken;
}

function leakedKeys({ executions, log }: SendingOutcome): string[] {
	return [...log, ...executions.map((execution) => JSON.stringify(execution))]
		.filter((text) => text.includes(API_KEY))
		.map((text) => `the API key is in: ${text.slice(0, 300)}`);
}
