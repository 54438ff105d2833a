import type { IExecuteFunctions } from 'n8n-workflow';

import { releaseStates, stateOf } from '../../../../nodes/MessagingChannel/trigger/delivery/state';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

let workflows = 0;

/** A place where a trigger of a workflow of its own runs. */
function caller(): Parameters<typeof stateOf>[0] {
	const id = `workflow-${++workflows}`;
	const place: Partial<IExecuteFunctions> = {
		getWorkflow: () => ({ id, active: true }),
		getNode: () => ({
			id: 'node',
			name: 'Listens',
			type: '',
			typeVersion: 2,
			position: [0, 0],
			parameters: {},
		}),
		getMode: () => 'webhook',
	};
	return place as Parameters<typeof stateOf>[0];
}

const begin = (trigger: ReturnType<typeof caller>) => {
	const begun = stateOf(trigger).inFlight.claim(['id 1'], Date.now());
	if (!begun.isNew) throw new Error('It is known already');
	return begun.settle;
};

test('a trigger without events is released', () => {
	const trigger = caller();
	const state = stateOf(trigger);
	expect(stateOf(trigger)).toBe(state);
	releaseStates();
	expect(stateOf(trigger)).not.toBe(state);
});

test('a trigger whose event may come again is kept for ten minutes', () => {
	const trigger = caller();
	begin(trigger)(true, Date.now());
	const state = stateOf(trigger);
	jest.advanceTimersByTime(600_000);
	releaseStates();
	expect(stateOf(trigger)).toBe(state);
	jest.advanceTimersByTime(1);
	releaseStates();
	expect(stateOf(trigger)).not.toBe(state);
});

test('a trigger whose event n8n did not accept is released', () => {
	const trigger = caller();
	const settle = begin(trigger);
	const state = stateOf(trigger);
	releaseStates();
	expect(stateOf(trigger)).toBe(state);
	settle(false, Date.now());
	releaseStates();
	expect(stateOf(trigger)).not.toBe(state);
});

test('another trigger releases those that ended, as a webhook processor is not told what was unpublished', () => {
	const trigger = caller();
	const state = stateOf(trigger);
	stateOf(caller());
	expect(stateOf(trigger)).not.toBe(state);
});
