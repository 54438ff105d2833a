import { invalid } from '../core/apiError';
import { data, pageOf, recordsOf, type CheckedRequest, type PageQuery } from '../core/call';
import { toDateTime } from '../core/clock';
import type { Broadcast } from '../core/records';
import type { Runtime } from '../core/runtime';
import { noteAccepted, queueSend, recipient, requireAllowed, requireConnected } from '../core/sending';
import { fill, findTemplate } from './templates';

interface CreateBody {
	name: string;
	recipients: string[];
	message?: string;
	template_id?: string;
	variables?: Record<string, string>;
	delay_between_messages: number;
}

const { find, get } = recordsOf(({ broadcasts }) => broadcasts, 'The broadcast');

/** GET /messages/broadcast/{id} */
export { get };

/** Queues one recipient after another, with the broadcast's own delay between them. */
function run(runtime: Runtime, broadcast: Broadcast, text: string, recipients: string[]): void {
	const [to, ...later] = recipients;
	if (to === undefined || broadcast.status === 'cancelled') {
		runtime.upcoming -= 1;
		return;
	}
	const count = (key: 'sent' | 'failed') => () => {
		broadcast[key] += 1;
		const over = broadcast.sent + broadcast.failed === broadcast.total;
		if (over && broadcast.status === 'running') broadcast.status = 'completed';
	};
	queueSend(runtime, { to, body: text }).sent.then(count('sent'), count('failed'));
	const delay = later.length > 0 ? broadcast.delay_between_messages * 1000 : 0;
	runtime.timers.after(delay, () => run(runtime, broadcast, text, later));
}

/** POST /messages/broadcast; a recipient given twice gets the message twice. */
export const create = ({ runtime, operationId, body }: CheckedRequest<CreateBody>) => {
	const variables = body.variables ?? {};
	const text = body.template_id
		? fill(findTemplate({ runtime, path: { id: body.template_id } }), variables)
		: (body.message ?? '');
	requireAllowed(text);
	requireConnected(runtime);
	const recipients = body.recipients.map(recipient);
	const broadcast: Broadcast = {
		id: runtime.nextId('broadcast'),
		name: body.name,
		recipients,
		message: body.message ?? null,
		template_id: body.template_id ?? null,
		variables,
		delay_between_messages: body.delay_between_messages,
		status: 'running',
		total: recipients.length,
		sent: 0,
		failed: 0,
		created_at: toDateTime(runtime.clock.now()),
	};
	runtime.store.broadcasts.set(broadcast.id, broadcast);
	for (const to of recipients) noteAccepted(runtime, { operationId, to, body: text, jobId: null });
	runtime.upcoming += 1;
	run(runtime, broadcast, text, recipients);
	return data(broadcast, 201);
};

/** GET /messages/broadcast */
export const getAll = ({ runtime, query }: CheckedRequest<unknown, PageQuery>) =>
	pageOf([...runtime.store.broadcasts.values()], query);

/** GET /messages/broadcast/{id}/progress */
export const getProgress = (call: CheckedRequest) => {
	const { id, status, total, sent, failed } = find(call);
	return data({ id, status, total, sent, failed, pending: total - sent - failed });
};

/** POST /messages/broadcast/{id}/cancel */
export const cancel = (call: CheckedRequest) => {
	const broadcast = find(call);
	if (broadcast.status !== 'running')
		throw invalid(`The broadcast is ${broadcast.status}, no longer running.`);
	return data(Object.assign(broadcast, { status: 'cancelled' }));
};
