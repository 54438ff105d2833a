import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { GET_ACCOUNT } from '../../api/endpoints';
import { accountDigestOf, apiKeyIn } from '../../api/authentication';
import { connect, CREDENTIAL } from '../../n8n/connect';
import { recordsOf } from '../../api/records';
import { verify, type Delivery, type Verification, type Rejection } from './verify';
import type { ServiceEvent } from './event';
import { eventFilterOf, isSelected, passes, type EventFilter } from './filter';
import type { Settle } from '../deduplication/inFlightEvents';
import { onAcceptance } from '../../n8n/acceptance';
import { signingSecretIn } from './secretCache';
import { noteVerified, openSecretCheck } from './secretChecks';
import { failureItem, hasServiceHeaders } from './signatureFailures';
import { clock, secretCache, stateOf, type AccountOfKey, type TriggerState } from './state';
import { claimEvent } from '../deduplication/claimEvent';

/** What a delivery is answered, or the event that n8n is to take. */
type Decision =
	| { answer: { status: number; error?: string }; failure?: INodeExecutionData }
	| { event: ServiceEvent; deliveredAt: string; settle: Settle };

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
		return { noWebhookResponse: true, ...(decision.failure && { workflowData: [[decision.failure]] }) };
	}
	const { event, deliveredAt, settle } = decision;
	onAcceptance(response, (taken) => settle(taken, clock.now()));
	const json: IDataObject = { ...event.body, event_id: event.id, delivered_at: deliveredAt };
	return { workflowData: [[{ json }]] };
}

async function decide(context: IWebhookFunctions): Promise<Decision> {
	const { id: nodeId, credentials } = context.getNode();
	const state = stateOf(context);

	const check = openSecretCheck((context.getQueryData() as IDataObject).check, Date.now());
	const credentialId = credentials?.[CREDENTIAL]?.id ?? nodeId;
	const verification = await examined(context, credentialId, check?.isOwn === true).catch(() => undefined);
	if (!verification) {
		state.log.note('A delivery could not be verified: the credential could not be read', Date.now());
		return NOT_TAKEN;
	}
	if (check) {
		check.report(verification);
		// It may be an event that came at this moment: the service delivers it again.
		return { answer: { status: 503, error: 'not_active_yet' } };
	}
	if (!verification.verified) {
		state.log.note(`A delivery was rejected: ${verification.reason}`, Date.now());
		return { answer: verification, failure: signatureFailure(context, verification, state) };
	}
	state.signatureFailures.reset();
	const { event, deliveredAt } = verification;
	const refusal = await refusalOfAccount(context, event, state);
	if (refusal) return refusal;
	const filter = eventFilterOf(context);
	if (!isWanted(event, filter) || isSample(context, event)) return OK;
	// Looked up once more: it may have been released while the delivery was examined.
	const turn = await claimEvent(event.keys, stateOf(context).inFlight, clock);
	return turn.is === 'first' ? { event, deliveredAt, settle: turn.settle } : ANSWER_TO_COPY[turn.is];
}

async function examined(
	context: IWebhookFunctions,
	credentialId: string,
	isKnownSender: boolean,
): Promise<Verification> {
	const delivery = await deliveryOf(context);
	const look = async () => signingSecretIn(await context.getCredentials(CREDENTIAL));
	const secret = await secretCache.get(credentialId, look, Date.now());
	const examineWith = (known: string) => {
		const verification = verify(delivery, known, Date.now());
		if (verification.verified) noteVerified(verification.event, known, Date.now());
		return verification;
	};
	const verification = examineWith(secret);
	if (verification.verified || !verification.maybeOtherSecret) return verification;

	const other = isKnownSender ? await look() : await secretCache.refresh(credentialId, look, Date.now());
	// Where nothing is new, a forged flood is not to be signed twice.
	return other === secret ? verification : examineWith(other);
}

async function deliveryOf(context: IWebhookFunctions): Promise<Delivery> {
	const request = context.getRequestObject();
	const { headers } = request;
	// n8n has read a form for its files and kept no bytes of it.
	if (/^multipart\//i.test(String(headers['content-type']))) return { headers, rawBody: undefined };
	await request.readRawBody();
	return { headers, rawBody: request.rawBody };
}

/**
 * What an event is answered that does not belong to the account that was kept at activation; before that, nothing is
 * known and nothing is refused. The API key may have been changed since, so the service is asked whose it is. Only what is
 * certainly another account's is dropped; anything else is delivered again.
 */
async function refusalOfAccount(
	context: IWebhookFunctions,
	{ accountId }: ServiceEvent,
	state: TriggerState,
): Promise<Decision | undefined> {
	const kept = context.getWorkflowStaticData('node').accountId;
	if (typeof kept !== 'string' || [undefined, kept, state.account?.id].includes(accountId)) return undefined;
	const current = await accountOfKey(context, state.account).catch(() => undefined);
	state.account = current ?? state.account;
	if (current === undefined || current.id === accountId) return NOT_TAKEN;
	state.log.note(
		'An event was dropped: it belongs to another account than the API key in the credential',
		Date.now(),
	);
	return OK;
}

/** A key has one account, so it is asked for once: events sent again in masses do not use up the rate limit. */
async function accountOfKey(
	context: IWebhookFunctions,
	known: AccountOfKey | undefined,
): Promise<AccountOfKey | undefined> {
	const data = await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL);
	const key = accountDigestOf(String(data.baseUrl), apiKeyIn(data));
	if (known?.key === key) return known;
	const client = await connect(context);
	// The service delivers the event again sooner than it would be worth trying again.
	const patience = { maxAttempts: 1, maxRateLimitWait: 0 };
	const [account] = recordsOf(await client.call({ endpoint: GET_ACCOUNT, limits: patience }));
	return typeof account?.id === 'string' ? { id: account.id, key } : undefined;
}

/** What tells the user that no event can be verified, when it is time to. Who listens for a test event sees that. */
function signatureFailure(
	context: IWebhookFunctions,
	{ error }: Rejection,
	{ signatureFailures, account }: TriggerState,
): INodeExecutionData | undefined {
	const now = Date.now();
	const known = account?.id ?? context.getWorkflowStaticData('node').accountId;
	const isOne = error === 'invalid_signature' && hasServiceHeaders(context.getHeaderData(), known, now);
	const since = isOne && context.getMode() !== 'manual' ? signatureFailures.add(now) : undefined;
	return since === undefined ? undefined : failureItem(since);
}

/** Whether an event is the sample that showed at activation that the secret is right. Nobody wrote it. */
function isSample(context: IWebhookFunctions, { id }: ServiceEvent): boolean {
	return context.getWorkflowStaticData('node').sampleId === id;
}

function isWanted(event: ServiceEvent, filter: EventFilter): boolean {
	return isSelected(event, filter.events) && passes(event, filter);
}
