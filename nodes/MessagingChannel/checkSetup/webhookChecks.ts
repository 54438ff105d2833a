import sortBy from 'lodash/sortBy';

import { TOLERANCE_MS } from '../api/timestampTolerance';
import { reachabilityProblem } from '../trigger/activation/reachability';
import type { ToldFetch } from '../trigger/delivery/status';
import { WRONG_SIGNATURE } from '../trigger/delivery/verify';
import { shownUrl } from '../webhook/sharedUrl';
import { statusOf } from './askTrigger';
import type { Facts } from './facts';
import { failed, judge, NOT_TRIED, valueOf } from './read';
import type { AskedReceiver } from './receivers';
import { ok, problem, unknown, warning, type Verdict } from './row';

const NO_WEBHOOK = unknown('The account has no webhook with a receiver.');
const NO_WORKFLOW = unknown('The webhook belongs to no published workflow, and only that would tell.');
const NO_SECRET = unknown(
	"The credential has no 'Signing Secret', so the trigger would not answer.",
	"For the trigger, enter the 'Signing Secret' in the credential.",
);
const REPUBLISH = 'Publish the workflow with the Messaging Channel Trigger again.';
const SHARE =
	"To receive them here as well, publish a workflow whose trigger has 'If Webhook Exists' set to 'Share'.";
const PUBLISH = 'Publish a workflow with the Messaging Channel Trigger, if n8n is to receive events.';

/** Judges the hub, which the service calls. Without an answer to judge, the check is unknown. */
function judgeHub(
	{ webhook, receivers: [hub], hasSecret }: Facts,
	onAnswer: (answer: NonNullable<AskedReceiver['answer']>, url: string) => Verdict,
): Verdict {
	return judge(webhook, () => {
		if (!hub) return NO_WEBHOOK;
		if (hub.subscriber.kind !== 'workflow') return NO_WORKFLOW;
		if (!hasSecret || !hub.answer) return NO_SECRET;
		return onAnswer(hub.answer, shownUrl(hub.subscriber.url));
	});
}

/** Whether a trigger of this process fetches messages, so that it needs no webhook. */
const isPolled = ({ ownFetches }: Facts) => ownFetches.some(({ isPolling }) => isPolling);

/** Where the account's webhook points. */
export function webhook(facts: Facts): Verdict {
	return judge(facts.webhook, ({ registered, subscribers }) => {
		if (!registered)
			return isPolled(facts)
				? ok('The account has no webhook. A workflow polls instead.')
				: warning('The account has no webhook, so nobody receives its events.', PUBLISH);
		const { url, events } = registered;
		if (subscribers.length === 0)
			return warning(
				`It points to ${shownUrl(url)}, where a test has ended, so nobody receives its events.`,
				PUBLISH,
			);
		const lacking = new Set(
			subscribers.flatMap((each) => each.events).filter((each) => !events.includes(each)),
		);
		const begin = `It points to ${shownUrl(url)}, `;
		if (events.length === 0) return problem(`${begin}but gets no events.`, REPUBLISH);
		if (lacking.size > 0) return problem(`${begin}but lacks ${[...lacking].join(', ')}.`, REPUBLISH);
		return ok(`${begin}for ${events.join(', ')}.`);
	});
}

/** Which workflows and other systems are on it. */
export function receivers(facts: Facts): Verdict {
	const { webhook: read, receivers: all } = facts;
	return judge(read, () => {
		if (all.length === 0) return NO_WEBHOOK;
		const detail = `${all.map(nameOf).join('; ')}.`;
		if (all.every(({ subscriber }) => subscriber.kind === 'external'))
			return isPolled(facts)
				? ok(`A workflow polls, and the events go to ${detail}`)
				: warning(`No workflow receives the events: they go to ${detail}`, SHARE);
		if (all.some(isAbsent))
			return warning(
				all.some(({ answer }) => statusOf(answer))
					? `${detail} A trigger repairs the list within some minutes.`
					: detail,
				'If a workflow of the list is still published, publish it again.',
			);
		return ok(detail);
	});
}

