import { ApiError } from '../core/apiError';
import type { CheckedRequest, Reply } from '../core/call';
import { data } from '../core/call';
import { toDateTime } from '../core/clock';
import { windowName } from '../core/rateLimit';
import { acceptSend, isBlocked, longestText } from '../core/sending';

interface SendBody {
	to: string;
	message: string;
	priority: number;
	sync: boolean;
}

/** POST /messages/send */
export const send = async ({ runtime, operationId, body }: CheckedRequest<SendBody>): Promise<Reply> => {
	const { to: recipient, message: text, priority, sync } = body;
	const { jobId, sent, to } = acceptSend(runtime, operationId, { to: recipient, body: text, priority });
	if (!sync) return { status: 202, json: { success: true, queued: true, job_id: jobId, to } };

	const timeout = runtime.timers.wait(runtime.settings.syncTimeoutMs);
	const message = await Promise.race([sent, timeout]);
	if (!message) {
		// The job stays in the queue: the message may still be delivered ("Messages").
		throw new ApiError(504, 'send_timeout', 'The message was not sent in time; it may still be delivered.');
	}
	return {
		status: 200,
		json: { success: true, queued: false, message_id: message.id, to, status: 'sent' },
	};
};

/** GET /messages/rate-limit */
export const getRateLimit = ({ runtime }: CheckedRequest) => {
	const { limit, remaining, resetAt } = runtime.rateLimiter.state();
	const window = windowName(runtime.settings.rateLimit.windowSeconds);
	return data({ limit, remaining, window, reset_at: toDateTime(resetAt) });
};

/** GET /messages/queue */
export const getQueue = ({ runtime }: CheckedRequest) => data(runtime.queue.status());

/** POST /messages/validate */
export const validate = ({ body }: CheckedRequest<{ message: string }>) => {
	const length = [...body.message].length;
	const warnings = [
		...(length > longestText ? [`The message has ${length} characters; at most ${longestText} fit.`] : []),
		...(isBlocked(body.message) ? ['The content policy does not allow this message.'] : []),
	];
	return { status: 200, json: { success: true, valid: warnings.length === 0, warnings } };
};
