import type { IHttpRequestOptions } from 'n8n-workflow';

import {
	endSilence,
	fetchAfterSilence,
	requestTestRun,
} from '../../../../nodes/MessagingChannel/trigger/catchUp/testRun';
import { REQUEST_HEADER } from '../../../../nodes/MessagingChannel/trigger/sharing/internalRequest';
import type { ManualClock } from '../../../support/engine/manualClock';
import { activatedTriggerOf } from '../../../../nodes/MessagingChannel/trigger/delivery/trigger';
import { triggerOf } from '../activation/triggerOf';
import { triggerClockAt } from '../triggerClockAt';

const TEST_URL = 'https://n8n.example.com/webhook-test/own/webhook';

let clock: ManualClock;
beforeEach(() => {
	clock = triggerClockAt(Date.UTC(2030, 0, 31, 9));
});
afterEach(() => void jest.restoreAllMocks());

describe('n8n ends its wait for a test event', () => {
	/** A trigger, and its requests. */
	const watched = (settings: Omit<Parameters<typeof triggerOf>[0], 'baseUrl'>) => {
		const { context } = triggerOf({ baseUrl: 'https://service.example.com', ...settings });
		const requests: IHttpRequestOptions[] = [];
		const { httpRequest } = context.helpers;
		context.helpers.httpRequest = async (options) => {
			requests.push(options);
			return (await httpRequest(options)) as unknown;
		};
		const kinds = () => requests.map(({ headers }) => headers?.[REQUEST_HEADER] as unknown);
		return { trigger: activatedTriggerOf(context), requests, kinds };
	};

	test('after a request to its test URL, when it has registered that', async () => {
		const { trigger, requests, kinds } = watched({ answer: () => ({ status: 200, isTrigger: true }) });
		expect(await requestTestRun(trigger.request, TEST_URL)).toBe(true);
		await clock.advance(499);
		expect(kinds()).toEqual(['reach']);
		await clock.advance(1);
		expect(kinds()).toEqual(['reach', 'fetch']);
		for (const request of requests)
			expect(request).toMatchObject({ method: 'POST', url: TEST_URL, timeout: 10_000 });
	});

	test.each([
		['nothing responds', undefined],
		['something else responds', { status: 200 }],
	])('and is not asked to if %s at its test URL', async (_, answer) => {
		const { trigger, kinds } = watched({ answer: () => answer });
		expect(await requestTestRun(trigger.request, TEST_URL)).toBe(false);
		await clock.advance(60_000);
		expect(kinds()).toEqual(['reach']);
	});

	test.each([
		['no event came for 20 seconds', ['message.received'], 20_000, ['fetch']],
		['it has waited less', ['message.received'], 19_999, []],
		['no received message can be the event', ['message.sent'], 60_000, []],
	])('when %s', async (_, events, ms, expected) => {
		const { trigger, kinds } = watched({ parameters: { events } });
		fetchAfterSilence(trigger, TEST_URL);
		await clock.advance(ms);
		expect(kinds()).toEqual(expected);
		endSilence(TEST_URL);
		await clock.advance(60_000);
		expect(kinds()).toEqual(expected);
	});
});