function nameOf(receiver: AskedReceiver): string {
	const { url, kind } = receiver.subscriber;
	if (kind === 'external') return `another system at ${shownUrl(url)}`;
	if (kind === 'test') return 'a test in the editor';
	const workflow = statusOf(receiver.answer)?.workflow;
	if (workflow !== undefined) return `workflow '${workflow}'`;
	return `a workflow at ${shownUrl(url)}${isAbsent(receiver) ? ', where nothing listens' : ''}`;
}

function isAbsent({ answer }: AskedReceiver): boolean {
	return typeof answer === 'object' && 'statusCode' in answer && answer.statusCode === 404;
}

/** Whether the service can reach the URL, as far as that shows. */
export function webhookUrl(facts: Facts): Verdict {
	const {
		webhook: read,
		receivers: [hub],
		webhooksUrl,
		baseUrl,
	} = facts;
	return judge(read, () => {
		if (!hub && isPolled(facts)) return NO_WEBHOOK;
		if (hub?.subscriber.kind === 'external') return NO_WORKFLOW;
		const url = hub ? shownUrl(hub.subscriber.url) : webhooksUrl;
		const found = reachabilityProblem(url, baseUrl);
		if (found === undefined) return ok(`${url} looks as if the service can reach it.`);
		return (hub ? problem : warning)(
			`${url} ${found}.`,
			"Set n8n's environment variable N8N_WEBHOOK_URL (WEBHOOK_URL in older versions of n8n) to the public https URL of n8n, restart n8n, and publish the workflow again. Or set 'Listen By' of the trigger to 'Polling'.",
		);
	});
}

/** Whether n8n answers at its own address, with what is between. */
export function n8nAddress(facts: Facts): Verdict {
	return judgeHub(facts, (answer, url) => {
		if (answer === 'noResponse')
			return warning(
				`${url} did not answer from here.`,
				'If no events arrive either, check the address, its certificate and the proxy in front of n8n. Some networks do not reach their own public address.',
			);
		if ('status' in answer)
			return ok(
				`The trigger answered at ${url}, ${answer.status.isProxied ? 'through a proxy' : 'without a proxy'}.`,
			);
		const { statusCode, isFromTrigger } = answer;
		if (isFromTrigger)
			return statusCode >= 500
				? problem(
						`The trigger answered at ${url}, but could not read its credential.`,
						'Run again. If it stays so, choose the credential in the trigger again, and publish the workflow again.',
					)
				: ok(`The trigger answered at ${url}.`);
		if (statusCode >= 300 && statusCode < 400)
			return problem(
				`${url} redirects to another address (HTTP ${statusCode}).`,
				'If that is a login page, let requests to the webhooks of n8n through. Otherwise set N8N_WEBHOOK_URL to that address, restart n8n, and publish the workflow again.',
			);
		if (statusCode === 404)
			return problem(
				`Nothing listens at ${url} (HTTP 404).`,
				'Publish the workflow again. If it was deleted, run Webhook > Delete. A proxy that changes the path does the same.',
			);
		return problem(
			`Something else than the trigger answered at ${url} (HTTP ${statusCode}).`,
			statusCode >= 500
				? 'A proxy in front of n8n does not reach it: check that n8n runs, with all its processes for webhooks.'
				: `${url.startsWith(facts.webhooksUrl) ? '' : `If another system is there, it receives the events. ${SHARE} Otherwise: `}A proxy, a firewall or a login page in front of n8n answers. Let requests to the webhooks of n8n through.`,
		);
	});
}

/** Whether the service can reach the URLs of tests, which can begin otherwise. */
export function testUrls({ editorUrl, webhooksUrl, baseUrl }: Facts): Verdict {
	if (editorUrl === '') return unknown('n8n does not say where its editor is.');
	if (editorUrl === webhooksUrl)
		return ok(`Test URLs are at ${webhooksUrl}, as those of published workflows.`);
	const found = reachabilityProblem(editorUrl, baseUrl);
	const detail = `Test URLs may be at ${editorUrl}, those of published workflows at ${webhooksUrl}.`;
	return found === undefined
		? ok(detail)
		: warning(
				`${detail} The first ${found}.`,
				"Set n8n's environment variable N8N_WEBHOOK_URL: then both are there. If it is set, ignore this.",
			);
}

