import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import { apiKeyIn } from '../api/authentication';
import type { Clock } from '../api/clock';
import { ENGINE_ADVICE } from '../n8n/engine';
import { isSignatureRefused } from '../n8n/waitingExecution';
import { InvalidInput, shown, type Input } from '../operation/input';
import type { Interaction, PreparedInteraction, WaitingExecution } from '../operation/operation';
import { isPerson } from '../recipients/recipient';
import { deadlineOf } from './deadline';
import { answerKeyOf, answerTagOf, chatTagOf, codeWordOf } from './inChat/answerKey';
import { requireAnswerReceiver } from './inChat/answerReceivers';
import { CHAT_PARAMETER } from './inChat/questionLinks';
import { messageForChat, messageWith, type LinkTo } from './messageLinks';
import { questionOf, type Question } from './question';
import { checkAnswerable } from './readReply';

/** The question that n8n stores with the waiting execution. */
export interface PendingQuestion extends Question {
	/** The run index of the node. A link answers only the question of its own run. */
	run: string;
	/** The end of the wait, in Unix milliseconds. */
	deadline: number;
}

/** n8n sets the timer for the end of a wait at most this long before. */
const TIMER_AHEAD_MS = 70_000;

/** How long n8n's database may take after a timer has expired. */
const TIMER_MARGIN_MS = 5_000;

/**
 * Adds links to a message, and makes the workflow wait until somebody answers through one of them, or in the chat.
 *
 * @returns a request that fails with an InvalidInput if the time limit passes before it is sent. `check` also rejects if n8n
 *   refuses the links, or nobody takes answers in the chat
 * @throws InvalidInput if there are several items, another node calls this one, n8n's Engine 2.0 runs it, or the recipient or the options allow no answer
 *   in the chat
 */
export const sendAndWaitInteraction: Interaction = async (execution, input, request) => {
	const asked = questionOf(input);
	checkEngine(execution);
	checkCaller(execution);
	checkWait(execution.items());
	execution.verifySignatures();
	const run = execution.run();
	const linkTo: LinkTo = (query) => execution.linkTo({ ...query, run });
	const { question, message, check } = await (input.settings.answerInChat === true
		? askInChat(execution, asked, input, linkTo)
		: askByLink(asked, input, linkTo));
	return {
		request: {
			...request,
			parameters: { ...request.parameters, message },
			// The links of a question that waited for too long would be closed.
			beforeAttempt: (sentAt) => checkDeadline(asked, sentAt),
		},
		// Links from an earlier execution do not resume this one, so a retry must send the message again.
		scope: execution.id(),
		ready: async (clock) => await outlastTimer(execution, clock),
		check: async () => {
			await requireOwnLinks(execution, linkTo({}));
			await check?.();
		},
		wait: async (sentAt) =>
			await execution.wait({ ...question, run }, deadlineOf(asked.limit, sentAt), timeoutAnswer(asked)),
	};
};

/** The links of a question would be dead there, and the workflow would go on without an answer. */
function checkEngine(execution: WaitingExecution): void {
	if (!execution.isInEngine2()) return;
	throw new InvalidInput("cannot wait for a response in n8n's Engine 2.0", `${ENGINE_ADVICE}.`, 'Operation');
}

/** n8n would wait with the node that calls this one as its tool, and no answer could continue that. */
function checkCaller(execution: WaitingExecution): void {
	if (!execution.isCalled()) return;
	throw new InvalidInput(
		'cannot wait for a response here',
		'Ask with an AI Agent of version 3 or later that is not a tool itself.',
		'Operation',
	);
}

/**
 * Checks that n8n accepts its own links, and that they may be shown. It signs one path and checks another if a proxy removes its N8N_PATH. Any other
 * response says nothing: n8n need not be able to reach its own URL.
 */
async function requireOwnLinks(execution: WaitingExecution, link: string): Promise<void> {
	const { username, password } = new URL(link);
	if (username !== '' || password !== '') {
		throw new InvalidInput(
			'cannot be sent, because its links would show the user name and the password in the URL of n8n',
			"Remove both from n8n's environment variables N8N_WEBHOOK_URL and WEBHOOK_URL.",
			'Message',
			'not_answerable',
		);
	}
	const response = await execution.openLink(link);
	if (!response || !isSignatureRefused(response)) return;
	throw new InvalidInput(
		'cannot be answered, because n8n refuses the links that it signs itself',
		"A proxy removes the path of n8n, which n8n signs. Set n8n's environment variable N8N_WEBHOOK_URL to its public URL without a path, and let the proxy pass the paths /webhook/, /webhook-test/ and /webhook-waiting/ to n8n. Or give n8n a host name of its own, without N8N_PATH.",
		'Message',
		'not_answerable',
	);
}

