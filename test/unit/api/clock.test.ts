import * as n8n from 'n8n-workflow';
import { setTimeout as timeout } from 'node:timers/promises';

import { systemClock } from '../../../nodes/MessagingChannel/api/clock';

const HOUR_MS = 3_600_000;

const reason = new Error('The execution was stopped');

/** `sleep` as n8n 1.x has it: it takes no signal. */
const withoutSignal = async (ms: number) => await timeout(ms, undefined, { ref: false });

jest.mock('n8n-workflow', (): typeof n8n => ({ ...jest.requireActual<typeof n8n>('n8n-workflow') }));

describe.each([
	['2.x', jest.requireActual<typeof n8n>('n8n-workflow').sleep],
	['1.x', withoutSignal],
])("with n8n %s's sleep", (_, sleep) => {
	beforeEach(() => void Object.assign(n8n, { sleep }));

	test('waits', async () => {
		const started = performance.now();
		await systemClock(new AbortController().signal).sleep(20);
		expect(performance.now() - started).toBeGreaterThan(18);
	});

	test.each(['the execution', 'the wait'])('a wait ends when %s is cancelled', async (cancelled) => {
		const execution = new AbortController();
		const over = new AbortController();
		const waiting = systemClock(execution.signal).sleep(HOUR_MS, over.signal);
		(cancelled === 'the wait' ? over : execution).abort(reason);
		await expect(waiting).rejects.toBe(reason);
	});

	test('a wait does not begin in an execution that was cancelled', async () => {
		await expect(systemClock(AbortSignal.abort(reason)).sleep(HOUR_MS)).rejects.toBe(reason);
	});
});
