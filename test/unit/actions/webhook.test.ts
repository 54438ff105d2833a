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
	[{ events: ['message.read'] }, "'Events' is not one of the options: 'message.read'"],
	[{ additionalFields: { timeoutSeconds: 0 } }, "'Timeout' is too small: 0"],
	[{ additionalFields: { timeoutSeconds: 1.5 } }, "'Timeout' is not a whole number: 1.5"],
	[{ additionalFields: { timeoutSeconds: 'soon' } }, "'Timeout' is not a number: 'soon'"],
])('%j is refused', (entered, problem) => {
	expect(() => sent(entered)).toThrow(problem);
});

test('whoever sets the webhook or rotates the secret is told what that does to the trigger', () => {
	expect(set.notice).toContain('the Messaging Channel Trigger stops receiving events');
	expect(rotateSecret.notice).toContain('shown only once');
	expect(rotateSecret.notice).toContain(
		"Every Messaging Channel Trigger and every other program that receives events of this account rejects them until its credential has the new secret as 'Signing Secret'.",
	);
	expect(rotateSecret.notice).toContain('If another credential for this account works, use that one instead');
});

test('none of its operations is one that sends a message', () => {
	expect(webhook.operations.filter(({ endpoint }) => endpoint.sends)).toEqual([]);
});
