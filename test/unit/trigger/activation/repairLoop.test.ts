import { startRepairLoop } from '../../../../nodes/MessagingChannel/trigger/activation/repairLoop';
import { clock } from '../../../../nodes/MessagingChannel/trigger/delivery/state';
import { isSharedHub } from '../../../../nodes/MessagingChannel/trigger/sharing/sharedHubs';
import { OWN_URL, serviceWith, triggerOf, webhookOf, workflow, type Answer } from './triggerOf';

const MINUTE = 60_000;

const own = workflow(OWN_URL);
const second = workflow('https://n8n.example.com/webhook/second/webhook');
const third = workflow('https://n8n.example.com/webhook/third/webhook');
const PRESENT: Answer = { status: 200, isTrigger: true };
const GONE: Answer = { status: 404 };
const OTHER_SECRET: Answer = { status: 401, isTrigger: true };

let now = 2_000_000_000_000;
const ends: Array<() => void> = [];
afterEach(() => {
	for (const end of ends.splice(0)) end();
	jest.restoreAllMocks();
});

let services = 0;

/** Looks after the subscription of a trigger whose account has this webhook. */
function watch(
	webhook: ReturnType<typeof webhookOf> | null,
	answers: Record<string, Answer> = {},
	more: Partial<Parameters<typeof triggerOf>[0]> = {},
) {
	// The process remembers others for some minutes.
	now += 60 * MINUTE;
	const service = serviceWith(webhook);
	const { respond } = service;
	const trigger = triggerOf({
		baseUrl: `https://service-${++services}.example.com`,
		kept: { webhookUrl: OWN_URL },
		respond,
		answer: (url) => answers[url],
		...more,
	});
	const pauses: number[] = [];
	const signals: Array<AbortSignal | undefined> = [];
	let wake = () => {};
	jest.spyOn(clock, 'now').mockImplementation(() => now);
	jest.spyOn(clock, 'sleep').mockImplementation(async (ms, signal) => {
		pauses.push(ms);
		signals.push(signal);
		await new Promise<void>((resolve) => (wake = resolve));
	});
	const end = startRepairLoop(trigger.context);
	ends.push(end);
	return {
		...trigger,
		service,
		answers,
		signals,
		end,
		/** Ends the pause. Resolves to the next one; undefined if there is none. */
		pass: async (ms = MINUTE): Promise<number | undefined> => {
			const count = pauses.length;
			now += ms;
			service.requests.length = 0;
			trigger.asked.length = 0;
			wake();
			for (let round = 0; round < 100 && pauses.length === count; round++) await new Promise(setImmediate);
			return pauses[count];
		},
		pauses,
	};
}

describe('the next check is', () => {
	test('in five minutes for a trigger alone that is in order', async () => {
		const { pass, pauses, service, log } = watch(webhookOf([own]));

		expect(pauses).toEqual([MINUTE]);
		expect(await pass()).toBe(5 * MINUTE);

		expect([service.requests, log]).toEqual([['GET webhooks'], []]);
	});

	test('in five minutes for a trigger that has no URL yet, and asks nobody', async () => {
		const { pass, service } = watch(null, {}, { kept: {} });

		expect(await pass()).toBe(5 * MINUTE);

		expect(service.requests).toEqual([]);
	});

	test('in a minute while one of the others is absent', async () => {
		const webhook = webhookOf([own, second, third]);
		const { pass, asked } = watch(webhook, { [second.url]: PRESENT, [third.url]: GONE });

		expect(await pass()).toBe(MINUTE);

		expect(asked).toEqual([`reach ${second.url}`, `reach ${third.url}`]);
	});

	test('in a minute after a repair, and in five when that has worked', async () => {
		const { pass, service, log } = watch(null);

		expect(await pass()).toBe(MINUTE);
		expect(service.webhook).toMatchObject({ url: OWN_URL });
		expect(await pass()).toBe(5 * MINUTE);

		expect(log).toEqual(["Listens: the account's webhook was repaired"]);
	});

	test('in a minute when another process has made the repair meanwhile, of which nothing is told', async () => {
		const service = serviceWith(null);
		const { pass, log } = watch(
			null,
			{},
			{
				respond: (options) => {
					const response = service.respond(options);
					service.webhook ??= webhookOf([own]);
					return response;
				},
			},
		);

		expect(await pass()).toBe(MINUTE);

		expect(service.requests).not.toContain('POST webhooks');
		expect(log).toEqual([]);
	});

	test('in a minute while another system has the webhook', async () => {
		const webhook = { url: 'https://crm.example.com/events', events: ['message.sent'], timeout_seconds: 7 };
		const { pass, service, log } = watch(webhook);

		expect([await pass(), await pass()]).toEqual([MINUTE, MINUTE]);

		expect(service.requests).toEqual(['GET webhooks']);
		expect(log).toEqual([expect.stringContaining('already points to https://crm.example.com/events')]);
	});

	test('in five minutes when the service refuses the repair', async () => {
		const { pass, service, log } = watch(null);
		service.statuses.set = 400;

		expect(await pass()).toBe(5 * MINUTE);

		expect(log).toEqual([expect.stringContaining('the webhook could not be repaired:')]);
	});

	test('never when n8n has ended the trigger', async () => {
		const { end, signals } = watch(null);
		expect(signals[0]?.aborted).toBe(false);

		end();

		expect(signals[0]?.aborted).toBe(true);
	});
});

