import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { CREDENTIAL } from '../api/connect';
import { examine, type Delivery, type Finding } from './delivery';
import type { ServiceEvent } from './event';
import { isSelected, passes, type Wishes } from './filter';
import { isTaken } from './outcome';
import { wishesOf } from './properties';
import { checkUnderWay, noteVerified, reportCheck } from './secretCheck';
import { clock, secrets, stateOf } from './state';
import { turnOf } from './turn';

/** What a delivery is answered, or the event that n8n is to take. */
type Decision =
	| { answer: { status: number; error?: string } }
	| { event: ServiceEvent; deliveredAt: string; settle: (taken: boolean) => void };

const OK = { answer: { status: 200 } };

/** Asks for the delivery to come again. */
const NOT_TAKEN = { answer: { status: 503, error: 'not_taken' } };

/** What a delivery is answered, when n8n was handed the event with another one. */
const ANSWER_TO_COPY = { taken: OK, unknown: NOT_TAKEN };

/**
 * Takes one delivery: request, signature, timestamp, filters, duplicates, item. The answer's status cannot be set by
 * the return value, so everything but a taken event is answered here.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const response = context.getResponseObject();
	const decision = await decide(context);
	if ('answer' in decision) {
		const { status, error } = decision.answer;
		response.status(status);
		if (error === undefined) response.end();
		else response.json({ error });
		return { noWebhookResponse: true };
	}
	const { event, deliveredAt, settle } = decision;
	void isTaken(response).then(settle);
	const item: IDataObject = { ...event.body, event_id: event.id, delivered_at: deliveredAt };
	return { workflowData: [context.helpers.returnJsonArray([item])] };
}

async function decide(context: IWebhookFunctions): Promise<Decision> {
	const { id: nodeId, credentials } = context.getNode();
	const state = stateOf(context);

	const check = checkUnderWay((context.getQueryData() as IDataObject).check, Date.now());
	const credentialId = credentials?.[CREDENTIAL]?.id ?? nodeId;
	const finding = await examined(context, credentialId, check?.isOwn === true).catch(() => undefined);
	if (!finding) {
		state.journal.note('A delivery could not be verified: the credential could not be read', Date.now());
		return NOT_TAKEN;
	}
	if (check) {
		reportCheck(check, finding);
		// It may be an event that came at this moment: the service delivers it again.
		return { answer: { status: 503, error: 'not_active_yet' } };
	}
	if (finding.outcome === 'rejected') {
		state.journal.note(`A delivery was rejected: ${finding.reason}`, Date.now());
		return { answer: finding };
	}
	const { event, deliveredAt } = finding;
	if (!isOurs(context, event)) {
		state.journal.note(
			'An event was dropped: it belongs to another account than the API key in the credential',
			Date.now(),
		);
		return OK;
	}
	const wishes = wishesOf(context);
	if (!isWanted(event, wishes) || isSample(context, event)) return OK;
	// Looked up once more: it may have been released while the delivery was examined.
	const turn = await turnOf(event.keys, stateOf(context).memory, clock);
	return turn.is === 'first' ? { event, deliveredAt, settle: turn.settle } : ANSWER_TO_COPY[turn.is];
}

async function examined(
	context: IWebhookFunctions,
	credentialId: string,
	isKnownSender: boolean,
): Promise<Finding> {
	const delivery = await deliveryOf(context);
	const look = async () => String((await context.getCredentials(CREDENTIAL)).signingSecret ?? '');
	const secret = await secrets.current(credentialId, look, Date.now());
	const examineWith = (known: string) => {
		const finding = examine(delivery, known, Date.now());
		if (finding.outcome === 'genuine') noteVerified(finding.event.accountId, known, Date.now());
		return finding;
	};
	const finding = examineWith(secret);
	if (finding.outcome === 'genuine' || !finding.maybeOtherSecret) return finding;

	const other = isKnownSender ? await look() : await secrets.again(credentialId, look, Date.now());
	// Where nothing is new, a forged flood is not to be signed twice.
	return other === secret ? finding : examineWith(other);
}

async function deliveryOf(context: IWebhookFunctions): Promise<Delivery> {
	const request = context.getRequestObject();
	const { headers } = request;
	// n8n has read a form for its files and kept no bytes of it.
	if (/^multipart\//i.test(String(headers['content-type']))) return { headers, rawBody: undefined };
	await request.readRawBody();
	return { headers, rawBody: request.rawBody };
}

/** The account's id was kept at activation; before that, nothing is known and nothing is dropped. */
function isOurs(context: IWebhookFunctions, { accountId }: ServiceEvent): boolean {
	const own = context.getWorkflowStaticData('node').accountId;
	return typeof own !== 'string' || accountId === undefined || accountId === own;
}

/** Whether an event is the sample that showed at activation that the secret is right. Nobody wrote it. */
function isSample(context: IWebhookFunctions, { id }: ServiceEvent): boolean {
	return context.getWorkflowStaticData('node').sampleId === id;
}

function isWanted(event: ServiceEvent, wishes: Wishes): boolean {
	return isSelected(event, wishes.events) && passes(event, wishes);
}
