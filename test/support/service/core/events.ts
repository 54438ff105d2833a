import type { Account, Chat, Message } from './records';
import { toDateTime } from './clock';
import { inDialect } from './dialects';
import { phoneOfChat } from './phone';
import type { Runtime } from './runtime';

/** The selectable event a sub-type belongs to ("Events"). */
const selectedAs = (event: string): string =>
	event === 'message.delivered' || event === 'message.read' ? 'message.status' : event;

/** The body of an event, as the service writes it. */
export const bodyOf = ({ settings }: Runtime, body: object): string =>
	JSON.stringify(inDialect(settings.dialect, body));

/** Fires an event; it is delivered when the webhook selected it. */
export function fireEvent(runtime: Runtime, event: string, body: object): { eventId: string } {
	const eventId = runtime.random.uuid();
	if (runtime.webhook.config?.events.includes(selectedAs(event))) {
		void runtime.deliverer.enqueue({ eventId, event, body: bodyOf(runtime, body), source: 'event' });
	}
	return { eventId };
}

const chatPart = ({ id, name, type }: Chat) => ({ id, name, phone: phoneOfChat(id), type });

/** "Body of `message.received`". */
export const receivedBody = (account: Account, chat: Chat, message: Message) => ({
	event: 'message.received',
	account_id: account.id,
	chat: chatPart(chat),
	message,
});

/** The body of the other message events: not shown, so modelled on `message.received`. */
export const statusBody = (
	account: Account,
	chat: Chat,
	message: Message,
	{ event, jobId, status }: { event: string; jobId: string; status: string },
) => ({
	event,
	account_id: account.id,
	job_id: jobId,
	chat: chatPart(chat),
	message: { ...message, status },
});

/** The body of the connection events: not shown, so the account as in `GET /health`. */
export const connectionBody = (account: Account, event: string, now: number) => ({
	event,
	account_id: account.id,
	account: { id: account.id, name: account.name, status: account.status },
	timestamp: toDateTime(now),
});