test('each repair of something else is told', async () => {
	const { pass, service, log } = watch(null);
	await pass();
	service.webhook = { ...webhookOf([own]), events: ['message.sent'] };

	expect(await pass()).toBe(MINUTE);

	expect(log).toEqual(Array(2).fill("Listens: the account's webhook was repaired"));
});

test('a process that did not share the webhook knows from a check that it is shared', async () => {
	const hub = workflow('https://n8n.example.com/webhook/hub/webhook');
	const { pass } = watch(webhookOf([hub, own]), { [hub.url]: PRESENT });
	expect(isSharedHub(hub.url)).toBe(false);

	await pass();

	expect(isSharedHub(hub.url)).toBe(true);
});

describe('a hub', () => {
	test('removes the one of the others that is gone', async () => {
		const webhook = webhookOf([own, second, third]);
		const { pass, service } = watch(webhook, { [second.url]: PRESENT, [third.url]: GONE });
		await pass();
		expect(service.webhook).toBe(webhook);

		await pass();

		expect(service.webhook).toEqual(webhookOf([own, second]));
	});

	test('changes nothing for another workflow that fails', async () => {
		const { pass, service } = watch(webhookOf([own, second]), {
			[second.url]: { status: 503, isTrigger: true },
		});

		for (let minute = 0; minute < 10; minute++) {
			expect(await pass()).toBe(MINUTE);
			expect(service.requests).toEqual(['GET webhooks']);
		}
	});

	test('leaves a list with another secret as it is while one of the others has that secret', async () => {
		const webhook = webhookOf([own, second, third], 'another');
		const { pass, service } = watch(webhook, { [second.url]: PRESENT, [third.url]: OTHER_SECRET });

		expect(await pass()).toBe(5 * MINUTE);

		expect(service.webhook).toBe(webhook);
	});
});

describe('a trigger beside a hub', () => {
	test.each([500, 503])('takes its place when it has responded %i for five minutes', async (status) => {
		const webhook = webhookOf([second, own]);
		const { pass, service } = watch(webhook, { [second.url]: { status, isTrigger: true } });
		for (let minute = 0; minute < 5; minute++) expect(await pass()).toBe(MINUTE);
		expect(service.webhook).toBe(webhook);

		await pass();

		expect(service.webhook).toEqual(webhookOf([own, second]));
	});

	test('leaves it in its place when this n8n cannot reach its own URL', async () => {
		const { pass, service } = watch(webhookOf([second, own]), { [second.url]: undefined });

		for (let minute = 0; minute < 10; minute++) {
			expect(await pass()).toBe(5 * MINUTE);
			expect(service.requests).toEqual(['GET webhooks']);
		}
	});

	test('checks its secret only when the hub has had another one for five minutes', async () => {
		const webhook = webhookOf([second, own]);
		const { pass, service, answers } = watch(webhook, { [second.url]: PRESENT });
		for (let minute = 0; minute < 10; minute++) await pass();
		answers[second.url] = OTHER_SECRET;

		for (let minute = 0; minute < 5; minute++) {
			expect(await pass()).toBe(MINUTE);
			expect(service.requests).toEqual(['GET webhooks']);
		}
		await pass();

		expect(service.requests).toContain('POST test');
	});

	test('asks each minute whether it may join one with another secret', async () => {
		const { pass, asked } = watch(webhookOf([second, third]), { [second.url]: OTHER_SECRET });

		for (let minute = 0; minute < 10; minute++) {
			expect(await pass()).toBe(MINUTE);
			expect(asked).toEqual([`reach ${second.url}`, `probe ${second.url}`]);
		}
	});
});
