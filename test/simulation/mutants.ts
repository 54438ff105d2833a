import type { WorldName } from './worlds';

/** A mistake in one place of the code, which some history must show. */
export interface Mutant {
	/** What the code does wrong. */
	name: string;
	world: WorldName;
	/** Below nodes/MessagingChannel. */
	file: string;
	/** The code that is replaced; it stands there once. */
	find: string;
	replace: string;
	/** Whether the package once had this defect. */
	wasReal?: boolean;
}

const SENDING: Array<Omit<Mutant, 'world'>> = [
	// Never twice, within an execution
	{
		name: 'an unconfirmed send is made again by the next try',
		file: 'execution/sending/sendOnce.ts',
		find: '? unconfirmedError()',
		replace: '? await makeRequest().catch(fail)',
	},
	{
		name: 'the next try does not know what was sent',
		file: 'execution/sending/sendOnce.ts',
		find: 'const previous = log.find(send);',
		replace: 'const previous = undefined as ReturnType<SendLog["find"]>;',
	},
	{
		name: 'an unconfirmed send is forgotten',
		file: 'execution/sending/sendOnce.ts',
		find: 'if (error instanceof ApiError && error.ambiguous) return error;',
		replace: 'if (error instanceof ApiError && error.ambiguous) return forget(error);',
	},
	{
		name: 'a failed run clears what it has sent',
		file: 'execution/runOperation.ts',
		find: "if (!results.some((result) => result && 'error' in result))",
		replace: 'if (results)',
	},
	{
		name: 'a successful run does not clear what it has sent, and the next iteration finds it',
		file: 'execution/sending/sendLog.ts',
		find: 'runKey: isTool ? TOOL_RUN : String(runIndexOf(context)),',
		replace: "runKey: isTool ? TOOL_RUN : '0',",
	},
	{
		name: 'a tool recognises what it sent by the number of the item',
		file: 'execution/sending/sendLog.ts',
		find: '(isTool ? contentDigestOf(send) : String(send.itemIndex))',
		replace: 'String(send.itemIndex)',
		wasReal: true,
	},
	{
		name: 'a tool recognises what it sent only within one run',
		file: 'execution/sending/sendLog.ts',
		find: 'isTool ? TOOL_RUN : String(runIndexOf(context))',
		replace: 'String(runIndexOf(context))',
		wasReal: true,
	},
	{
		name: 'a tool forgets what it sent when a call succeeds',
		file: 'execution/sending/sendLog.ts',
		find: 'if (!isTool) delete',
		replace: 'delete',
	},
	{
		name: 'a send is recorded only when it has ended',
		file: 'execution/sending/sendOnce.ts',
		find: '	log.record(send, entry);\n	const identified',
		replace: '	const identified',
	},
	{
		name: 'a send is found for another recipient in the same place',
		file: 'execution/sending/sendLog.ts',
		find: 'if (entry && isForSameRecipient(entry, send)) {',
		replace: 'if (entry) {',
	},
	// Never twice, within the retries of a request
	{
		name: 'a send is repeated after a 5xx',
		file: 'api/retry.ts',
		find: 'return isTemporary && isIdempotent(endpoint);',
		replace: 'return isTemporary;',
	},
	{
		name: 'a broken connection counts as never connected',
		file: 'api/networkFailure.ts',
		find: '/^(ECONNREFUSED|',
		replace: '/^(ECONNREFUSED|ECONNRESET|',
	},
	{
		name: 'a timeout counts as never connected',
		file: 'api/networkFailure.ts',
		find: '/^(ECONNREFUSED|',
		replace: '/^(ECONNREFUSED|ECONNABORTED|',
	},
	{
		name: 'a request that was written counts as unsent',
		file: 'api/networkFailure.ts',
		find: 'socket.bytesWritten === 0',
		replace: 'Number(socket.bytesWritten) >= 0',
	},
	{
		name: 'a send without a response is certainly not made',
		file: 'api/networkError.ts',
		find: 'const ambiguous = endpoint.sends !== undefined && !neverSent;\n	const repair',
		replace: 'const ambiguous = false;\n	const repair',
	},
	{
		name: 'a send that the service failed to answer is certainly not made',
		file: 'api/responseErrors.ts',
		find: "httpStatus >= 500 || ['send_timeout', 'internal_error'].includes(code);",
		replace: 'httpStatus >= 600;',
	},
	{
		name: 'a send that was never made may have been made',
		file: 'api/networkError.ts',
		find: 'const ambiguous = endpoint.sends !== undefined && !neverSent;\n	const repair',
		replace: 'const ambiguous = endpoint.sends !== undefined;\n	const repair',
	},
	{
		name: 'a failed TLS handshake counts as sent',
		file: 'api/networkFailure.ts',
		find: 'isBlocked ||\n		hasCode(CERTIFICATE) ||',
		replace: 'isBlocked ||',
		wasReal: true,
	},
	{
		name: 'a redirect counts as sent',
		file: 'api/responseErrors.ts',
		find: 'const neverSent = !REDIRECTS_TO_RESULTS.includes(httpStatus);',
		replace: 'const neverSent = httpStatus < 0;',
		wasReal: true,
	},
	{
		name: 'an error quotes the API key',
		file: 'api/errors.ts',
		find: "text.replaceAll(secret, '***')",
		replace: 'text',
	},
	// Never twice, within the retries of an execution
	{
		name: 'retries do not ask what other retries have sent',
		file: 'execution/sending/sendOnce.ts',
		find: 'return await claims?.claim(send);',
		replace: 'return undefined;',
		wasReal: true,
	},
	{
		name: 'a retry withdraws what it has sent',
		file: 'execution/sending/sendOnce.ts',
		find: 'claims?.confirm(send);',
		replace: 'claims?.withdraw(send);',
	},
	{
		name: 'a retry does not record that its send was refused',
		file: 'execution/sending/sendOnce.ts',
		find: 'claims?.withdraw(send);',
		replace: '',
	},
	{
		name: 'a retry does not wait until its records are stored',
		file: 'execution/sending/retriedSends.ts',
		find: 'async close() {\n			await lastFlush;',
		replace: 'async close() {',
	},
	{
		name: 'records of a retry that another process has overwritten are lost',
		file: 'execution/sending/retriedSends.ts',
		find: 'if (!(await inSeries(nodeId, restore))) break;',
		replace: 'if (await inSeries(nodeId, restore)) break;',
		wasReal: true,
	},
	{
		name: 'a check of the records of a retry that fails is not made again',
		file: 'execution/sending/retriedSends.ts',
		find: 'store.record(keys).catch(() => []);',
		replace: 'store.record(keys).catch(() => keys);',
		wasReal: true,
	},
	{
		name: 'a send that another retry has begun counts as new',
		file: 'execution/sending/retriedSends.ts',
		find: "return { state: 'unconfirmed' };",
		replace: "return { state: 'new' };",
	},
	{
		name: 'a send that another retry has begun counts as made',
		file: 'execution/sending/retriedSends.ts',
		find: 'const keys = [begunSendKey(key), openKey(key)];',
		replace: 'const keys = [begunSendKey(key)];',
	},
	{
		name: 'all executions share what their retries have sent',
		file: 'execution/sending/retriedSends.ts',
		find: 'return `${establishedAt} ${resumeUrl.',
		replace: "return `${establishedAt} ${resumeUrl}`.slice(0, 0) + `${''.",
	},
	{
		name: 'a send is made although the row cannot be used',
		file: 'execution/sending/retriedSends.ts',
		find: 'for (const { reject } of sends) reject(unknown);',
		replace: "void unknown; for (const { resolve } of sends) resolve({ state: 'new' });",
	},
	// True reports
	{
		name: "another execution's message verifies a lost one",
		file: 'execution/sending/sendReconciliation.ts',
		find: 'const known = knownSends.get(account) ?? new Map<string, KnownSend>();',
		replace: 'const known = new Map<string, KnownSend>();',
		wasReal: true,
	},
	{
		name: 'an older message verifies a lost one',
		file: 'execution/sending/sendReconciliation.ts',
		find: 'seconds >= serviceSecondOf(own)',
		replace: 'seconds >= 0 * serviceSecondOf(own)',
	},
	{
		name: "a message verifies a lost one although it may be another item's",
		file: 'execution/sending/sendReconciliation.ts',
		find: '!newest || candidates.length <= unmatched.length - accounted',
		replace: '!newest || accounted < 0',
	},
	{
		name: "what somebody wrote before the attempt counts as another item's message",
		file: 'execution/sending/sendReconciliation.ts',
		find: 'if (accounted < sends.filter((send) => send <= message).length) accounted++;',
		replace: 'accounted++;',
		wasReal: true,
	},
	{
		name: 'one message verifies two lost ones',
		file: 'execution/sending/sendReconciliation.ts',
		find: '!claimedIds.has(id)',
		replace: 'claimedIds.size >= 0',
	},
	{
		name: 'a message with another text verifies a lost one',
		file: 'execution/sending/sendReconciliation.ts',
		find: 'sameTextDigest(String(body)) === own.textDigest &&',
		replace: '',
	},
	{
		name: "a customer's message verifies a lost one",
		file: 'execution/sending/sendReconciliation.ts',
		find: 'fromMe === true &&',
		replace: '',
	},
	{
		name: 'a lost message counts as verified',
		file: 'execution/sending/sendOnce.ts',
		find: 'if (found) return succeed([{ ...found, verified: true }]);',
		replace: 'if (search) return succeed([{ ...found, verified: true }]);',
	},
	{
		name: 'messages before the attempt verify a lost one while the clocks differ',
		file: 'execution/sending/sendReconciliation.ts',
		find: 'attemptedAt + Math.max(offsetAtAttempt ?? currentOffset, currentOffset)',
		replace: 'attemptedAt - Math.max(offsetAtAttempt ?? currentOffset, currentOffset)',
	},
	{
		name: 'what an earlier try sent is not counted',
		file: 'execution/runTask.ts',
		find: 'for (const send of sendsOf(sendOf(task), task.parts, log)) {',
		replace: 'for (const send of sendsOf(sendOf(task), task.parts, log).slice(0, 0)) {',
	},
	{
		name: 'a send is not counted while it is made',
		file: 'execution/sending/sendOnce.ts',
		find: '	if (text) reconciliation.attempted(text);\n	const fail',
		replace: '	const fail',
	},
	// Order and number of requests
	{
		name: 'messages to one recipient are sent at the same time',
		file: 'execution/runOperation.ts',
		find: '(isTask(task) ? task.partitionKey : undefined),',
		replace: 'undefined,',
	},
	{
		name: 'an item that waited for its recipient is never sent',
		file: 'execution/runPartitioned.ts',
		find: 'else readyIndexes.push(waiting);',
		replace: '',
	},
	{
		name: 'of the messages that wait for a recipient the last goes first',
		file: 'execution/runPartitioned.ts',
		find: 'waitingByKey.get(key)?.shift()',
		replace: 'waitingByKey.get(key)?.pop()',
	},
	{
		name: 'one request more than allowed is in flight',
		file: 'execution/runPartitioned.ts',
		find: 'running < concurrency()',
		replace: 'running <= concurrency()',
	},
	{
		name: 'items after a failed one are sent',
		file: 'execution/runPartitioned.ts',
		find: 'if (shouldStop?.(result)) isStopped = true;',
		replace: 'void shouldStop;',
	},
	{
		name: 'an item gets the result of the next one',
		file: 'execution/runPartitioned.ts',
		find: 'results[index] = result;',
		replace: 'results[tasks.length - 1 - index] = result;',
	},
	{
		name: 'a recipient with and without @c.us are two',
		file: 'execution/tasks.ts',
		find: 'recipientKey(parameters.to)',
		replace: 'parameters.to',
	},
	// Rate limit
	{
		name: 'requests do not wait for the rate limit',
		file: 'api/rateLimiter.ts',
		find: 'const obstacle = obstacleAt(now);\n					const lateReset',
		replace: 'const obstacle = obstacleAt(now) && undefined;\n					const lateReset',
	},
	{
		name: 'an account that was not called yet gets all requests at once',
		file: 'api/rateWindow.ts',
		find: 'const INITIAL_SLOTS = 10;',
		replace: 'const INITIAL_SLOTS = 1000;',
	},
	{
		name: 'a 429 does not close the window',
		file: 'api/rateWindow.ts',
		find: 'const isRefused = pauseMs !== undefined;',
		replace: 'const isRefused = pauseMs === -1;',
	},
	{
		name: 'the response to an earlier request ends the pause after a 429',
		file: 'api/rateLimiter.ts',
		find: 'return isPaused(account, now - clockOffsetMs)',
		replace: 'return isPaused(account, 0 * now)',
		wasReal: true,
	},
	{
		name: 'a request in flight is not counted',
		file: 'api/rateWindow.ts',
		find: '- inFlight;',
		replace: '- 0 * inFlight;',
	},
	{
		name: 'a request that has ended counts as in flight',
		file: 'api/rateWindow.ts',
		find: '			inFlight--;\n',
		replace: '',
	},
	{
		name: 'a request takes no slot',
		file: 'api/rateWindow.ts',
		find: '			slots--;\n',
		replace: '',
	},
	{
		name: 'a window stays closed for an hour after its reset',
		file: 'api/rateWindow.ts',
		find: 'now >= resetAt ||',
		replace: 'now >= resetAt + 3_600_000 ||',
	},
	{
		name: 'a reset is read on the wrong clock',
		file: 'api/rateLimiter.ts',
		find: 'const serviceNow = () => clock.now() + account.clockOffsetMs;',
		replace: 'const serviceNow = () => clock.now();',
		wasReal: true,
	},
	{
		name: 'an item waits longer than it may',
		file: 'api/rateLimiter.ts',
		find: 'if (!window.isStale(now)) throw rateLimitError(lateReset, waitOption);\n						window.probe(now);\n						return window.take();',
		replace: 'window.probe(now);',
	},
	{
		name: 'an impatient item is sent although the window is used up',
		file: 'api/rateLimiter.ts',
		find: 'if (!window.isStale(now)) throw rateLimitError(lateReset, waitOption);',
		replace: '',
	},
	{
		name: 'a patient execution holds an impatient one up',
		file: 'api/rateLimiter.ts',
		find: 'const lateReset = obstacle && tooLateReset(waiter, obstacle);',
		replace: 'const lateReset = obstacle && waiter.isFirst() ? tooLateReset(waiter, obstacle) : undefined;',
		wasReal: true,
	},
	{
		name: 'attempts of one request may each wait as long as all together',
		file: 'api/sendRequest.ts',
		find: 'remainingWaitMs -= clock.now() - startedAt;',
		replace: 'void startedAt;',
	},
	{
		name: 'who leaves the queue does not wake the next',
		file: 'api/fifoQueue.ts',
		find: 'if (wasFirst) first()?.wake();',
		replace: 'void wasFirst;',
	},
	{
		name: 'who leaves the queue keeps the place',
		file: 'api/fifoQueue.ts',
		find: 'waiters.delete(waiter);',
		replace: '',
	},
	{
		name: 'a response does not wake the first in the queue',
		file: 'api/rateLimiter.ts',
		find: 'if (waiter.isFirst() || isTooLate) waiter.wake();',
		replace: 'if (isTooLate) waiter.wake();',
	},
	{
		name: 'the Retry-After of a 503 is ignored',
		file: 'api/retry.ts',
		find: 'if (statusCode !== 429 && statusCode !== 503) return 0;',
		replace: 'if (statusCode !== 429) return 0;',
		wasReal: true,
	},
	{
		name: 'there is no pause between two attempts',
		file: 'api/sendRequest.ts',
		find: 'await clock.sleep(Math.max(backoffMs(attempt, clock.random()), requestedMs));',
		replace: '',
	},
	{
		name: 'a stopped execution goes on sending',
		file: 'api/sendRequest.ts',
		find: 'cancelled?.throwIfAborted();',
		replace: '',
	},
	{
		name: 'stopping does not end a wait',
		file: 'api/clock.ts',
		find: 'signal && cancelled ? AbortSignal.any([signal, cancelled]) : (signal ?? cancelled)',
		replace: 'signal ?? (cancelled && undefined)',
		wasReal: true,
	},
	{
		name: 'a send does not wait for a shorter queue',
		file: 'execution/sending/backpressure.ts',
		find: 'latest.sends > maxLength)',
		replace: 'latest.sends > maxLength + 1e9)',
	},
	{
		name: 'a send waits for a shorter queue for ever',
		file: 'execution/sending/backpressure.ts',
		find: 'deadline = Math.min(deadline, clock.now() + STALL_TIMEOUT_MS);',
		replace: 'deadline = Infinity;',
		wasReal: true,
	},
];

