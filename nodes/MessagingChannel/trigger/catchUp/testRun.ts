import type { IWebhookResponseData } from 'n8n-workflow';

import { accountIdOf } from '../../api/account';
import type { Client } from '../../api/client';
import { messageOf } from '../../api/errors';
import { post, type HttpRequest } from '../../n8n/httpRequest';
import type { Door } from '../delivery/door';
import { eventFilterOf, selectedEvents } from '../delivery/filter';
import type { Trigger } from '../delivery/trigger';
import { clock } from '../account/clock';
import { ownTriggerAt } from '../account/ownTriggers';
import { NOT_LISTENING } from '../sharing/deadUrl';
import { REQUEST_HEADER, RESPONSE_HEADER } from '../sharing/internalRequest';
import { fetchedItem, type FetchedMessage } from './fetchedMessage';
import { readLatestMessage } from './readMessages';

/** What a request to the test URL is for, in its header: to see whether n8n reaches it, or to have a message fetched. */
type TestRequest = 'reach' | 'fetch';

const REQUEST_TIMEOUT_MS = 10_000;

/** n8n registers the test URL once more when the trigger is ready. */
const READY_MS = 500;

/** The account, and the latest message that a trigger would start with; each undefined if there is none. */
export async function readLatest(
	{ parameters }: Pick<Trigger, 'parameters'>,
	client: Client,
): Promise<{ accountId: string | undefined; message: FetchedMessage | undefined }> {
	const accountId = await accountIdOf(client);
	const message = await readLatestMessage(client, { accountId, filter: eventFilterOf(parameters, true) });
	return { accountId, message };
}

/**
 * Ends the wait of n8n for a test event, by a request to the test URL.
 *
 * @returns false if n8n cannot reach the URL
 */
export async function requestTestRun(request: HttpRequest, url: string): Promise<boolean> {
	if (!(await hasResponse(request, url, 'reach'))) return false;
	void clock.sleep(READY_MS).then(async () => await hasResponse(request, url, 'fetch'));
	return true;
}

/** So long a test waits for an event. */
const SILENCE_MS = 20_000;

/** Ends the wait for a test event with the latest message, if none comes in time. */
export function fetchAfterSilence({ parameters, request }: Trigger, url: string): void {
	if (!selectedEvents(parameters).includes('message.received')) return;
	const silence = new AbortController();
	ownTriggerAt(url).silence = silence;
	void clock.sleep(SILENCE_MS, silence.signal).then(
		async () => await hasResponse(request, url, 'fetch'),
		() => undefined,
	);
}

/** For a test that has ended. */
export function endSilence(url: string): void {
	const own = ownTriggerAt(url);
	own.silence?.abort();
	delete own.silence;
}

async function hasResponse(request: HttpRequest, url: string, kind: TestRequest): Promise<boolean> {
	return await post(request, { url, headers: { [REQUEST_HEADER]: kind }, timeout: REQUEST_TIMEOUT_MS }).then(
		({ headers }) => RESPONSE_HEADER in headers,
		() => false,
	);
}

/**
 * Answers a request to a trigger that polls, or whose test has waited in vain. A request to the test URL can only have the
 * latest message fetched, so it needs no signature. Anything else is not for this trigger.
 */
export async function receiveWithoutEvent(door: Door): Promise<IWebhookResponseData> {
	if (!door.isTest) return door.respond({ status: 404, error: NOT_LISTENING });
	if (door.delivery.headers[REQUEST_HEADER] !== 'fetch') return door.respond({ status: 200, body: {} });
	const { message } = await door
		.connect()
		.then(async (client) => await readLatest(door, client))
		.catch((error: unknown) => {
			door.logger.warn(
				`${door.node.name}: the latest message could not be fetched for the test: ${messageOf(error)}`,
			);
			return { message: undefined };
		});
	if (!message) return door.respond({ status: 503, error: 'no_message' });
	return { workflowData: [[fetchedItem(message, clock.now())]] };
}
