import { isRecord } from '../../../nodes/MessagingChannel/api/values';
import { EVENT_OPTIONS } from '../../../nodes/MessagingChannel/fields/events';
import { connectionBody, receivedBody, statusBody } from '../../support/service/core/events';
import type { Chat, Message } from '../../support/service/core/records';
import { documentedEvents, resolved, type Schema } from '../../support/service/core/documentedOperations';
import { blocksOf, page } from './pages';

const { file, text } = page('docs/events.md');

/** The events, each with the sample under the heading that names it. Events of the same form share one. */
const samples = EVENT_OPTIONS.map(({ name, value }) => {
	const section = text.split('\n## ').find((part) => part.split('\n', 1)[0]?.includes(name)) ?? '';
	const block = blocksOf({ file, text: section }).find(({ language }) => language === 'json');
	return { name, type: String(value), sample: JSON.parse(block?.code ?? '{}') as unknown };
});

const account = { id: '', name: '', phone_number: '', status: '', provider: '' };
const chat = { id: '905551112233@c.us', name: '', type: 'individual' } as Chat;
const message = Object.fromEntries(
	'id from to body type raw_type timestamp from_me has_media media'.split(' ').map((name) => [name, null]),
) as unknown as Message;

/** What the reference service delivers. */
function bodyOf(event: string): object {
	if (event.startsWith('connection.')) return connectionBody(account, event, 0);
	if (event === 'message.received') return receivedBody(account, chat, message);
	return statusBody(account, chat, message, { event, jobId: '', status: '' });
}

/** The fields of an object and of the objects in it. */
function fieldsOf(value: unknown): string[] {
	if (!isRecord(value)) return [];
	return Object.entries(value)
		.flatMap(([name, inner]) => [name, ...fieldsOf(inner).map((field) => `${name}.${field}`)])
		.sort();
}

/** The fields that openapi.yaml has for an event. */
function fieldsDescribed(schema: Schema): string[] {
	return Object.entries(resolved(schema).properties ?? {})
		.flatMap(([name, inner]) => [name, ...fieldsDescribed(inner).map((field) => `${name}.${field}`)])
		.sort();
}

test.each(samples)('the sample of $name is what the reference service delivers', ({ type, sample }) => {
	const [, described = {}] = documentedEvents.find(([event]) => event === type) ?? [];
	expect(fieldsDescribed(described)).toEqual(fieldsOf(bodyOf(type)));
	expect(fieldsOf(sample)).toEqual([...fieldsOf(bodyOf(type)), 'delivered_at', 'event_id'].sort());
});
