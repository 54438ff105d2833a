import {
	SEND_AND_WAIT_OPERATION,
	type IDataObject,
	type IWebhookDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { isRecord } from '../api/isRecord';
import { onAcceptance } from '../n8n/acceptance';
import { filledIn, textsIn } from './answer';
import { ANSWERED_AT } from './formField';
import { PAGE_HEADERS } from './html';
import { isFirstAnswer } from './firstAnswer';
import { closedPage, questionPage, thanksPage } from './answerPages';
import { ASKED, type Asked } from './interaction';

const ofMethod = (httpMethod: 'GET' | 'POST'): IWebhookDescription => ({
	name: 'default',
	httpMethod,
	responseMode: 'onReceived',
	// Without it n8n answers a literal 'firstEntryJson'.
	responseData: '',
	path: '={{ $nodeId }}',
	restartWebhook: true,
	isFullPath: true,
});

/** The address that n8n gives to each execution that waits. n8n has verified the link's signature before. */
export const ANSWER_WEBHOOKS: IWebhookDescription[] = [ofMethod('GET'), ofMethod('POST')];

/** What the editor says beside the node while it waits. */
export const WAITING_TOOLTIP = `={{ $parameter["operation"] === "${SEND_AND_WAIT_OPERATION}" ? "The workflow goes on when somebody answers through the link in the message" : "" }}`;

/** Shows a question, and takes the answer to it. Only a form that was sent off continues the execution. */
export async function receiveAnswer(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const asked = askedIn(context);
	const { run, approved } = context.getQueryData() as Record<string, string>;
	const isApproved = approved === 'true';
	if (!asked || asked.run !== run) return show(context, 410, closedPage());
	if (context.getRequestObject().method !== 'POST') {
		return show(context, 200, questionPage(asked, isApproved));
	}

	const { reply } = asked;
	if (reply.type === 'approval') return await take(context, run, { approved: isApproved });
	const submitted = submittedIn(context.getBodyData());
	const filled = filledIn(reply.fields, submitted);
	if ('errors' in filled) {
		const attempt = { submitted, errors: filled.errors };
		return show(context, 422, questionPage(asked, isApproved, attempt));
	}
	const values = reply.type === 'freeText' ? { text: textsIn(submitted, 0)[0] } : filled.values;
	return await take(context, run, values);
}

/** Answers the request itself, and leaves the execution waiting. */
function show(context: IWebhookFunctions, status: number, page: string): IWebhookResponseData {
	context.getResponseObject().status(status).set(PAGE_HEADERS).send(page);
	return { noWebhookResponse: true };
}

async function take(
	context: IWebhookFunctions,
	run: string,
	answer: IDataObject,
): Promise<IWebhookResponseData> {
	const { path } = context.getRequestObject();
	const response = context.getResponseObject();
	const watch = async () => await new Promise<boolean>((resolve) => onAcceptance(response, resolve));
	if (!(await isFirstAnswer(`${path} ${run}`, watch, Date.now))) return show(context, 410, closedPage());
	response.set(PAGE_HEADERS);
	const data = { ...answer, [ANSWERED_AT]: new Date().toISOString() };
	// n8n sends the page once the execution goes on, which only one of several answers can bring about.
	return { webhookResponse: thanksPage(), workflowData: [[{ json: { data } }]] };
}

/** The question, as it was when the message was sent. An expression is all that leads a webhook to its execution's data. */
function askedIn(context: IWebhookFunctions): Asked | undefined {
	const name = [...context.getNode().name].map(escaped).join('');
	const found = context.evaluateExpression(`{{ $node["${name}"].context["${ASKED}"] }}`);
	return isRecord(found) ? (found as unknown as Asked) : undefined;
}

/** A name can hold what would end the expression. */
function escaped(character: string): string {
	return /\w/.test(character) ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

function submittedIn(body: IDataObject): IDataObject {
	return isRecord(body?.data) ? (body.data as IDataObject) : (body ?? {});
}
