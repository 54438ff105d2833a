import type { Judge } from '../chance/histories';
import type { RequestEvent } from '../service/http';
import { endless, leaks } from '../judges';
import type { SendingOutcome } from './sending';
import { lastOfEach } from './instance';
import { takenAs, type StoredExecution } from './executions';
import {
	familiesOf,
	isSame,
	placed,
	reportsIn,
	sentAtOf,
	slotOf,
	titleOf,
	type Family,
	type Group,
} from './families';
import { REQUEST_JUDGES } from './requestPromises';
import { askedIn, type TakenRequest } from '../service/service';
import { falseVerifications } from './verificationPromises';

/** The promises about executions with their retries. */
function brokenInFamilies(outcome: SendingOutcome): string[] {
	const families = familiesOf(outcome);
	const ofGroup = (group: Group) =>
		[sentTwice, falseReports, falseDoubts].flatMap((judge) => judge(outcome, group));
	return [
		...families.flatMap((family) => [...family.groups.flatMap(ofGroup), ...missingReports(family)]),
		...falseVerifications(outcome, families),
	];
}

function overlap(one: StoredExecution, other: StoredExecution): boolean {
	const endOf = ({ endedAt = Infinity }: StoredExecution) => endedAt;
	return one !== other && one.startedAt <= endOf(other) && other.startedAt <= endOf(one);
}

/** "n8n is killed during a run that is not a retry. The execution's data of that run is lost." */
const wasCutOff = ({ status, mode }: StoredExecution): boolean => status === 'crashed' && mode === 'trigger';

const executionOf = ({ family }: Group, { from }: TakenRequest) =>
	family.find(({ id }) => id === from?.execution) as StoredExecution;

function sentTwice(_: SendingOutcome, group: Group): string[] {
	const { family, kind, taken, wanted } = group;
	const counted = taken.filter((_, index) => {
		const earlier = taken.slice(0, index);
		// "The creation of a record other than a message … was not confirmed. The next run creates it again."
		const isUnconfirmed = kind === 'tag' && earlier.some(({ from }) => from?.status !== 201);
		return !isUnconfirmed;
	});
	const isLost = (one: TakenRequest) => wasCutOff(executionOf(group, one));
	const lost = family.map(({ id }) => counted.filter((one) => one.from?.execution === id && isLost(one)));
	return [...lost, counted.filter((one) => !isLost(one))]
		.filter(({ length }) => length > wanted)
		.map(({ length }) => `${titleOf(group)} was taken ${length} times, of ${family.length} executions`);
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
			// An agent's next call begins when the one before it has failed, and says nothing when the user stops it.
			const isNextCall = (one: TakenRequest) =>
				execution.settings.isTool && execution.stoppedAt !== undefined && sentAtOf(one) === at;
			const sent = taken.filter(
				(one) =>
					sentAtOf(one) <= at &&
					!isNextCall(one) &&
					!wasCutOff(executionOf(group, one)) &&
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

/** "Requests to one recipient … run one after the other, in the order of the items." */
const wrongOrder: Judge<SendingOutcome> = (outcome) =>
	outcome.executions.flatMap((execution) => wrongOrderIn(outcome, execution));

function wrongOrderIn({ service }: SendingOutcome, { id, runs, settings }: StoredExecution): string[] {
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

function neverDone({ executions, service }: SendingOutcome): string[] {
	const broken = endless(executions);
	for (const { id, stoppedAt = Infinity, endedAt, settings } of executions) {
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

const leakedKeys: Judge<SendingOutcome> = ({ executions, log }) => leaks([...log, ...executions]);

/** The promises of docs/sending.md. */
export const SENDING_JUDGES = [brokenInFamilies, wrongOrder, ...REQUEST_JUDGES, neverDone, leakedKeys];
