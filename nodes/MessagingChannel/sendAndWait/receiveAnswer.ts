import {
	SEND_AND_WAIT_OPERATION,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type IWebhookDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { isRecord } from '../api/values';
import { apiKeyIn } from '../api/authentication';
import { systemClock } from '../api/clock';
import { createResponseGate } from '../n8n/responseGate';
import { CREDENTIAL } from '../n8n/connect';
import { PENDING_QUESTION } from '../n8n/waitingExecution';
import { parseForm, textsIn } from './parseForm';
import { APPROVED_FIELD, chatOnlyPage, closedPage, questionPage, thanksPage } from './answerPages';
import { ANSWERED_AT, RESPONDED_BY } from './formField';
import { PAGE_HEADERS } from './html';
import { claimAnswer, isPassedOn } from './claimAnswer';
import { answerKeyOf } from './inChat/answerKey';
import { ANSWER_HEADER, readAnswerRequest, type AnswerRequest, type AnswerResponse } from './inChat/protocol';
import { CHAT_PARAMETER } from './inChat/questionLinks';
import type { PendingQuestion } from './interaction';
import { textsOf } from './pageTexts';
import type { Approval } from './question';
import { needsAuthor, readReply } from './readReply';

const webhookFor = (httpMethod: 'GET' | 'POST'): IWebhookDescription => ({
	name: 'default',
	httpMethod,
	responseMode: 'onReceived',
	// Without this, n8n responds with the literal text 'firstEntryJson'.
	responseData: '',
	path: '={{ $nodeId }}',
	restartWebhook: true,
	isFullPath: true,
});

/** The webhooks of a waiting execution. n8n verifies the signature of the link before it calls the node. */
export const ANSWER_WEBHOOKS: IWebhookDescription[] = [webhookFor('GET'), webhookFor('POST')];

/** The text that the editor shows beside the node while it waits. */
export const WAITING_TOOLTIP = `={{ $parameter["operation"] === "${SEND_AND_WAIT_OPERATION}" ? "The workflow continues when someone responds to the message" : "" }}`;

/**
 * Shows the question and receives the answer. Only a POST resumes the execution, because link previews send GETs. A trigger
 * posts a reply in the chat.
 */
export async function receiveAnswer(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const question = pendingQuestionIn(context);
	const { run, approved } = context.getQueryData() as Record<string, string>;
	const isOpen = question !== undefined && question.run === run && !isOver(question);
	if (context.getHeaderData()[ANSWER_HEADER] !== undefined) {
		return await receiveReply(context, isOpen ? question : undefined);
	}
	if (!isOpen) return showPage(context, 410, closedPage(question));
	const { reply, inChat } = question;
	const isPost = context.getRequestObject().method === 'POST';
	if (inChat && inChat.responders.length > 0) {
		return showPage(context, isPost ? 403 : 200, chatOnlyPage(question));
	}
	if (!isPost) return showPage(context, 200, questionPage(question, approved === 'true'));

	const submitted = submittedIn(context.getBodyData());
	if (reply.type === 'approval') {
		const isApproved = (inChat ? submitted[APPROVED_FIELD] : approved) === 'true';
		if (inChat && !isButtonOf(reply, submitted[APPROVED_FIELD])) {
			return showPage(context, 422, questionPage(question, isApproved));
		}
		const button = isApproved ? reply.approve : reply.decline;
		return await acceptAnswer(context, question, { approved: isApproved }, button);
	}
	const parsed = parseForm(reply.fields, submitted, textsOf(question));
	if ('errors' in parsed) {
		const attempt = { submitted, errors: parsed.errors };
		return showPage(context, 422, questionPage(question, false, attempt));
	}
	const values = reply.type === 'freeText' ? { text: textsIn(submitted, 0)[0] } : parsed.values;
	return await acceptAnswer(context, question, values);
}

/** Whether a value is that of a button on the page of an approval with one link. */
function isButtonOf({ decline }: Approval, value: unknown): boolean {
	return value === 'true' || (value === 'false' && decline !== undefined);
}

/**
 * Answers a trigger that hands over a reply in the chat. Only a trigger with the same API key can sign such a request.
 *
 * @param question undefined if it is closed
 */
async function receiveReply(
	context: IWebhookFunctions,
	question: PendingQuestion | undefined,
): Promise<IWebhookResponseData> {
	// An error would end the wait: n8n continues an execution whose node fails here.
	const credential = await context
		.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL)
		.catch(() => undefined);
	if (!credential) return respondWithJson(context, 503, { isOpen: question !== undefined });
	const request = verifiedRequest(context, credential);
	const { inChat } = question ?? {};
	if (!request || !question || !inChat)
		return respondWithJson(context, request ? 410 : 401, { isOpen: false });
	const read = readReply(question, inChat, request);
	if (!read || request.phase === 'check') {
		const accepts = read !== undefined;
		const isUnclear = !accepts && needsAuthor(question, inChat, request);
		return respondWithJson(context, 200, { isOpen: true, accepts, ...(isUnclear && { needsAuthor: true }) });
	}
	const { messageId, from, chat } = request;
	const taken: AnswerResponse = { isOpen: false, taken: true };
	const key = questionKeyOf(context, question);
	if (isPassedOn(key, messageId)) return respondWithJson(context, 200, taken);
	// Another answer may have taken a while.
	if (!(await claim(context, key, messageId)) || isOver(question))
		return respondWithJson(context, 410, { isOpen: false });
	const values = { ...read, [RESPONDED_BY]: from ?? chat };
	return { webhookResponse: taken, workflowData: [[{ json: { data: dataOf(values) } }]] };
}