const RECEIVING: Array<Omit<Mutant, 'world'>> = [
	// Combining
	{
		name: 'an event that waits with others is acknowledged before they are stored',
		file: 'trigger/combining/groupCommit.ts',
		find: 'return { wasAccepted: await group.accepted };',
		replace: 'return { wasAccepted: true };',
	},
	{
		name: 'a message that waits with others is acknowledged before they are stored',
		file: 'trigger/combining/chatBuffer.ts',
		find: 'return { wasAccepted: await existing.group.accepted };',
		replace: 'return { wasAccepted: true };',
	},
	{
		name: 'refused events of a group stay claimed',
		file: 'trigger/combining/eventGroup.ts',
		find: 'event.settle(wasAccepted);',
		replace: 'event.settle(true);',
	},
	{
		name: 'an event joins others that have gone',
		file: 'trigger/combining/groupCommit.ts',
		find: 'if (gathering?.group === group) gathering = undefined;',
		replace: '',
	},
	// Sharing
	{
		name: 'unpublishing one workflow removes the webhook of all',
		file: 'trigger/activation/subscription.ts',
		find: 'subscriberAt(subscribers, url) && withoutSubscriber(subscribers, url)',
		replace: 'subscriberAt(subscribers, url) && []',
	},
	{
		name: 'publishing takes the webhook although it must not',
		file: 'trigger/activation/joining.ts',
		find: "if (ifWebhookExists === 'fail') throw new WebhookTaken(registered, ifWebhookExists);",
		replace: '',
	},
	{
		name: 'a workflow that shares drops the other system',
		file: 'trigger/activation/joining.ts',
		find: "if (!registered || ifWebhookExists === 'share') return { others };",
		replace: "if (!registered || ifWebhookExists === 'share') return { others: [] };",
	},
	{
		name: 'events are not forwarded',
		file: 'trigger/delivery/forwardToOthers.ts',
		find: 'if (value === undefined && !isSharedHub(ownUrl)) return undefined;',
		replace: 'if (value !== null || isSharedHub(ownUrl)) return undefined;',
	},
	{
		name: 'a list that nobody has signed is used',
		file: 'trigger/delivery/currentSubscribers.ts',
		find: 'if (list?.isSigned) return list.subscribers;',
		replace: 'if (list) return list.subscribers;',
	},
	{
		name: 'an event that a subscriber did not take is acknowledged',
		file: 'trigger/delivery/forwardToOthers.ts',
		find: "return result === 'refused' || isGone;",
		replace: 'return isGone || result !== undefined;',
	},
	{
		name: 'the start page of another n8n counts as accepted',
		file: 'trigger/sharing/forward.ts',
		find: "return !isOurs || response.isFromTrigger ? 'accepted' : 'failed';",
		replace: "return 'accepted';",
	},
	{
		name: 'a new subscriber takes the place of the others',
		file: 'webhook/subscribers.ts',
		find: ': [...subscribers, added],',
		replace: ': [added],',
	},
	{
		name: 'the repair restores nothing',
		file: 'trigger/activation/repairLoop.ts',
		find: 'await repair(context, url, { latestState, isGone, isSilent })',
		replace: 'repair === undefined && { latestState, isGone, isSilent } === undefined',
	},
	{
		name: 'the service sends the events of the hub only',
		file: 'webhook/subscribers.ts',
		find: 'events: [...new Set(subscribers.flatMap(({ events }) => events))].sort(),',
		replace: 'events: [...(subscribers[0]?.events ?? [])],',
	},
	{
		name: 'a refusal after a rotation of the secret is final',
		file: 'trigger/delivery/forwardToOthers.ts',
		find: "if (result === 'unverified') return await isCurrentSecret(context, secret);",
		replace: "if (result === 'unverified') return isCurrentSecret(context, secret) !== undefined;",
		wasReal: true,
	},
	{
		name: 'a delivery waits for a service that does not respond',
		file: 'trigger/delivery/currentSubscribers.ts',
		find: 'within(LIST_TIMEOUT_MS, ',
		replace: 'within(1_000_000, ',
	},
	{
		name: 'a list that another system has replaced counts as empty',
		file: 'trigger/delivery/currentSubscribers.ts',
		find: 'if (!isNamed) throw new UnknownSubscribers();',
		replace: 'void isNamed;',
		wasReal: true,
	},
	{
		name: 'an older list than the delivered one is used',
		file: 'trigger/delivery/currentSubscribers.ts',
		find: 'if (value !== undefined && value !== list) throw new UnknownSubscribers();',
		replace: 'void list;',
		wasReal: true,
	},
	{
		name: 'the hub does not wait for the others',
		file: 'trigger/delivery/receive.ts',
		find: 'if (others) holdResponse(context.getResponseObject(), others);',
		replace: 'void holdResponse;',
	},
	{
		name: 'a subscriber that is absent for a moment counts as gone',
		file: 'trigger/delivery/forwardToOthers.ts',
		find: 'const MAX_ABSENCE_MS = 5 * 60_000;',
		replace: 'const MAX_ABSENCE_MS = 0;',
	},
	{
		name: 'a delivery waits for the account of the API key',
		file: 'trigger/delivery/receive.ts',
		find: 'within(ACCOUNT_TIMEOUT_MS, accountOfKey',
		replace: 'within(1_000_000, accountOfKey',
		wasReal: true,
	},
	// Activation
	{
		name: 'unpublishing leaves the webhook where it is',
		file: 'trigger/activation/registration.ts',
		find: 'if (state.registered) await client.call({ endpoint: DELETE_WEBHOOK });',
		replace: '',
	},
	{
		name: 'an event that comes in place of the sample is acknowledged',
		file: 'trigger/delivery/receive.ts',
		find: "return { response: { status: 503, error: 'not_active_yet' } };",
		replace: 'return OK;',
		wasReal: true,
	},
	{
		name: 'an event that is not certainly the sample is dropped',
		file: 'trigger/delivery/receive.ts',
		find: 'return secretChecks.isSample(id) || savedStateOf(context).sampleId === id;',
		replace: 'return secretChecks.isSample(id) || savedStateOf(context).sampleId !== undefined;',
		wasReal: true,
	},
	{
		name: 'two workflows change the webhook at the same time',
		file: 'trigger/activation/subscription.ts',
		find: 'await inSeries(service, work)',
		replace: 'await work()',
	},
	{
		name: 'a webhook that points elsewhere counts as set',
		file: 'trigger/activation/registration.ts',
		find: 'current?.url === url &&',
		replace: 'current?.url !== undefined &&',
	},
	{
		name: 'a start fails while the service is out of reach',
		file: 'trigger/activation/activation.ts',
		find: 'httpStatus === null || httpStatus === 429 || httpStatus >= 500 ||',
		replace: 'httpStatus === 0 ||',
	},
	{
		name: 'a wrong signing secret is published',
		file: 'trigger/activation/activation.ts',
		find: 'if (failure) throw activationError(context, failure);',
		replace: '',
	},
	{
		name: 'a secret that verified another account counts as checked',
		file: 'trigger/delivery/secretChecks.ts',
		find: 'if (last === undefined || last.secret !== secret) return false;',
		replace: 'if (last === undefined || secret === undefined) return false;',
	},
	// Delivery
	{
		name: 'no signature is checked',
		file: 'trigger/delivery/signature.ts',
		find: "return timingSafeEqual(expected, Buffer.from(signature, 'hex'));",
		replace: 'return timingSafeEqual(expected, expected);',
	},
	{
		name: 'a stale delivery is accepted',
		file: 'trigger/delivery/verify.ts',
		find: 'if (!isFresh(timestamp, now)) return timestampRejection(timestamp);',
		replace: 'if (timestamp === undefined || now < 0) return timestampRejection(timestamp);',
	},
	{
		name: 'a rotated secret is never read again',
		file: 'trigger/delivery/secretCache.ts',
		find: 'isRecent(cached.fetchedAt, CACHE_TTL_MS, now)',
		replace: 'isRecent(cached.fetchedAt, Infinity, now)',
	},
	{
		name: 'a cached secret is kept when a signature does not match',
		file: 'trigger/delivery/secretCache.ts',
		find: 'isRecent(before.refreshedAt, MIN_REFRESH_INTERVAL_MS, now)',
		replace: 'isRecent(before.refreshedAt, 60 * MIN_REFRESH_INTERVAL_MS, now)',
	},
	{
		name: 'an event of another account runs',
		file: 'trigger/delivery/receive.ts',
		find: 'if (accountDecision) return accountDecision;',
		replace: 'void accountDecision;',
	},
	{
		name: 'the first event after a change of the account is acknowledged and dropped',
		file: 'trigger/delivery/receive.ts',
		find: 'if (current === undefined || current.id === accountId) return NOT_ACCEPTED;',
		replace: 'if (current === undefined) return NOT_ACCEPTED;',
		wasReal: true,
	},
	{
		name: 'an event counts as accepted before n8n has stored it',
		file: 'trigger/delivery/receive.ts',
		find: '	onAcceptance(response, (wasAccepted) => group.settle(wasAccepted));',
		replace: '	group.settle(true);\n	void onAcceptance;',
	},
	{
		name: 'a delivery is acknowledged before n8n has stored it',
		file: 'trigger/delivery/receive.ts',
		find: '	return { workflowData: [chat === undefined',
		replace:
			'	response.status(200).end();\n	return { noWebhookResponse: true, workflowData: [chat === undefined',
	},
	{
		name: 'a delivery that cannot be verified is acknowledged',
		file: 'trigger/delivery/receive.ts',
		find: "const NOT_ACCEPTED: ResponseDecision = { response: { status: 503, error: 'not_accepted' } };",
		replace: "const NOT_ACCEPTED: ResponseDecision = { response: { status: 200, error: 'not_accepted' } };",
	},
	// Deduplication
	{
		name: 'copies are not recognised',
		file: 'trigger/deduplication/inFlightEvents.ts',
		find: 'if (existing) return { isNew: false, claim: existing };',
		replace: 'void existing;',
	},
	{
		name: 'a copy does not wait for the first delivery',
		file: 'trigger/deduplication/claimEvent.ts',
		find: 'Promise.race([attempt.claim.accepted, timeUp])',
		replace: 'Promise.race([true, timeUp])',
	},
	{
		name: 'a copy is acknowledged although nobody knows what becomes of the first',
		file: 'trigger/delivery/receive.ts',
		find: '{ accepted: OK, unknown: NOT_ACCEPTED }',
		replace: '{ accepted: OK, unknown: OK }',
	},
	{
		name: 'a refused event stays claimed',
		file: 'trigger/deduplication/inFlightEvents.ts',
		find: '					remove(claim);\n				}',
		replace: '				}',
	},
	{
		name: 'an accepted event is forgotten after a second',
		file: 'trigger/deduplication/inFlightEvents.ts',
		find: 'export const RETENTION_MS = 2 * TOLERANCE_MS;',
		replace: 'export const RETENTION_MS = TOLERANCE_MS / 300;',
	},
	{
		name: 'accepted events are never forgotten',
		file: 'trigger/deduplication/inFlightEvents.ts',
		find: 'if (now <= claimExpiresAt) return;',
		replace: 'if (now <= Infinity) return;',
	},
	{
		name: 'two events about one message count as copies',
		file: 'trigger/delivery/event.ts',
		find: "if (nonEmptyText(event) !== 'message.received' || !isRecord(message)) return [idKey];",
		replace: 'if (nonEmptyText(event) === undefined || !isRecord(message)) return [idKey];',
		wasReal: true,
	},
	{
		name: 'a replayed delivery with another event ID runs again',
		file: 'trigger/delivery/event.ts',
		find: ': [idKey, `message ${messageId}`];',
		replace: ': [idKey];',
	},
	{
		name: 'a second run of an event is not noticed',
		file: 'trigger/deduplication/isDuplicateRun.ts',
		find: 'return firstExecution !== executionId || isOfDuplicate(claim);',
		replace: 'return false;',
	},
	{
		name: 'an event that ran before a restart runs again',
		file: 'trigger/deduplication/isDuplicateRun.ts',
		find: '	if (await processed.wasProcessed(claim, store)) return true;\n	processed.recordDone(claim, store, LOCAL_RECORD_DELAY_MS);',
		replace: '	processed.recordDone(claim, store, LOCAL_RECORD_DELAY_MS);',
	},
	{
		name: 'an event that this process ran is not recorded',
		file: 'trigger/deduplication/isDuplicateRun.ts',
		find: '	processed.recordDone(claim, store, LOCAL_RECORD_DELAY_MS);\n	return false;',
		replace: '	return false;',
	},
	{
		name: 'an event that this process ran later than ten minutes after its start is not recorded',
		file: 'trigger/deduplication/isDuplicateRun.ts',
		find: 'wasAccepted && processed.recordDone(claim, store, LOCAL_RECORD_DELAY_MS)',
		replace: 'wasAccepted',
	},
	{
		name: 'an event that another worker ran runs again',
		file: 'trigger/deduplication/isDuplicateRun.ts',
		find: 'if (await processed.wasProcessed(claim, store, WORKER_DONE_TIMEOUT_MS)) return true;',
		replace: '',
	},
	{
		name: 'an event whose run was cut off counts as processed',
		file: 'trigger/deduplication/processedEvents.ts',
		find: ' && !recorded.has(`running ${key}`)',
		replace: '',
	},
	{
		name: 'a lookup counts as a run',
		file: 'trigger/deduplication/processedEvents.ts',
		find: 'lookupKeys.filter((key) => isDoneIn(recordedBefore, key))',
		replace: 'lookupKeys.filter((key) => recordedBefore.has(`known ${key}`))',
		wasReal: true,
	},
	{
		name: 'a recognised copy makes its event run again',
		file: 'trigger/deduplication/processedEvents.ts',
		find: 'lookupKeys.filter((key) => isDoneIn(recordedBefore, key))',
		replace: 'lookupKeys.slice(0, 0)',
	},
	{
		name: 'a copy with the ID of another event ends the event whose body it has',
		file: 'trigger/deduplication/processedEvents.ts',
		find: 'lookupKeys.filter((key) => isDoneIn(recordedBefore, key))',
		replace: "lookups.flatMap(({ keys }, index) => (states[index] === 'done' ? keys : []))",
		wasReal: true,
	},
	{
		name: 'an event whose response was lost does not run when it comes again',
		file: 'trigger/deduplication/isDuplicateRun.ts',
		find: '	if (!wasAccepted) return false;\n',
		replace: '	void wasAccepted;\n',
	},
	{
		name: 'an event counts as processed when the database fails',
		file: 'trigger/deduplication/processedEvents.ts',
		find: '			onFailure(error);\n			return [];',
		replace: "			onFailure(error);\n			return asked.filter((key) => key.startsWith('known'));",
	},
	{
		name: 'calls of one process to the row lose keys of each other',
		file: 'trigger/deduplication/processedEvents.ts',
		find: 'void inSeries(async () => {',
		replace: 'void Promise.resolve().then(async () => {',
	},
];