/** A question, and the message that asks it. */
interface AskedInMessage {
	question: Question;
	message: string;
	check?: PreparedInteraction['check'];
}

function askByLink(
	question: Question,
	{ settings }: Pick<Input, 'settings'>,
	linkTo: LinkTo,
): AskedInMessage {
	if (settings.allowedResponders !== undefined) {
		throw new InvalidInput(
			"has no effect without 'Answer in Chat'",
			"Turn on 'Answer in Chat', or remove this option. Anyone who has a link can respond.",
			'Allowed Responders',
		);
	}
	return { question, message: messageWith(question, linkTo) };
}

async function askInChat(
	execution: WaitingExecution,
	asked: Question,
	{ settings, parameters }: Pick<Input, 'settings' | 'parameters'>,
	linkTo: LinkTo,
): Promise<AskedInMessage> {
	const to = String(parameters.to);
	const responders = (settings.allowedResponders ?? []) as string[];
	checkChat(to, responders);
	checkAnswerable(asked);
	const credential = await execution.credential();
	checkApiKey(credential);
	const key = answerKeyOf(credential);
	const link = linkTo({ [CHAT_PARAMETER]: chatTagOf(key, to) });
	const inChat = { code: codeWordOf(key, link), responders };
	// A next try that cannot read the webhook must not hide that the question may have been sent.
	const check = async () =>
		await requireAnswerReceiver(await execution.client(), answerTagOf(key), execution.waitingUrl());
	return { question: { ...asked, inChat }, message: messageForChat(asked, inChat, link), check };
}

/** Everybody could sign an answer without an API key, so none would count. */
function checkApiKey(credential: ICredentialDataDecryptedObject): void {
	if (apiKeyIn(credential) !== '') return;
	throw new InvalidInput(
		'cannot be used without an API key in the credential',
		'Enter the API key there and in the credential of the trigger, also if a proxy adds it to requests.',
		'Answer in Chat',
		'not_answerable',
	);
}

/** Checks that the chat of a recipient can be recognized, and has several people if only some of them may answer. */
function checkChat(to: string, responders: readonly string[]): void {
	requireCountryCode(to, to, 'To');
	if (responders.length > 0 && isPerson(to)) {
		throw new InvalidInput(
			'can be used only for a group',
			'Remove the option. In a chat with one person, only that person can reply.',
			'Allowed Responders',
		);
	}
}

/**
 * Checks that whoever has a number can be recognized: the service names everybody with the country code.
 *
 * @param recipient a phone number or chat id, as it is sent
 * @throws InvalidInput if it has no country code
 */
export function requireCountryCode(recipient: string, entered: string, displayName?: string): void {
	if (!recipient.startsWith('0')) return;
	throw new InvalidInput(
		`has no country code, so a reply in the chat could not be recognized: ${shown(entered)}`,
		'Enter the number with its country code, e.g. +90 555 123 45 67.',
		displayName,
	);
}

function checkWait(items: number): void {
	if (items <= 1) return;
	throw new InvalidInput(
		`has ${items} items, but the workflow can wait for only one response at a time`,
		"Add a Loop Over Items node before this one, or turn on 'Execute Once' in the settings of this node to ask only about the first item.",
		'Input',
	);
}

function checkDeadline({ limit }: Question, now: number): void {
	if (deadlineOf(limit, now).getTime() > now) return;
	throw new InvalidInput(
		'was over before the message could be sent',
		'Enter a longer time or a later date.',
		'Limit Wait Time',
	);
}

/**
 * Waits until n8n's timer for an earlier wait of this execution has expired. n8n keeps the timer when the answer arrives
 * first, and it would end the next wait.
 */
async function outlastTimer(execution: WaitingExecution, clock: Clock): Promise<void> {
	const leftMs = execution.lastDeadline() + TIMER_MARGIN_MS - clock.now();
	if (leftMs > 0 && leftMs <= TIMER_AHEAD_MS + TIMER_MARGIN_MS) await clock.sleep(leftMs);
}

function timeoutAnswer({ reply }: Question): IDataObject {
	return { ...(reply.type === 'approval' ? { approved: false } : {}), timedOut: true };
}