/** The request of a trigger, which has compared the chat with that of the link; undefined if it is forged. */
function verifiedRequest(
	context: IWebhookFunctions,
	credential: ICredentialDataDecryptedObject,
): AnswerRequest | undefined {
	// n8n has read the body unless it is a form, which no trigger sends.
	const { rawBody } = context.getRequestObject() as { rawBody?: Buffer };
	// Without an API key, as where a proxy adds it, everybody knows the key of the signature.
	if (apiKeyIn(credential) === '' || !rawBody) return undefined;
	const key = answerKeyOf(credential);
	const { [CHAT_PARAMETER]: chatTag, signature } = context.getQueryData() as Record<string, unknown>;
	// A question that was not asked in a chat has no answer there.
	if (chatTag === undefined) return undefined;
	const header = context.getHeaderData()[ANSWER_HEADER];
	return readAnswerRequest(header, key, String(signature), rawBody, Date.now());
}

function respondWithJson(
	context: IWebhookFunctions,
	status: number,
	body: AnswerResponse,
): IWebhookResponseData {
	context.getResponseObject().status(status).json(body);
	return { noWebhookResponse: true };
}

/** Whether the time limit has passed. n8n continues the workflow up to a minute later, and until then calls the node. */
function isOver({ deadline }: PendingQuestion): boolean {
	return Date.now() >= deadline;
}

/** Sends the page as the response. The execution keeps waiting. */
function showPage(context: IWebhookFunctions, status: number, page: string): IWebhookResponseData {
	context.getResponseObject().status(status).set(PAGE_HEADERS).send(page);
	return { noWebhookResponse: true };
}

async function acceptAnswer(
	context: IWebhookFunctions,
	question: PendingQuestion,
	answer: IDataObject,
	button?: string,
): Promise<IWebhookResponseData> {
	if (!(await claim(context, questionKeyOf(context, question))) || isOver(question))
		return showPage(context, 410, closedPage(question));
	context.getResponseObject().set(PAGE_HEADERS);
	// n8n sends this page when the execution resumes, which happens for one answer only.
	return {
		webhookResponse: thanksPage(question, button),
		workflowData: [[{ json: { data: dataOf(answer) } }]],
	};
}

function dataOf(answer: IDataObject): IDataObject {
	return { ...answer, [ANSWERED_AT]: new Date().toISOString() };
}

/** Identifies the question in this process. */
function questionKeyOf(context: IWebhookFunctions, { run }: PendingQuestion): string {
	return `${context.getRequestObject().path} ${run}`;
}

/** Claims the question for an answer. Returns whether the answer may be passed to n8n. */
async function claim(context: IWebhookFunctions, question: string, messageId?: string): Promise<boolean> {
	const gate = createResponseGate(context.getResponseObject());
	const watchAcceptance = async () => await new Promise<boolean>((resolve) => gate.onAcceptance(resolve));
	return await claimAnswer(question, watchAcceptance, systemClock(), messageId);
}

/** The question as it was sent. A webhook can read the data of its execution only through an expression. */
function pendingQuestionIn(context: IWebhookFunctions): PendingQuestion | undefined {
	const name = context.getNode().name.replace(/\W/g, escaped);
	const found = context.evaluateExpression(`{{ $node["${name}"].context["${PENDING_QUESTION}"] }}`);
	return isRecord(found) ? (found as unknown as PendingQuestion) : undefined;
}

/** Escapes a character of the node's name that could end the expression. */
function escaped(character: string): string {
	return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function submittedIn(body: IDataObject): IDataObject {
	return isRecord(body?.data) ? (body.data as IDataObject) : (body ?? {});
}