const WAITING: Array<Omit<Mutant, 'world'>> = [
	// Who answers
	{
		name: 'opening a link answers the question',
		file: 'sendAndWait/receiveAnswer.ts',
		find: "context.getRequestObject().method === 'POST'",
		replace: 'context.getRequestObject().method !== undefined',
	},
	{
		name: 'a link answers the question of another pass',
		file: 'sendAndWait/receiveAnswer.ts',
		find: 'question.run === run && ',
		replace: '',
	},
	{
		name: 'an answer after the time limit counts',
		file: 'sendAndWait/receiveAnswer.ts',
		find: ' && !isOver(question)',
		replace: '',
		wasReal: true,
	},
	{
		name: 'a question is closed as soon as it is asked',
		file: 'sendAndWait/receiveAnswer.ts',
		find: 'return Date.now() >= deadline;',
		replace: 'return Date.now() < deadline;',
	},
	{
		name: 'the link to decline approves',
		file: 'sendAndWait/receiveAnswer.ts',
		find: 'acceptAnswer(context, question, { approved: isApproved }, button)',
		replace: 'acceptAnswer(context, question, { approved: true }, button)',
	},
	{
		name: 'a form without its answers is taken',
		file: 'sendAndWait/parseForm.ts',
		find: 'return errors.size > 0 ? { errors } :',
		replace: 'return',
	},
	{
		name: 'every form is refused',
		file: 'sendAndWait/parseForm.ts',
		find: 'errors.size > 0 ? { errors }',
		replace: 'errors ? { errors }',
	},
	{
		name: 'fields of nobody are read as the first one',
		file: 'sendAndWait/parseForm.ts',
		find: 'const sent = submitted[fieldName(index)];',
		replace: 'const sent = submitted[fieldName(index)] ?? Object.values(submitted)[0];',
	},
	// What the visitor is told
	{
		name: 'a closed question thanks for the answer',
		file: 'sendAndWait/receiveAnswer.ts',
		find: '		return showPage(context, 410, closedPage(question));\n	context',
		replace: '		return showPage(context, 200, thanksPage(question));\n	context',
	},
	{
		name: 'thanks come before n8n has stored the answer',
		file: 'sendAndWait/receiveAnswer.ts',
		find: '	context.getResponseObject().set(PAGE_HEADERS);\n',
		replace:
			'	context.getResponseObject().set(PAGE_HEADERS);\n	context.getResponseObject().status(200).send(thanksPage(question));\n',
	},
	{
		name: 'an answer that n8n could not store closes the question',
		file: 'sendAndWait/claimAnswer.ts',
		find: 'else answers.delete(question);\n			return wasAccepted;',
		replace: 'else answer.acceptedAt = now();\n			return true;',
		wasReal: true,
	},
	{
		name: 'an answer does not wait for what becomes of an earlier one',
		file: 'sendAndWait/claimAnswer.ts',
		find: 'if (await earlier.accepted) return false;',
		replace: 'return false;',
	},
	// How long the workflow waits
	{
		name: 'minutes are seconds',
		file: 'sendAndWait/deadline.ts',
		find: 'minutes: 60_000',
		replace: 'minutes: 1_000',
	},
	{
		name: 'a wait without a limit ends',
		file: 'sendAndWait/deadline.ts',
		find: 'if (!limit) return WAIT_INDEFINITELY;',
		replace: 'if (!limit) return new Date(now + 600_000);',
	},
	{
		name: 'a timer of n8n ends the wait of the next question',
		file: 'sendAndWait/interaction.ts',
		find: 'ready: async (clock) => await outlastTimer(context, clock),',
		replace: 'ready: async () => await Promise.resolve(),',
		wasReal: true,
	},
	{
		name: 'a timer of n8n is outlasted only until it expires',
		file: 'sendAndWait/interaction.ts',
		find: 'const TIMER_MARGIN_MS = 5_000;',
		replace: 'const TIMER_MARGIN_MS = 0;',
	},
	{
		name: 'after the time limit the workflow goes on with the input',
		file: 'sendAndWait/interaction.ts',
		find: 'context.getExecuteData().data.main = [[{ json: { data: timeoutAnswer(question) } }]];',
		replace: '',
	},
	// What is asked
	{
		name: 'the workflow does not wait',
		file: 'execution/runOperation.ts',
		find: 'await first?.interaction?.wait(clock.now());',
		replace: '',
	},
	{
		name: 'the workflow waits for an answer to a question that failed',
		file: 'execution/runOperation.ts',
		find: "if (!results.some((result) => result && 'error' in result)) {",
		replace: 'if (results) {',
	},
	{
		name: 'one of several items is asked about',
		file: 'sendAndWait/interaction.ts',
		find: 'if (items > 1) {',
		replace: 'if (items > 2) {',
	},
	{
		name: 'an unconfirmed question is asked again',
		file: 'execution/sending/sendOnce.ts',
		find: 'if (error instanceof ApiError && error.ambiguous) return error;',
		replace: 'if (error instanceof ApiError && error.ambiguous) return forget(error);',
	},
	{
		name: 'the links of all passes are the same',
		file: 'sendAndWait/interaction.ts',
		find: 'const run = String(context.getWorkflowDataProxy(0).$runIndex);',
		replace: "const run = String(context.getWorkflowDataProxy(0).$runIndex).slice(0, 0) + '0';",
	},
	{
		name: 'a retry of an execution does not ask, as the question was asked before',
		file: 'execution/tasks.ts',
		find: 'interaction ? `${key} ${interaction.scope}` : key',
		replace: 'key',
	},
];

