import {
	SEND_AND_WAIT_OPERATION,
	type IDataObject,
	type IWebhookDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { isRecord } from '../api/values';
import { onAcceptance } from '../n8n/acceptance';
import { parseForm, textsIn } from './answer';
import { ANSWERED_AT } from './formField';
import { PAGE_HEADERS } from './html';
import { isFirstAnswer } from './firstAnswer';
import { closedPage, questionPage, thanksPage } from './answerPages';
import { PENDING_QUESTION, type PendingQuestion } from './interaction';
import { textsOf } from './pageTexts';

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
export const WAITING_TOOLTIP = `={{ $parameter["operation"] === "${SEND_AND_WAIT_OPERATION}" ? "The workflow continues when someone responds through a link in the message" : "" }}`;

/** Shows the question and receives the answer. Only a POST resumes the execution, because link previews send GETs. */
export async function receiveAnswer(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const question = pendingQuestionIn(context);
	const { run, approved } = context.getQueryData() as Record<string, string>;
	const isApproved = approved === 'true';
	if (!question || question.run !== run || isOver(question)) {
		return showPage(context, 410, closedPage(question));
	}
	if (context.getRequestObject().method !== 'POST') {
		return showPage(context, 200, questionPage(question, isApproved));
	}

	const { reply } = question;
	if (reply.type === 'approval') {
		const button = isApproved ? reply.approve : reply.decline;
		return await acceptAnswer(context, question, { approved: isApproved }, button);
	}
	const submitted = submittedIn(context.getBodyData());
	const parsed = parseForm(reply.fields, submitted, textsOf(question));
	if ('errors' in parsed) {
		const attempt = { submitted, errors: parsed.errors };
		return showPage(context, 422, questionPage(question, isApproved, attempt));
	}
	const values = reply.type === 'freeText' ? { text: textsIn(submitted, 0)[0] } : parsed.values;
	return await acceptAnswer(context, question, values);
}

/** Whether the time limit has passed. n8n continues the workflow up to a minute later, and until then calls the node. */
function isOver({ deadline = Infinity }: PendingQuestion): boolean {
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
	const { path } = context.getRequestObject();
	const response = context.getResponseObject();
	const watchAcceptance = async () =>
		await new Promise<boolean>((resolve) => onAcceptance(response, resolve));
	if (!(await isFirstAnswer(`${path} ${question.run}`, watchAcceptance, Date.now)))
		return showPage(context, 410, closedPage(question));
	response.set(PAGE_HEADERS);
	const data = { ...answer, [ANSWERED_AT]: new Date().toISOString() };
	// n8n sends this page when the execution resumes, which happens for one answer only.
	return { webhookResponse: thanksPage(question, button), workflowData: [[{ json: { data } }]] };
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
