import type { IDataObject } from 'n8n-workflow';

import { createEmptyQueueCheck } from '../../../../nodes/MessagingChannel/execution/sending/emptyQueueCheck';
import { virtualClock } from '../../../support/engine/clock';
import { answer, scripted } from '../../api/scripted';
import { serviceWithQueue } from './queue';

const withWaiting = (waiting?: number): IDataObject => ({ waiting, active: 0, delayed: 0 });

function queueOf(...statuses: IDataObject[]) {
	const { client, clock, looks } = serviceWithQueue(statuses);
	return { clock, looks, queue: createEmptyQueueCheck(client, clock) };
}

test.each<[string, IDataObject]>([
	['a waiting message', withWaiting(1)],
	['a message that is being sent', { ...withWaiting(0), active: 1 }],
	['a delayed message', { ...withWaiting(0), delayed: 1 }],
	['an unknown length', withWaiting()],
])('after %s, two further looks must find it empty', async (_, status) => {
	const { queue, looks, clock } = queueOf(withWaiting(0), status, withWaiting(0));

	expect(await queue()).toBe(true);

	expect(looks()).toBe(4);
	expect(clock.skippedMs).toBe(15_000);
});

test('a queue that was empty is not looked at again', async () => {
	const { queue, looks } = queueOf(withWaiting(0), withWaiting(0), withWaiting(1));

	expect([await queue(), await queue()]).toEqual([true, true]);

	expect(looks()).toBe(2);
});

test('a queue that does not become empty in five minutes is not, and later checks do not wait for it', async () => {
	const { queue, clock, looks } = queueOf(
		...Array.from({ length: 62 }, () => withWaiting(1)),
		withWaiting(0),
	);

	expect(await queue()).toBe(false);
	expect(clock.skippedMs).toBe(300_000);
	expect(looks()).toBe(61);

	expect(await queue()).toBe(false);
	expect(clock.skippedMs).toBe(300_000);
	expect(looks()).toBe(62);

	expect(await queue()).toBe(true);
});

test('a queue that cannot be read is not empty', async () => {
	const { client, clock } = scripted(answer(404, { success: false, error: 'not_found' }));

	expect(await createEmptyQueueCheck(client, clock)()).toBe(false);
});

test('stopping the execution ends the wait', async () => {
	const stopped = new Error('stopped');
	const fail = async () => await Promise.reject(stopped);

	await expect(createEmptyQueueCheck({ call: fail, download: fail }, virtualClock())()).rejects.toBe(stopped);
});