const CAMPAIGN: Array<Omit<Mutant, 'world'>> = [
	{
		name: 'a request with an ID is not recorded before it is made',
		file: 'execution/sending/requestIds/batches.ts',
		find: 'begunKey(each.requestKey),',
		replace: '',
	},
	{
		name: 'a process makes several calls to the row at the same time',
		file: 'execution/sending/sendStore.ts',
		find: 'await inSeries(node, async () => await store.record(keys))',
		replace: 'await store.record(keys)',
	},
	{
		name: 'a text that is still in the queue counts as never sent',
		file: 'execution/sending/requestIds/batches.ts',
		find: 'isProven && isOnlyProcess === true && notQueued.has(requestKey)',
		replace: 'isProven && isOnlyProcess === true',
	},
	{
		name: 'an ID whose request was made before is used again',
		file: 'execution/sending/requestIds/claims.ts',
		find: "return { state: 'sent' };",
		replace: "return { state: 'new' };",
	},
	{
		name: 'an ID proves what became of another text with it',
		file: 'execution/sending/requestIds/claims.ts',
		find: 'return stored !== undefined && stored !== textKeysOf(send)[0];',
		replace: "return stored === '';",
		wasReal: true,
	},
	{
		name: 'a stopped execution keeps its request IDs',
		file: 'execution/sending/sendOnce.ts',
		find: 'await reconciliation.find(search).catch(() => undefined)',
		replace: 'await reconciliation.find(search)',
		wasReal: true,
	},
	{
		name: 'what fails before a send counts as maybe sent',
		file: 'execution/runTask.ts',
		find: 'checkBeforeSend(task, send).catch(failAsNeverSent)',
		replace: 'checkBeforeSend(task, send)',
		wasReal: true,
	},
	{
		name: 'those who opted out are not skipped',
		file: 'execution/runTask.ts',
		find: 'withoutSkipped(send.request, account.optOuts, tags, options)',
		replace: 'withoutSkipped(send.request, account.optOuts, tags.slice(tags.length), options)',
	},
];

