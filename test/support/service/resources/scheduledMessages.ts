import { invalid } from '../core/apiError';
import { data, pageOf, recordsOf, type CheckedRequest, type PageQuery } from '../core/call';
import { parseDateTime, toDateTime } from '../core/clock';
import type { ScheduledMessage, ScheduledStatus } from '../core/records';
import type { Runtime } from '../core/runtime';
import { noteAccepted, queueSend, recipient, requireAllowed } from '../core/sending';

interface ScheduleBody {
	to: string;
	message: string;
	scheduled_at: string;
}

const { find, get } = recordsOf(({ scheduledMessages }) => scheduledMessages, 'The scheduled message');

/** GET /messages/scheduled/{id} */
export { get };

function findPending(call: CheckedRequest): ScheduledMessage {
	const scheduled = find(call);
	if (scheduled.status !== 'pending') throw invalid(`The message is ${scheduled.status}, no longer pending.`);
	return scheduled;
}

/** The description has checked that it is a date; whether it lies ahead only the clock knows. */
function future(runtime: Runtime, text: string): string {
	const time = parseDateTime(text) ?? 0;
	if (time <= runtime.clock.now()) throw invalid('The field scheduled_at must lie in the future.');
	return toDateTime(time);
}

function sendDue(runtime: Runtime): void {
	const now = toDateTime(runtime.clock.now());
	for (const scheduled of runtime.store.scheduledMessages.values()) {
		if (scheduled.status !== 'pending' || scheduled.scheduled_at > now) continue;
		scheduled.status = 'sent';
		const { sent } = queueSend(runtime, { to: scheduled.to, body: scheduled.message });
		sent.catch(() => {
			scheduled.status = 'failed';
		});
	}
}

/** Looks for due messages every so often; the clock may be moved, so no timer can be set for the exact moment. */
export function watchSchedule(runtime: Runtime): void {
	runtime.timers.after(50, () => {
		sendDue(runtime);
		watchSchedule(runtime);
	});
}

/** POST /messages/schedule */
export const create = ({ runtime, operationId, body }: CheckedRequest<ScheduleBody>) => {
	requireAllowed(body.message);
	const to = recipient(body.to);
	const scheduled: ScheduledMessage = {
		id: runtime.nextId('scheduled'),
		to,
		message: body.message,
		scheduled_at: future(runtime, body.scheduled_at),
		status: 'pending',
	};
	runtime.store.scheduledMessages.set(scheduled.id, scheduled);
	noteAccepted(runtime, { operationId, to, body: body.message, jobId: null });
	return data(scheduled, 201);
};

/** GET /messages/scheduled */
export const getAll = ({
	runtime,
	query,
}: CheckedRequest<unknown, PageQuery & { status?: ScheduledStatus }>) => {
	const all = [...runtime.store.scheduledMessages.values()];
	const found = query.status ? all.filter(({ status }) => status === query.status) : all;
	return pageOf(found, query);
};

/** PUT /messages/scheduled/{id} */
export const update = (call: CheckedRequest<Partial<ScheduleBody>>) => {
	const { runtime, body } = call;
	const scheduled = findPending(call);
	if (body.message !== undefined) requireAllowed(body.message);
	const change: Partial<ScheduledMessage> = { ...body };
	if (body.to !== undefined) change.to = recipient(body.to);
	if (body.scheduled_at !== undefined) change.scheduled_at = future(runtime, body.scheduled_at);
	return data(Object.assign(scheduled, change));
};

/** DELETE /messages/scheduled/{id} */
export const cancel = (call: CheckedRequest) =>
	data(Object.assign(findPending(call), { status: 'cancelled' }));
