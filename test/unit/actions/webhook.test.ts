import { webhook } from '../../../nodes/MessagingChannel/actions/webhook';
import { rotateSecret } from '../../../nodes/MessagingChannel/actions/webhook/rotateSecret';
import { set } from '../../../nodes/MessagingChannel/actions/webhook/set';
import { requestFor } from '../entered';

const url = 'https://example.com/events';
const sent = (entered: object) => requestFor(set, { url, ...entered }).parameters;

test('without a choice, the events are those that the service has by default', () => {
	expect(sent({})).toEqual({ url, events: ['message.received', 'message.sent', 'message.status'] });
});

test('the events and the time to answer can be chosen', () => {
	const events = ['connection.connected', 'connection.disconnected'];
	expect(sent({ events, additionalFields: { timeoutSeconds: 5 } })).toEqual({
		url,
		events,
		timeoutSeconds: 5,
	});
});

test('an expression may give a single event', () => {
	expect(sent({ events: 'message.status' })).toMatchObject({ events: ['message.status'] });
});

test.each([
	[{ url: '' }, "'URL' is empty"],
	[{ events: [] }, "'Events' is empty"],
	[{ events: ['message.read'] }, "'Events' is not one of its choices: 'message.read'"],
	[{ additionalFields: { timeoutSeconds: 0 } }, "'Timeout' is 0"],
	[{ additionalFields: { timeoutSeconds: 1.5 } }, "'Timeout' is 1.5"],
	[{ additionalFields: { timeoutSeconds: 'soon' } }, "'Timeout' is not a number: 'soon'"],
])('%j is refused', (entered, problem) => {
	expect(() => sent(entered)).toThrow(problem);
});

test('whoever sets the webhook or rotates the secret is told what that does to the trigger', () => {
	expect(set.notice).toContain('takes the events away from the Messaging Channel Trigger');
	expect(rotateSecret.notice).toContain('shown only once');
	expect(rotateSecret.notice).toContain(
		'Every workflow of this account that starts with the Messaging Channel Trigger, and every other program that receives its events, refuses them all until the new secret is in its credential, as Signing Secret.',
	);
	expect(rotateSecret.notice).toContain('If another credential of this account works, use that one instead');
});

test('none of its operations is one that sends a message', () => {
	expect(webhook.operations.filter(({ endpoint }) => endpoint.sends)).toEqual([]);
});