const MISSED: Array<Omit<Mutant, 'world'>> = [
	{
		name: 'a message counts as ended when its run begins',
		file: 'trigger/catchUp/workflowRuns.ts',
		find: 'void clock.sleep(maxRunMs, finished.signal).then(',
		replace: 'void Promise.resolve().then(',
	},
	{
		name: 'a message that runs nowhere is started only once',
		file: 'trigger/catchUp/messageStarter.ts',
		find: 'if (!runs.isBegun(nameOf(message)))',
		replace: 'if (stopped.aborted)',
	},
	{
		name: 'a poller that n8n restarts does not note since when it listens',
		file: 'trigger/activation/polling.ts',
		find: '			noteListening(context);\n			// The loop',
		replace: '			// The loop',
		wasReal: true,
	},
	{
		name: 'the row does not begin with its mark when a look-up was cut off before',
		file: 'trigger/deduplication/runRow.ts',
		find: 'if (await isEmpty(lookUp)) return new Set();',
		replace: '',
		wasReal: true,
	},
	{
		name: 'a run that another process overwrites is not recorded again',
		file: 'trigger/deduplication/runRow.ts',
		find: 'while (unchecked.size + lookedUp.size > 0) {',
		replace: 'while (unchecked.size < 0) {',
		wasReal: true,
	},
	{
		name: 'a polling trigger looks back from when the service responds',
		file: 'trigger/catchUp/listening.ts',
		find: 'startedAt - minutes * 60_000)',
		replace: 'Math.min(startedAt, clock.now() - minutes * 60_000))',
		wasReal: true,
	},
	{
		name: 'a loop that n8n has not ended goes on beside the next one',
		file: 'n8n/backgroundLoop.ts',
		find: 'running.get(key)?.abort();',
		replace: '',
		wasReal: true,
	},
	{
		name: 'a loop goes on when its trigger is unpublished',
		file: 'trigger/catchUp/messageLoop.ts',
		find: '		noteClosed(context, true);\n		stop();',
		replace: '		noteClosed(context, true);\n		void stop;',
	},
];

