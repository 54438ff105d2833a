import type { IDataObject } from 'n8n-workflow';

import { clock } from '../../../../nodes/MessagingChannel/trigger/account/clock';
import { mayRunFetched } from '../../../../nodes/MessagingChannel/trigger/catchUp/workflowRuns';
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
});
