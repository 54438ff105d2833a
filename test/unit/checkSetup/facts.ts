import { parseChat, parseMessage } from '../../../nodes/MessagingChannel/api/message';
import { ApiError } from '../../../nodes/MessagingChannel/api/errors';
import type { Facts } from '../../../nodes/MessagingChannel/checkSetup/facts';
import type { AskedReceiver } from '../../../nodes/MessagingChannel/checkSetup/receivers';
import type { Verdict } from '../../../nodes/MessagingChannel/checkSetup/row';
import type { TriggerStatus } from '../../../nodes/MessagingChannel/trigger/delivery/status';
import type { Subscriber } from '../../../nodes/MessagingChannel/webhook/subscribers';

const URL = 'https://n8n.example.com/webhook/path/webhook';
const EVENTS = ['message.received'];

/** What a trigger tells. */
export const told = (more: Partial<TriggerStatus> = {}): AskedReceiver['answer'] => ({
	status: {
		isProven: true,
		isProxied: false,
		deliveries: { verified: 2 },
		lastMsAgo: {},
		workflow: 'Support',
		...more,
	},
});

export const receiver = (
	more: Partial<Subscriber> = {},
	answer: AskedReceiver['answer'] = told(),
): AskedReceiver => ({
	subscriber: { url: URL, kind: 'workflow', events: EVENTS, timeoutSeconds: 30, ...more },
	...(answer && { answer }),
});

export const webhookTo = (url: string, more = {}) => ({
	value: {
		registered: { url, events: EVENTS, timeoutSeconds: 30 },
		subscribers: [receiver({ url }).subscriber],
		isList: false,
		isSigned: false,
		...more,
	},
});

/** A setup in which everything is fine. */
export const FINE: Facts = {
	health: { value: 12 },
	account: { value: { name: 'Shop', phone_number: 905300000000, status: 'connected' } },
	chats: { value: [parseChat({ id: '1@c.us', last_message_at: 1_700_000_000 })] },
	message: { value: parseMessage({ id: 'm', timestamp: 1_700_000_000, from_me: false }) },
	queue: { value: { waiting: 0, failed: 0, unsent: 0, kindOfWaiting: 'a number' } },
	rateLimit: { value: { limit: 100, remaining: 11, resetAt: 1_700_000_000, unreadable: [] } },
	webhook: webhookTo(URL),
	baseUrl: 'https://service.example.com/api/v1/whatsapp/external',
	webhooksUrl: 'https://n8n.example.com',
	editorUrl: 'https://n8n.example.com',
	timezone: 'Europe/Istanbul',
	hasSecret: true,
	clockOffsetMs: 0,
	receivers: [receiver()],
	sample: undefined,
	ownFetches: [],
};

/** A request that failed. */
export const failure = (httpStatus: number | null) => ({
	error: new ApiError({ message: 'It failed', description: 'Do so.', code: 'code', httpStatus }),
});

/** What a check is given, what it says, and what it advises. */
export type Case = [given: Partial<Facts>, status: Verdict['status'], detail: RegExp, advice?: RegExp];

/** Sees what a check says of a setup that is fine but for what is given. */
export function expectVerdict(
	judge: (facts: Facts) => Verdict,
	[given, status, detail, advice = /^$/]: Case,
): void {
	expect(judge({ ...FINE, ...given })).toEqual({
		status,
		detail: expect.stringMatching(detail) as string,
		advice: expect.stringMatching(advice) as string,
	});
}