const ANSWERS: Array<Omit<Mutant, 'world'>> = [
	// What is an answer
	{
		name: 'of several questions that accept a text, one takes it',
		file: 'trigger/answers/handOver.ts',
		find: 'if (!only || others.length > 0) return false;',
		replace: 'if (!only) return false;',
	},
	{
		name: 'a code word does not say which question is meant',
		file: 'trigger/answers/withoutAnswers.ts',
		find: 'named.length > 0 ? named : questions,',
		replace: 'questions,',
	},
	{
		name: 'a text that begins like a label is that label',
		file: 'sendAndWait/readReply.ts',
		find: "form !== '' && form === comparableFormOf(other)",
		replace: "form !== '' && form.startsWith(comparableFormOf(other))",
	},
	{
		name: 'every later text answers a question for a text',
		file: 'sendAndWait/readReply.ts',
		find: 'withoutCode !== undefined || isFirst',
		replace: 'withoutCode !== undefined || isFirst || !isFirst',
	},
	{
		name: 'everybody in a group may answer',
		file: 'sendAndWait/readReply.ts',
		find: 'if (responders.length === 0) return true;',
		replace: 'if (responders.length >= 0) return true;',
	},
	{
		name: 'a group itself is named as who answered',
		file: 'sendAndWait/receiveAnswer.ts',
		find: '[RESPONDED_BY]: from ?? chat',
		replace: '[RESPONDED_BY]: from === undefined ? from : chat',
	},
	// Who may hand over
	{
		name: 'a guessed signature hands over an answer',
		file: 'api/signedHeader.ts',
		find: 'one.length === other.length && timingSafeEqual(one, other)',
		replace: 'one.length === other.length',
	},
	{
		name: 'a signed request hands over another text',
		file: 'api/signedHeader.ts',
		find: '${textOf(stamp)}\\n${digest}`',
		replace: '${textOf(stamp)}\\n${digest.length}`',
	},
	{
		name: 'a signed request hands over to another question',
		file: 'sendAndWait/inChat/protocol.ts',
		find: '${stamp}\\n${link}`',
		replace: '${stamp}\\n${link.length}`',
	},
	// Never both, and never neither
	{
		name: 'a question takes what it is only asked about',
		file: 'sendAndWait/receiveAnswer.ts',
		find: "if (!read || request.phase === 'check') {",
		replace: 'if (!read) {',
	},
	{
		name: 'a question that was closed in between has taken the answer',
		file: 'trigger/answers/handOver.ts',
		find: 'if (!isUnanswered(result)) return wasUnknown;',
		replace: 'if (!isUnanswered(result)) return true;',
	},
	{
		name: 'a question whose response got lost has not taken the answer',
		file: 'trigger/answers/handOver.ts',
		find: 'if (!isUnanswered(result)) return wasUnknown;',
		replace: 'if (!isUnanswered(result)) return false;',
	},
	{
		name: 'a request that n8n refused may have been taken',
		file: 'trigger/answers/handOver.ts',
		find: "wasUnknown ||= result === 'unknown';",
		replace: 'wasUnknown = true;',
		wasReal: true,
	},
	{
		name: 'a question that does not respond has not taken the answer',
		file: 'trigger/answers/handOver.ts',
		find: 'if (wasUnknown) throw new UncertainAnswer();',
		replace: '',
	},
	{
		name: 'an answer is not recorded before it is handed over',
		file: 'trigger/answers/handOver.ts',
		find: 'await records.begin(only.name);',
		replace: '',
	},
	{
		name: 'a run does not look for what an earlier one has begun',
		file: 'trigger/answers/handOver.ts',
		find: 'if (begun.length > 0) return true;',
		replace: '',
	},
	{
		name: 'a message waits for a chat for as long as n8n waits for a response',
		file: 'trigger/answers/withoutAnswers.ts',
		find: 'within(Math.max(leftMs, MIN_CHAT_TIMEOUT_MS), readChat(context, chat))',
		replace: 'readChat(context, chat)',
		wasReal: true,
	},
	{
		name: 'a message that cannot be checked fails its execution',
		file: 'trigger/answers/withoutAnswers.ts',
		find: '			return undefined;\n		});',
		replace: '			throw error;\n		});',
	},
	{
		name: 'a duplicate that was dropped holds back the message that was cut off',
		file: 'trigger/catchUp/fetchedRun.ts',
		find: 'if (!attempt.isNew && !isOfDuplicate(attempt.claim)) return false;',
		replace: 'if (!attempt.isNew) return false;',
		wasReal: true,
	},
	// What is asked
	{
		name: 'a webhook that cannot be read hides that the question was sent',
		file: 'sendAndWait/interaction.ts',
		find: '	return { question: { ...asked, inChat }, message: messageForChat',
		replace: '	await check();\n	return { question: { ...asked, inChat }, message: messageForChat',
		wasReal: true,
	},
];

const ofWorld = (world: WorldName) => (mutant: Omit<Mutant, 'world'>) => ({ ...mutant, world });

export const MUTANTS: Mutant[] = [
	...SENDING.map(ofWorld('sending')),
	...CAMPAIGN.map(ofWorld('campaign')),
	...RECEIVING.map(ofWorld('receiving')),
	...MISSED.map(ofWorld('missed')),
	...WAITING.map(ofWorld('waiting')),
	...ANSWERS.map(ofWorld('answers')),
];
