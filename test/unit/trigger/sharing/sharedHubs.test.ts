import { isSharedHub, noteWebhookUrl } from '../../../../nodes/MessagingChannel/trigger/sharing/sharedHubs';
import { registrationOf } from '../../../../nodes/MessagingChannel/webhook/sharedUrl';
import { OWN_URL, workflow } from '../activation/triggerOf';

const own = workflow(OWN_URL);
const other = workflow('https://n8n.example.com/webhook/other/webhook');

test('a trigger is a hub as long as others share its webhook', () => {
	expect(isSharedHub(OWN_URL)).toBe(false);

	noteWebhookUrl(registrationOf([own, other], 'secret').url);
	expect(isSharedHub(OWN_URL)).toBe(true);
	expect(isSharedHub(other.url)).toBe(false);

	noteWebhookUrl(registrationOf([own], 'secret').url);
	expect(isSharedHub(OWN_URL)).toBe(false);
});

test('a trigger whose URL has another query is no hub', () => {
	noteWebhookUrl('https://n8n.example.com/webhook/query/webhook?token=subscribers');
	expect(isSharedHub('https://n8n.example.com/webhook/query/webhook')).toBe(false);
});