/** Whether the signing secret is right. */
export function signingSecret(facts: Facts): Verdict {
	const { webhook: read, sample } = facts;
	return judgeHub(facts, (answer) => {
		if (sample === 'missing')
			return warning('The sample event did not arrive.', 'Look at the other checks of the webhook.');
		if (sample && 'error' in sample) return failed(sample.error);
		if (sample)
			return sample.end === 'verified'
				? ok('The sample event arrived, and its signature is right.')
				: problem(
						`The sample event was refused: ${sample.end}.`,
						sample.end === WRONG_SIGNATURE ? SECRET_ADVICE : 'The secret is not the reason: keep it.',
					);
		const isRefused = answer !== 'noResponse' && 'statusCode' in answer && answer.statusCode === 401;
		const { isList = false, isSigned = false } = valueOf(read) ?? {};
		// With the right secret, the question would be too old.
		const isLate = Math.abs(facts.clockOffsetMs ?? 0) >= TOLERANCE_MS;
		const told = statusOf(answer);
		if ((isRefused && answer.isFromTrigger && !isLate) || (isList && !isSigned && !told))
			return problem('The trigger that receives the events has another secret.', SECRET_ADVICE);
		if (told && isList && !isSigned)
			return warning(
				'The trigger has the same secret, but the list of receivers is signed with another one.',
				"A trigger signs it again within some minutes. If it stays so, give all credentials of the account the same 'Signing Secret'.",
			);
		if (!told) return NOT_TRIED;
		return told.isProven
			? ok('The trigger has the same secret, and the service has signed an event with it.')
			: unknown(
					'The trigger has the same secret. No event has shown yet whether the service has it, too.',
					"Turn on the option 'Send a Test Event'.",
				);
	});
}

const SECRET_ADVICE =
	"Give all credentials of the account the same 'Signing Secret'. If nobody knows it, run Webhook > Rotate Secret once, and paste the new one into each of them.";

/** What was delivered to the process that holds the webhook. */
export function deliveries(facts: Facts): Verdict {
	return judgeHub(facts, (answer) => {
		const told = statusOf(answer)?.deliveries;
		if (!told) return NOT_TRIED;
		const { verified = 0, notTaken = 0, ...reasons } = told;
		const refused = Object.entries(reasons).map(([reason, count]) => `${count} refused: ${reason}`);
		const parts = [
			`${verified} verified`,
			...refused,
			...(notTaken > 0 ? [`${notTaken} not taken by n8n`] : []),
		];
		const detail = `In the last hour, as far as the process knows that answered: ${parts.join('; ')}.`;
		if (refused.length === 0 && notTaken === 0) return ok(detail);
		return (verified === 0 ? problem : warning)(
			detail,
			"n8n's log and the failed executions say more. Check the signing secret and the clock. If events still arrive, somebody else may have sent what was refused.",
		);
	});
}

/** How far the triggers are that fetch messages. */
export function fetching({ ownFetches, receivers: all }: Facts): Verdict {
	const told = [ownFetches, ...all.map(({ answer }) => statusOf(answer)?.fetches ?? [])].flat();
	// Two workflows can have the same name.
	const worstLast = sortBy(told, ({ problem: found }) => found !== undefined);
	const byName = new Map(worstLast.map((fetch) => [`${fetch.workflow} ${fetch.isPolling}`, fetch]));
	const fetches = [...byName.values()];
	if (fetches.length === 0)
		return unknown('No trigger that polls or catches up is known to the processes that were asked.');
	const detail = `${fetches.map(progressOf).join('; ')}.`;
	return fetches.some(({ problem: found }) => found !== undefined)
		? warning(detail, "It is tried again. If it goes on, n8n's log says more.")
		: ok(detail);
}

function progressOf({ workflow, isPolling, secondsAgo, left, problem: found }: ToldFetch): string {
	const end = found ?? (left > 0 ? `${left} chats are still to be read` : 'everything is read');
	return `workflow '${workflow}' ${isPolling ? 'polls' : 'catches up'}, last ${secondsAgo} s ago: ${end}`;
}
