import type { IDataObject } from 'n8n-workflow';

import { clock } from '../../../../nodes/MessagingChannel/trigger/account/clock';
import {
	mayRunFetched,
	messageNameOf,
} from '../../../../nodes/MessagingChannel/trigger/catchUp/workflowRuns';
import { eventOf } from '../../../../nodes/MessagingChannel/trigger/delivery/event';
import { isDuplicateRun } from '../../../../nodes/MessagingChannel/trigger/deduplication/ranBefore';
import { stateOf } from '../../../../nodes/MessagingChannel/trigger/delivery/state';
import { triggerRunOf } from '../../../../nodes/MessagingChannel/trigger/delivery/trigger';
import { newKeyStore } from '../../../support/engine/keyRow';
import { newNode } from '../runOf';

/** A message that was fetched. */
const message: IDataObject = {
	event: 'message.received',
	event_id: 'message 1',
	account_id: 'account-1',
	chat: { id: '905551112233@c.us' },
	message: { id: 'message-1', timestamp: 1_900_000_000 },
	fetched: true,
};

const KEYS = eventOf('message 1', {}, message).keys;

test('a copy that is delivered later counts as accepted, whatever becomes of the run', async () => {
	const run = triggerRunOf(newNode().runOf([{ json: message }], { mode: 'trigger' }));
	await mayRunFetched(run, KEYS, 'message-1');

	const delivered = stateOf(run).inFlight.claim(eventOf('event 1', {}, message).keys);

	expect(delivered.isNew).toBe(false);
	expect(await Promise.race([delivered.claim.accepted, new Promise(setImmediate)])).toBe(true);
});

test('a message runs although a delivered copy was dropped, as what ran it may have been cut off', async () => {
	const { runOf } = newNode();
	const run = triggerRunOf(runOf([{ json: message }], { mode: 'trigger', executionId: '2' }));
	const { store } = newKeyStore();
	const { keys } = eventOf('event 1', {}, message);
	await store.record(keys.map((key) => `known ${key}`));
	const delivered = { keys, executionId: '1', processStartedAt: clock.elapsed() };
	expect(await isDuplicateRun(delivered, stateOf(run), store, clock)).toBe(true);

	expect(await mayRunFetched(run, KEYS, 'message-1')).toBe(true);
	const another = triggerRunOf(runOf([{ json: message }], { mode: 'trigger', executionId: '3' }));
	expect(await mayRunFetched(another, KEYS, 'message-1')).toBe(false);
});

const tries = [1, 2, 3].map((count) => `try ${count}`);
test.each<[string, string[], boolean, string[]]>([
	['is new', [], true, []],
	['was cut off twice', tries.slice(1), true, []],
	['ran to its end', ['known'], false, []],
	['was cut off three times', tries, false, ['does not run again, because n8n was ended three times']],
	['may have run, as the database does not say', ['broken'], true, ['so it may run twice']],
])('a message that %s: %j', async (_, stored, mayRun, reasons) => {
	const { runOf, sharedRow, log } = newNode();
	const run = triggerRunOf(runOf([{ json: message }], { mode: 'trigger' }));
	sharedRow.keys = stored.map((key) => `${key} ${messageNameOf(run, 'message-1')}`);
	sharedRow.isBroken = stored.includes('broken');

	expect(await mayRunFetched(run, KEYS, 'message-1')).toBe(mayRun);
	expect(log).toEqual(reasons.map((reason) => expect.stringContaining(reason)));
});

test('a message whose delivery n8n holds back does not run', async () => {
	const run = triggerRunOf(newNode().runOf([{ json: message }], { mode: 'trigger' }));
	stateOf(run).inFlight.claim(KEYS);
	expect(await mayRunFetched(run, KEYS, 'message-1')).toBe(false);
});
